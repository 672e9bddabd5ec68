import { expect, test } from "vitest";
import { useWorld } from "./world.ts";

const world = useWorld();

test("Now tells what needs a person, what is open, decided and written, leads to it, and keeps up", {
  timeout: 60_000,
}, async () => {
  const { parley } = world;
  const alex = await parley.create();
  const blue = await parley.join(alex);
  const post = (content: string, about: object, team = alex) =>
    parley.post(`/sessions/${alex.ref}/messages`, { content, ...about }, team);
  await post("Which port do we take?", { kind: "question", to: ["team-blue"] });
  for (let i = 0; i < 40; i++) await post(`filler ${i}`, {}, blue);
  await post("We keep the `names`.", { kind: "decision" }, blue);
  await post("No access to `staging`.", { kind: "blocked" }, alex);
  await parley.post(`/sessions/${alex.ref}/team`, { doing: "porting refunds, 3 of 5" }, blue);
  await parley.post(`/sessions/${alex.ref}/ask`, { question: "Ship it?", options: ["Yes", "No"] }, blue);
  for (const [text, team] of [
    ["## Goals\n\nfirst", alex],
    ["## Findings\n\nthird", blue],
  ] as const)
    await parley.post(`/sessions/${alex.ref}/doc/append`, { text }, team);

  const page = await world.open(`/s/${alex.ref}`);
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.postData() ?? request.url()));
  await page.getByText("We keep the names.").waitFor();
  expect(asked.filter((what) => /query Digest|now-pane/.test(what))).toEqual([]);

  await page.getByRole("tab", { name: "Now" }).press("Enter");
  const now = page.getByRole("region", { name: "Now" });
  const part = (name: string) => now.getByRole("region", { name });
  await part("Decisions").getByText("We keep the names.").waitFor();
  expect(await part("Decisions").locator("code").allInnerTexts()).toEqual(["names"]);
  expect(await part("Teams").getByRole("listitem").allInnerTexts()).toEqual([
    expect.stringMatching(/^Alex's Team.*blocked: No access to staging/s),
    expect.stringMatching(/^Team Blue.*porting refunds, 3 of 5/s),
  ]);
  await part("Needs you").getByText("Alex's Team is stuck").waitFor();
  // One number, wherever it stands.
  await page.getByRole("button", { name: "2 things need you" }).waitFor();
  expect(await part("Needs you").getByRole("listitem").count()).toBe(2);
  expect(await page.title()).toMatch(/^\(2\) /);
  await part("Open questions").getByText("Alex's Team → Team Blue Which port do we take?").click();
  await page.locator('[data-sequence="2"]').getByText("Which port do we take?").waitFor();
  await post("7423.", { kind: "answer", reply_to: 2 }, blue);
  await part("Open questions").getByText("None: every question").waitFor();

  await part("Needs you").getByRole("button", { name: "Yes" }).press("Enter");
  await part("Needs you").getByLabel("Your name").fill("Robin");
  await part("Needs you").getByLabel("Your name").press("Enter");
  await part("Needs you").getByText("Ship it?").waitFor({ state: "detached" });

  expect(await part("Written").getByRole("listitem").allInnerTexts()).toEqual([
    expect.stringMatching(/^Findings by Team Blue/),
    expect.stringMatching(/^Goals by Alex's Team/),
  ]);
  await part("Written").getByRole("button", { name: /Goals/ }).click();
  await page.getByRole("region", { name: "Document, version 2" }).getByRole("heading", { name: "Goals" }).waitFor();
  await now.waitFor({ state: "hidden" });
});

test("a session that only talks is not read again for every word, and not at all out of sight", async () => {
  const alex = await world.parley.create();
  const page = await world.open(`/s/${alex.ref}?tab=now`);
  let reads = 0;
  page.on("request", (request) => {
    if (request.postData()?.includes("query Digest")) reads++;
  });
  await page.getByText("Nothing has happened yet.").waitFor();
  const talk = async (from: number, to: number) => {
    for (let i = from; i <= to; i++) {
      await world.parley.say(alex, `word ${i}`);
      await page.locator(`[data-sequence="${i}"]`).waitFor();
    }
  };
  await page.getByRole("tab", { name: "Document" }).click();
  reads = 0;
  await talk(1, 15);
  expect(reads).toBe(0);
  await page.getByRole("tab", { name: "Now" }).click();
  await page.getByRole("region", { name: "Teams" }).getByText("word").waitFor();
  await talk(16, 30);
  expect(reads).toBeLessThan(8);
});

test("on a phone what Now leads to comes to the front", async () => {
  const alex = await world.parley.create();
  await world.parley.post(`/sessions/${alex.ref}/messages`, { content: "Done so.", kind: "decision" }, alex);
  await world.parley.post(`/sessions/${alex.ref}/doc/append`, { text: "## Findings\n\na finding" }, alex);
  const page = await world.open(`/s/${alex.ref}`, { viewport: { width: 360, height: 740 } });
  await page.getByRole("tab", { name: "Now" }).click();
  await page
    .getByRole("region", { name: "Decisions" })
    .getByRole("button", { name: /Done so/ })
    .click();
  await page.getByRole("log").getByText("Done so.").waitFor();
  await page.getByRole("tab", { name: "Now" }).click();
  await page.getByRole("region", { name: "Written" }).getByRole("button").click();
  await page.getByText("a finding").waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
});
