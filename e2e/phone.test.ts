import { expect, test } from "vitest";
import { useWorld } from "./world.ts";

const world = useWorld();
const PHONE = { viewport: { width: 390, height: 844 } };

const busy = async () => {
  const alex = await world.parley.create("Alex's Team", "Move billing and tax to the new API, all of it");
  for (const name of ["Team Blue", "Team Green", "Team Red"]) await world.parley.join(alex, name);
  const description = "Split the call sites between us, port them, and prove that invoices stay the same to the cent.";
  await world.parley.post(`/sessions/${alex.ref}/metadata`, { description, reason: "more words" }, alex);
  await world.parley.say(alex, "the words of a message");
  await world.parley.post(`/sessions/${alex.ref}/doc/append`, { text: "## Goals\n\nto the cent" }, alex);
  return alex;
};

test("on a phone the top of a session leaves most of the screen to what the teams say", async () => {
  const alex = await busy();
  const page = await world.open(`/s/${alex.ref}`, PHONE);
  const feed = page.getByRole("log");
  await feed.getByText("the words of a message").waitFor();
  const header = await page.getByRole("banner").last().boundingBox();
  expect(header?.height).toBeLessThan(844 / 5);
  for (const name of ["Timeline", "Export", "Connect an agent"]) await page.getByRole("button", { name }).waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
});

test("on a phone a concluded session opens with how it ended, unless the address names a message", async () => {
  const alex = await busy();
  await world.parley.post(`/sessions/${alex.ref}/conclude`, { summary_section: "All is ported." }, alex);
  const page = await world.open(`/s/${alex.ref}`, PHONE);
  await page.getByRole("region", { name: "Conclusion" }).getByText("All is ported.").waitFor();
  const version = page.getByLabel("Version", { exact: true });
  expect((await version.boundingBox())?.width).toBeLessThan(100);
  expect(await version.locator("xpath=..").innerText()).toMatch(/v2$/);

  const linked = await world.open(`/s/${alex.ref}#5`, PHONE);
  await linked.getByRole("log").getByText("the words of a message").waitFor();
});

test("on a phone the kinds of agents stand in even rows, all in sight", async () => {
  const page = await world.open("/", PHONE);
  await page.getByRole("button", { name: "Connect an agent" }).click();
  const tabs = page.getByRole("dialog").getByRole("tab");
  await tabs.first().waitFor();
  const rows = Map.groupBy(
    await tabs.evaluateAll((all) => all.map((tab) => tab.getBoundingClientRect().top)),
    (y) => y,
  );
  expect([...rows.values()].map((row) => row.length)).toEqual([3, 3, 3]);
  expect(await tabs.evaluateAll((all) => all.filter((tab) => tab.scrollWidth > tab.clientWidth).length)).toBe(0);
});
