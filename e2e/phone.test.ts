import type { Locator } from "playwright-core";
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
  // How many teams there are stands beside those who have room, not under them.
  const teams = page.getByRole("button", { name: /^Teams\./ });
  const left = (of: Locator) => of.boundingBox().then((box) => box?.x ?? 0);
  const lastShown = await teams.locator("span > span").nth(1).boundingBox();
  expect(await left(teams.getByText("4", { exact: true }))).toBeGreaterThan(
    (lastShown?.x ?? 0) + (lastShown?.width ?? 0),
  );
  await page.getByRole("button", { name: "Actions" }).click();
  for (const name of ["Export as JSON", "Connect an agent"]) await page.getByRole("menuitem", { name }).waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
});

test("on a phone a concluded session opens with how it ended, unless the address names a message", async () => {
  const alex = await busy();
  await world.parley.post(`/sessions/${alex.ref}/conclude`, { summary_section: "All is ported." }, alex);
  const page = await world.open(`/s/${alex.ref}`, PHONE);
  await page.getByRole("region", { name: "Conclusion" }).getByText("All is ported.").waitFor();
  const version = page.getByLabel("Version", { exact: true });
  expect((await version.boundingBox())?.width).toBeLessThan(100);
  expect(await version.innerText()).toBe("v2");

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

test("on a phone the page to sign in, keys, people and audit fit", async () => {
  await world.parley.post("/keys", {
    name: "A key with a name that is longer than a phone is wide",
    scopes: ["read", "team", "run", "admin"],
  });
  await world.sql(
    "insert into parley_private.users (name, role, email) values ('Ada', 'owner', 'a.long.address.of.somebody@mail.example.com')",
  );
  for (const path of ["/sign-in", "/settings/keys", "/settings/people", "/settings/audit"]) {
    const page = await world.open(path, PHONE);
    await page.getByRole("heading").first().waitFor();
    await page.waitForLoadState("networkidle");
    expect([path, await page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([path, 390]);
    await world.close(page);
  }
});

test("on a phone a visitor says who they are once, and changes their mind", async () => {
  const page = await world.open("/", PHONE);
  await page.getByRole("link", { name: "Say who you are" }).click();
  await page.getByLabel("Your name").fill("Adda");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("button", { name: "You are Adda" }).click();
  await page.getByRole("menuitem", { name: "Change your name" }).click();
  await page.getByLabel("Your name").fill("Ada");
  await page.getByRole("button", { name: "Change it" }).click();
  await page.getByRole("button", { name: "You are Ada" }).click();
  await page.getByRole("menuitem", { name: "Sign out", exact: true }).click();
  await page.getByRole("link", { name: "Say who you are" }).waitFor();
});
