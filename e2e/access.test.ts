import { expect, test } from "vitest";
import { barriersOf } from "./barriers.ts";
import { rosterOf, useWorld } from "./world.ts";

const world = useWorld();

test("no page has a serious barrier, in light or dark", { timeout: 60_000 }, async () => {
  const alex = await world.parley.create();
  await world.parley.join(alex);
  await world.parley.say(alex, "A **message** with `code` and a [link](https://example.com)");
  await world.parley.post(`/sessions/${alex.ref}/doc/append`, { text: "# Heading\n\n- a point" }, alex);
  await world.parley.post(`/sessions/${alex.ref}/conclude`, { summary_section: "Done." }, alex);
  const settings = ["/settings", "/settings/keys", "/settings/people", "/settings/audit"];
  for (const path of ["/", `/s/${alex.ref}`, ...settings, "/sign-in", "/s/calm-otter-0"]) {
    const page = await world.open(path);
    await page.waitForLoadState("networkidle");
    await page.getByRole("heading").first().waitFor();
    expect(await barriersOf(page, path)).toEqual([]);
    await world.close(page);
  }
});

test("replies, kinds, receipts, digest and resuming have no serious barrier", { timeout: 60_000 }, async () => {
  const alex = await world.parley.create();
  const blue = await world.parley.join(alex);
  const post = (team: typeof alex, content: string, about: object) =>
    world.parley.post(`/sessions/${alex.ref}/messages`, { content, ...about }, team);
  await post(alex, "Which one?", { kind: "question", to: ["team-blue"] });
  await post(blue, "That one.", { kind: "decision", reply_to: 2 });
  await post(blue, "And now?", { kind: "question", metadata: { ticket: 42 } });
  await world.parley.post(`/sessions/${alex.ref}/doc/append`, { text: "# Heading" }, alex);
  await world.parley.post(`/sessions/${alex.ref}/ack`, { through_cursor: 4 }, alex);
  const page = await world.open(`/s/${alex.ref}?kind=question`);
  await page.getByText("2 hits").waitFor();
  const row = page.locator('[data-sequence="4"]');
  await row.getByText("open", { exact: true }).waitFor();
  await row.hover();
  expect(await barriersOf(page, "feed")).toEqual([]);

  await row.getByRole("button", { name: "read by Alex's Team" }).click();
  await page.getByRole("dialog").getByText('"ticket": 42').waitFor();
  expect(await barriersOf(page, "receipts")).toEqual([]);
  await page.keyboard.press("Escape");
  await (await rosterOf(page)).getByText("Team Blue").waitFor();
  expect(await barriersOf(page, "team")).toEqual([]);
  await page.keyboard.press("Escape");
  await page.getByRole("tab", { name: "Now" }).click();
  await page.getByRole("region", { name: "Decisions" }).getByText("That one.").waitFor();
  expect(await barriersOf(page, "digest")).toEqual([]);
  await page.getByRole("tab", { name: "Document" }).click();

  await world.parley.post(`/sessions/${alex.ref}/conclude`, { summary_section: "Done." }, alex);
  await page.getByRole("button", { name: "Pick this up" }).click();
  await page.getByRole("dialog").getByText("Tell any agent").waitFor();
  expect(await barriersOf(page, "resume")).toEqual([]);
  await world.parley.post(`/sessions/${alex.ref}/resume`, { team_name: "Next" });
  await page.keyboard.press("Escape");
  await page.getByText("Continued in").first().waitFor();
  expect(await barriersOf(page, "continued")).toEqual([]);
});

test("a key and a link that were made have no serious barrier", async () => {
  const page = await world.open("/settings/keys");
  await page.getByLabel("What it is for").fill("A key");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "A key" }).getByRole("tab", { name: "Codex" }).click();
  expect(await barriersOf(page, "key")).toEqual([]);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Revoke A key" }).first().press("Enter");
  await page.getByRole("dialog", { name: "Revoke A key?" }).waitFor();
  expect(await barriersOf(page, "revoke")).toEqual([]);
  await page.keyboard.press("Escape");

  await page.getByRole("navigation", { name: "Settings" }).getByRole("link", { name: "People" }).press("Enter");
  await page.getByRole("button", { name: "Make a link" }).press("Enter");
  await page.getByRole("dialog", { name: "A sign-in link for somebody new" }).waitFor();
  expect(await barriersOf(page, "link")).toEqual([]);
});

test("a session is found and opened by keyboard alone, and the shortcuts are shown", async () => {
  await world.parley.create("Alex's Team", "Reached by keys");
  const page = await world.open("/");
  await page.getByText("Reached by keys").waitFor();
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).getByText("Next session").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  await page.keyboard.press("/");
  await page.keyboard.type("Reached by");
  await page.waitForURL(/Reached/);
  await page.keyboard.press("Escape");
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Reached by keys" }).waitFor();
});

test("the palette knows every command of the page that it is opened on, and what it runs has the focus", async () => {
  const { ref } = await world.parley.create("Alex's Team", "Ordered about");
  const page = await world.open("/");
  await page.getByText("Ordered about").waitFor();
  const options = page.getByRole("dialog").getByRole("option");
  const run = async (words: string) => {
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").getByRole("combobox").fill(words);
    await options.nth(1).waitFor({ state: "detached" });
    await page.locator("[role=option][aria-selected=true]", { hasText: new RegExp(words, "i") }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
  };
  await run("search sessions");
  await page.locator("input[aria-label='Search sessions']:focus").waitFor();
  await run("Ordered about");
  await page.waitForURL(`**/s/${ref}`);
  await page.getByRole("heading", { name: "Ordered about" }).waitFor();
  await page.keyboard.press("Control+k");
  await options.filter({ hasText: "All sessions" }).waitFor();
  expect(await options.filter({ hasText: "Search sessions" }).count()).toBe(0);
});
