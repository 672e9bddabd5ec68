import { expect, test } from "vitest";
import { useWorld } from "./world.ts";

const world = useWorld();

test("the digest lists what matters, leads to it, and keeps up", { timeout: 60_000 }, async () => {
  const { parley } = world;
  const alex = await parley.create();
  const blue = await parley.join(alex);
  const post = (content: string, about: object, team = alex) =>
    parley.post(`/sessions/${alex.ref}/messages`, { content, ...about }, team);
  await post("Which port do we take?", { kind: "question" });
  for (let i = 0; i < 40; i++) await post(`filler ${i}`, {}, blue);
  await post("We keep the `names`.", { kind: "decision" }, blue);
  await post("No access to `staging`.", { kind: "blocked" }, alex);
  for (const text of ["## Goals\n\nfirst", "second"])
    await parley.post(`/sessions/${alex.ref}/doc/append`, { text }, alex);
  await parley.post(`/sessions/${alex.ref}/doc/append`, { text: "third" }, blue);

  const page = await world.open(`/s/${alex.ref}`);
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.postData() ?? request.url()));
  await page.getByText("We keep the names.").waitFor();
  expect(asked.filter((what) => /query Digest|digest-panel/.test(what))).toEqual([]);

  await page.getByRole("button", { name: "Digest" }).press("Enter");
  const digest = page.getByRole("region", { name: "Digest" });
  const part = (name: string) => digest.getByRole("region", { name });
  await part("Decisions").getByText("We keep the names.").waitFor();
  expect(await part("Decisions").locator("code").allInnerTexts()).toEqual(["names"]);
  expect(await part("Who did what").getByRole("listitem").allInnerTexts()).toEqual([
    expect.stringMatching(
      /^Alex's Team.*2 messages, 1 question, 2 document changes.*blocked #44 No access to staging/s,
    ),
    expect.stringMatching(/^Team Blue.*41 messages, 1 decision, 1 document change.*last #43 We keep the names/s),
  ]);
  await part("Events").getByText("Team Blue joined").waitFor();
  await part("Open questions").getByText("Which port do we take?").click();
  await page.locator('[data-sequence="2"]').getByText("Which port do we take?").waitFor();

  await post("7423.", { kind: "answer", reply_to: 2 }, blue);
  await part("Open questions").getByText("None: every question has its answer.").waitFor();

  expect(await part("Document").getByRole("listitem").allInnerTexts()).toEqual([
    expect.stringMatching(/^Team Blue wrote v3 \+ \d+ bytes\s+Goals$/),
    expect.stringMatching(/^Alex's Team wrote 2 versions, v1–v2 \+ \d+ bytes\s+Goals$/),
  ]);
  await part("Document").getByRole("button", { name: /v1–v2/ }).click();
  const doc = page.getByRole("region", { name: "Document", exact: true });
  await doc.getByText("second").waitFor();
  expect(await doc.getByLabel("Version", { exact: true }).inputValue()).toBe("2");
  expect(await digest.count()).toBe(0);
});

test("in a busy session the digest is read now and then, not for every message", async () => {
  const alex = await world.parley.create();
  const page = await world.open(`/s/${alex.ref}`);
  let reads = 0;
  page.on("request", (request) => {
    if (request.postData()?.includes("query Digest")) reads++;
  });
  await page.getByRole("button", { name: "Digest" }).click();
  await page.getByText("Nothing has happened yet.").waitFor();
  for (let i = 1; i <= 40; i++) {
    await world.parley.say(alex, `word ${i}`);
    await page.locator(`[data-sequence="${i}"]`).waitFor();
  }
  const digest = page.getByRole("region", { name: "Digest" });
  await digest.getByText("40 messages", { exact: true }).first().waitFor();
  expect(reads).toBeLessThan(20);
});

test("on a phone the digest is a tab, and what it leads to comes to the front", async () => {
  const alex = await world.parley.create();
  await world.parley.post(`/sessions/${alex.ref}/messages`, { content: "Done so.", kind: "decision" }, alex);
  await world.parley.post(`/sessions/${alex.ref}/doc/append`, { text: "a finding" }, alex);
  const page = await world.open(`/s/${alex.ref}`, { viewport: { width: 360, height: 740 } });
  await page.getByRole("tab", { name: "Digest" }).click();
  await page
    .getByRole("region", { name: "Decisions" })
    .getByRole("button", { name: /Done so/ })
    .click();
  await page.getByRole("log").getByText("Done so.").waitFor();
  await page.getByRole("tab", { name: "Digest" }).click();
  await page.getByRole("region", { name: "Document" }).getByRole("button", { name: /v1/ }).click();
  await page.getByText("a finding").waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
});
