import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { HARD_TEXTS } from "../testing/hard-texts.ts";
import type { Team } from "../testing/server.ts";
import { useWorld } from "./world.ts";

const world = useWorld();

async function write(team: Team, content: string) {
  const { parley } = world;
  const { body } = await parley.get(`/sessions/${team.ref}/doc`, team);
  const written = await parley.post(`/sessions/${team.ref}/doc`, { content, expected_version: body.version }, team);
  expect(written.status).toBe(200);
  return written.body.version as number;
}

const documentOf = (page: Page) => page.getByRole("region", { name: /^Document, version/ });

/** A page that still does what it is asked to: its menu opens and closes. */
async function expectAlive(page: Page) {
  await page.getByRole("button", { name: "Outline" }).press("Enter");
  await page.getByRole("menu").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("menu").waitFor({ state: "detached" });
  // Not by a locator, which would read a megabyte element by element.
  expect(await page.evaluate(() => document.body.textContent)).not.toContain("This page stumbled");
}

test("no markdown kills or freezes the page, and a good version heals it", { timeout: 300_000 }, async () => {
  const { parley } = world;
  const alex = await parley.create();
  const page = await world.open(`/s/${alex.ref}`);
  page.setDefaultTimeout(60_000);
  for (const [name, text] of Object.entries(HARD_TEXTS)) {
    await parley.say(alex, `${text.slice(0, 60_000)}\n\nend`);
    await parley.say(alex, `after ${name}`);
    const version = await write(alex, `# Before\n\n${text.slice(0, 1_000_000)}\n`);
    await page.getByRole("log").getByText(`after ${name}`, { exact: true }).waitFor();
    await page.getByRole("region", { name: `Document, version ${version}` }).waitFor();
    // On a machine that is busy the time for formatting may be over first, and the text says so.
    const formatted = documentOf(page).getByRole("heading", { name: "Before" });
    await formatted.or(documentOf(page).getByText("it could not be formatted")).first().waitFor();
    await expectAlive(page);
  }
  await page.getByRole("link", { name: "Parley" }).first().click();
  await page.getByRole("link", { name: /A session/ }).click();
  await documentOf(page).waitFor();
  await write(alex, "## All is well\n\n- again");
  await documentOf(page).getByRole("heading", { name: "All is well" }).waitFor();
  await documentOf(page).getByRole("listitem").getByText("again").waitFor();
});

test("what is too deep is shown as it was written, between what is not", { timeout: 60_000 }, async () => {
  const { parley } = world;
  const alex = await parley.create();
  const deep = `${">".repeat(3_000)} deep`;
  await write(alex, `# First\n\n${deep}\n\n## Last\n\n- item`);
  await parley.say(alex, `${deep}\n\n**bold**`);
  const page = await world.open(`/s/${alex.ref}`);
  const text = documentOf(page);
  await text.getByRole("heading", { name: "Last" }).waitFor();
  await text.getByRole("listitem").getByText("item").waitFor();
  await text.getByText("Shown as it was written.").waitFor();
  await text.getByText(deep).waitFor();
  await page.getByRole("button", { name: "Outline" }).click();
  await page.getByRole("menuitem", { name: "Last" }).click();
});

test("every view and export of a hard document works", { timeout: 120_000 }, async () => {
  const { parley } = world;
  const hard = (name: string) => HARD_TEXTS[name] as string;
  const alex = await parley.create("Alex's Team", "*".repeat(200));
  await parley.post(
    `/sessions/${alex.ref}/metadata`,
    { description: hard("quotes in quotes"), reason: `${"[".repeat(900)} why` },
    alex,
  );
  await parley.say(alex, hard("quotes in quotes"));
  await write(alex, hard("strong in strong"));
  await write(alex, `${hard("quotes in quotes")}\n${hard("fifty thousand headings")}`);
  const page = await world.open(`/s/${alex.ref}`);
  page.setDefaultTimeout(30_000);
  for (const view of ["Raw", "Diff", "Read"]) {
    await page.getByRole("button", { name: view, exact: true }).click();
    await page.getByRole("button", { name: view, pressed: true }).waitFor();
    await documentOf(page).getByText(">>>>").first().waitFor();
  }
  await expectAlive(page);
  await page.getByRole("tab", { name: "Timeline" }).click();
  await page.getByRole("region", { name: "Timeline" }).waitFor();
  await page.getByRole("tab", { name: "Now" }).click();
  await page.getByRole("region", { name: "Now" }).getByRole("heading", { name: "Teams" }).waitFor();
  await page.getByPlaceholder(/find/i).fill(">>>");
  await page.getByText("1 hit").waitFor();
  for (const format of ["Markdown", "JSON"]) {
    await page.getByRole("button", { name: "Actions" }).click();
    const file = page.waitForEvent("download");
    await page.getByRole("menuitem", { name: `Export as ${format}` }).click();
    await (await file).path();
  }
  await parley.post(
    `/sessions/${alex.ref}/conclude`,
    { summary_section: `${hard("lists in lists")}\n\n**done**` },
    alex,
  );
  await page.getByRole("tab", { name: "Document" }).click();
  await page.getByRole("region", { name: "Conclusion" }).getByText("done").waitFor();
});
