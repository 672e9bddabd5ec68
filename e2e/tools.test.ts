import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { until } from "../testing/server.ts";
import { useWorld } from "./world.ts";

const world = useWorld();

test("a person opens a session by hand, and gets the line to hand to the agents", async () => {
  const page = await world.open("/");
  await page.getByRole("heading", { name: "Bring in the first agent" }).waitFor();
  await page.getByRole("button", { name: "New session" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Title").fill("By hand");
  await dialog.getByLabel("Your name").fill("Robin");
  await dialog.getByRole("button", { name: "Create session" }).click();
  const line = await dialog.getByText(/^Read http.*AGENTS\.md/).innerText();
  const guide = await (await fetch(line.match(/http\S+AGENTS\.md/)?.[0] ?? "")).text();
  const ref = line.match(/\/s\/([\w-]+)\//)?.[1] ?? "";
  expect(guide).toContain(ref);
  await dialog.getByRole("link", { name: "Open the session" }).click();
  await page.getByRole("heading", { name: "By hand" }).waitFor();
  await page.getByRole("button", { name: "Connect an agent" }).click();
  await page.getByRole("tab", { name: ".mcp.json" }).click();
  await page.getByText('"mcpServers"').waitFor();
});

test("the lines for a silent wait run as they stand, and print what comes", async () => {
  const alex = await world.parley.create();
  const page = await world.open(`/s/${alex.ref}`);
  await page.getByRole("button", { name: "Connect an agent" }).click();
  await page.getByRole("tab", { name: "stdio" }).click();
  await page.getByText(`npx parley mcp --url ${world.parley.url}/mcp`).waitFor();
  await page.getByRole("tab", { name: "Silent wait" }).click();
  const lines = await page.getByText("node parley.mjs wait").innerText();

  const folder = await mkdtemp(join(tmpdir(), "parley-lines-"));
  const waiting = promisify(execFile)("bash", ["-ec", lines], {
    cwd: folder,
    env: { ...process.env, PARLEY_HOME: folder },
  });
  await until(async () => {
    const { body } = await world.parley.get(`/sessions/${alex.ref}/participants`, alex);
    return body.participants.some(
      ({ handle, listening }: Record<string, unknown>) => handle === "team-blue" && listening,
    );
  }, "the wait to begin");
  await world.parley.say(alex, "worth waking up for");
  expect((await waiting).stdout).toContain("worth waking up for");
  await rm(folder, { recursive: true });
});

test("every version of the document can be read, compared and taken away", async () => {
  const alex = await world.parley.create();
  const write = (content: string, version: number) =>
    world.parley.post(`/sessions/${alex.ref}/doc`, { content, expected_version: version }, alex);
  await write("# Plan\n\nfirst thought", 0);
  await write("# Plan\n\nsecond thought", 1);
  const page = await world.open(`/s/${alex.ref}`);
  const doc = page.getByRole("region", { name: "Document", exact: true });
  await doc.getByText("second thought").waitFor();
  await doc.getByRole("combobox", { name: "Version" }).press("Enter");
  await page.getByRole("option", { name: /^v1 · .* · Alex's Team$/ }).press("Enter");
  await doc.getByText("first thought").waitFor();
  await doc.getByRole("button", { name: "Newest" }).click();
  await doc.getByRole("button", { name: "Diff" }).click();
  await doc.locator("del").getByText("first thought").waitFor();
  await doc.locator("ins").getByText("second thought").waitFor();
  await doc.getByRole("button", { name: "Line by line" }).click();
  await doc.getByText("-first thought").waitFor();
  await doc.getByText("+second thought").waitFor();
  await doc.getByRole("button", { name: "Raw" }).click();
  await doc.getByText("# Plan").waitFor();

  const [file] = await Promise.all([
    page.waitForEvent("download"),
    doc.getByRole("button", { name: "Download the document" }).click(),
  ]);
  expect(await readFile(await file.path(), "utf8")).toBe("# Plan\n\nsecond thought");
});

test("a session is exported as markdown and as data", async () => {
  const alex = await world.parley.create();
  await world.parley.say(alex, "to be taken away");
  const page = await world.open(`/s/${alex.ref}`);
  for (const kind of ["Markdown", "JSON"]) {
    await page.getByRole("button", { name: "Actions" }).click();
    const item = page.getByRole("menuitem", { name: `Export as ${kind}` });
    const [file] = await Promise.all([page.waitForEvent("download"), item.click()]);
    expect(await readFile(await file.path(), "utf8")).toContain("to be taken away");
  }
});

test("a message is found by its words and by its team, and the timeline leads to it", async () => {
  const alex = await world.parley.create();
  const blue = await world.parley.join(alex);
  for (let i = 1; i <= 60; i++) await world.parley.say(i === 5 ? blue : alex, `word ${i}`);
  const page = await world.open(`/s/${alex.ref}`);
  await page.getByText("word 60").waitFor();
  await page.getByRole("combobox", { name: "Only messages of one team" }).press("Enter");
  await page.getByRole("option", { name: "Team Blue" }).press("Enter");
  // The feed itself is narrowed to the hits, with what stands around them.
  await page.getByRole("status").getByText("1 hit").waitFor();
  const shown = () => page.locator("[data-sequence]").evaluateAll((rows) => rows.map((row) => row.dataset.sequence));
  await until(async () => (await shown()).join() === "5,6,7", "the hits and their neighbours");
  // Whoever presses Enter at once is led to the hit when it is found.
  await page.getByLabel("Find in session").fill("word 5");
  await page.getByLabel("Find in session").press("Enter");
  const marked = () => page.evaluate(() => CSS.highlights.get("parley-found")?.size ?? 0);
  await until(async () => (await marked()) > 0, "the words to be marked");
  await page.getByRole("status").getByText("1 of 1").waitFor();
  expect(page.url()).toContain("team=team-blue");
  await world.parley.say(blue, "word 5 again");
  await page.getByRole("status").getByText("2 hits").waitFor();
  await page.locator('[data-sequence="6"] time').click();
  await page.getByRole("button", { name: "Clear the search" }).click();
  await page.locator('[data-sequence="4"]').waitFor();
  await page.locator('[data-sequence="6"]').getByText("word 5").waitFor();

  await page.getByRole("tab", { name: "Timeline" }).click();
  const timeline = page.getByRole("region", { name: "Timeline" });
  await timeline.getByRole("img", { name: /Team Blue/ }).waitFor();
  await timeline.getByLabel("Go to a message").fill("30");
  await page.locator('[data-sequence="30"]').waitFor();
  expect(page.url()).toContain("#30");
});

test("who looks for a session that is not here is told what to look at", async () => {
  const page = await world.open("/s/calm-otter-17");
  await page.getByText("Look for a typing mistake").waitFor();
  expect(await page.getByText("three parts").count()).toBe(0);
  await page.goto(`${world.parley.url}/s/nonsense`);
  await page.getByText("it has three parts, like calm-otter-17").waitFor();
});

test("the page of the API says whose it is and leads to the sessions", async () => {
  const page = await world.open("/docs");
  const icon = await page.locator("link[rel=icon]").getAttribute("href");
  expect((await page.request.get(`${world.parley.url}${icon}`)).headers()["content-type"]).toContain("image/svg");
  await page.getByRole("banner").getByRole("link", { name: "Parley" }).click();
  await page.getByRole("heading", { name: "Sessions" }).waitFor();
});

test("only a session is called live; the connection stands", async () => {
  const alex = await world.parley.create();
  const page = await world.open(`/s/${alex.ref}`);
  await page.getByRole("banner").first().getByText("connected").waitFor();
  await page.getByRole("banner").last().getByText("live", { exact: true }).waitFor();
  expect(await page.getByText("live", { exact: true }).count()).toBe(1);
});
