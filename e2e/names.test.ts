import { expect, test } from "vitest";
import { rosterOf, useWorld } from "./world.ts";

const world = useWorld();

const DISGUISES = [
  "Blue\u202e",
  "\u2067Blue",
  "Bl\u200bue",
  "Bl\u200due",
  "Blue\u3164",
  "Blue\n",
  "Blue\u{e0041}",
  "\u0007Blue",
  "blue ",
];

test("no name on the page looks like that of another team", { timeout: 60_000 }, async () => {
  const { parley } = world;
  const blue = await parley.create("Blue", "Names");
  await parley.say(blue, "the real one");
  for (const name of DISGUISES) await parley.say(await parley.join(blue, name), `said ${DISGUISES.indexOf(name)}`);
  const page = await world.open(`/s/${blue.ref}`);
  await page
    .getByRole("log")
    .getByText(`said ${DISGUISES.length - 1}`)
    .waitFor();
  const roster = (await rosterOf(page)).locator("bdi");
  const names = await roster.allInnerTexts();
  expect(names).toHaveLength(DISGUISES.length + 1);
  expect(new Set(names.map((name) => name.trim().toLowerCase())).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^[\p{L}\p{N}\p{P}\p{S} ]+$/u);
  const authors = await page.getByRole("log").locator("header bdi").allInnerTexts();
  expect(new Set(authors.map((name) => name.trim().toLowerCase())).size).toBe(authors.length);
  for (const author of authors) expect(names).toContain(author);
});

test("titles stay on their line and in their direction, in the list, on the page and in the tab", async () => {
  const { parley } = world;
  const title = `Port\n\u202ebilling\u2028 ${"﷽".repeat(80)}`;
  const alex = await parley.create("Alex's Team", title);
  const shown = /^Port⟨U\+000A⟩⟨U\+202E⟩billing⟨U\+2028⟩ ﷽+/;
  const page = await world.open(`/s/${alex.ref}`);
  expect(await page.getByRole("heading", { level: 1 }).innerText()).toMatch(shown);
  expect(await page.title()).toMatch(shown);
  const width = () => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  expect(await width()).toBe(0);
  await page.goto(parley.url);
  expect(await page.getByRole("link", { name: /billing/ }).innerText()).toMatch(shown);
  expect(await width()).toBe(0);
});
