import { expect, test } from "vitest";
import { barriersOf } from "./barriers.ts";
import { useWorld } from "./world.ts";

const world = useWorld();

test("the palette finds what was said and written in any session, marks it, and leads there by keys alone", async () => {
  const { parley } = world;
  const alex = await parley.create("Alex's Team", "Where it was said");
  for (let i = 1; i <= 80; i++) await parley.say(alex, i === 9 ? "The carousel turns too fast" : `word ${i}`);
  const blue = await parley.create("Team Blue", "Where it was written");
  const text = `## Goals\n\n${"A line.\n\n".repeat(60)}## Findings\n\nThe carousel ignores reduced motion.\n\n${"More.\n\n".repeat(60)}`;
  await parley.post(`/sessions/${blue.ref}/doc/append`, { text }, blue);

  const page = await world.open("/");
  await page.getByRole("link", { name: "Where it was said" }).waitFor();
  await page.keyboard.press("Control+k");
  const palette = page.getByRole("dialog", { name: "Go to" });
  const find = async (words: string) => {
    await palette.getByRole("combobox").fill(words);
    await palette.getByRole("group", { name: "Messages" }).waitFor();
  };
  await find("carous");
  const said = palette.getByRole("group", { name: "Messages" }).getByRole("option");
  expect(await said.locator("mark").allInnerTexts()).toEqual(["carousel"]);
  expect(await said.innerText()).toMatch(/^The carousel turns too fast\s+Where it was said/);
  const written = palette.getByRole("group", { name: "Documents" }).getByRole("option");
  expect(await written.innerText()).toContain("Findings");
  expect(await barriersOf(page, "palette")).toEqual([]);
  /** The option that a screen reader is told to read. */
  const active = async () => {
    const id = await palette.getByRole("combobox").getAttribute("aria-activedescendant");
    return palette.locator(`[id="${id}"]`).innerText();
  };
  expect(await active()).toMatch(/^The carousel turns too fast/);
  await page.keyboard.press("ArrowDown");
  await expect.poll(active).toContain("Findings");
  await page.keyboard.press("ArrowUp");
  await expect.poll(active).toMatch(/^The carousel turns too fast/);

  await page.keyboard.press("Enter");
  await page.locator('[data-sequence="9"]').getByText("turns too fast").waitFor();
  expect(new URL(page.url()).pathname + new URL(page.url()).hash).toBe(`/s/${alex.ref}#9`);

  // Inside a session its own commands stand beside what is found.
  await page.keyboard.press("Control+k");
  await palette.getByRole("combobox").fill("pause");
  await palette.getByRole("group", { name: "In this session" }).getByRole("option", { name: /Pause/ }).waitFor();
  await find("carousel ignores".slice(0, 8));
  await palette.getByRole("group", { name: "Documents" }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page
    .getByRole("region", { name: /^Document, version/ })
    .getByText("ignores reduced motion")
    .waitFor();
  expect(page.url()).toContain(`/s/${blue.ref}?tab=doc&section=Findings`);
  await expect
    .poll(() => page.getByRole("heading", { name: "Findings" }).evaluate((h) => h.getBoundingClientRect().top))
    .toBeLessThan(600);
});

test("a message of the session that is open is jumped to, and on a phone the palette fits", async () => {
  const { parley } = world;
  const alex = await parley.create();
  for (let i = 1; i <= 80; i++) await parley.say(alex, i === 4 ? `${"long ".repeat(40)} aardvark` : `word ${i}`);
  const page = await world.open(`/s/${alex.ref}?tab=doc`, { viewport: { width: 360, height: 740 }, hasTouch: true });
  await page.getByRole("tab", { name: "Document" }).waitFor();
  await page.keyboard.press("Control+k");
  const palette = page.getByRole("dialog", { name: "Go to" });
  await palette.getByRole("combobox").fill("aardvark");
  const found = palette.getByRole("group", { name: "Messages" }).getByRole("option");
  await found.locator("mark").getByText("aardvark").waitFor();
  expect(await barriersOf(page, "palette on a phone")).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
  await found.tap();
  await page.getByRole("log").locator('[data-sequence="4"]').getByText("aardvark").waitFor();
});

test("words that nobody said find nothing, and what was found for other words is gone", async () => {
  const alex = await world.parley.create();
  await world.parley.say(alex, "quicksilver");
  const page = await world.open("/");
  await page.getByRole("heading", { name: "Sessions" }).waitFor();
  await page.keyboard.press("Control+k");
  const palette = page.getByRole("dialog", { name: "Go to" });
  await palette.getByRole("combobox").fill("quicksilver");
  await palette.locator("mark").waitFor();
  await palette.getByRole("combobox").fill("zeppelin");
  await palette.getByText("Nothing found.").waitFor();
  expect(await palette.getByRole("option").count()).toBe(0);
});

test("the palette is there before it is asked for: the first letters are in it, and the first that it shows is in sight", async () => {
  const { parley } = world;
  const { ref } = await parley.create("Team 1", "Early 1");
  const page = await world.open(`/s/${ref}`);
  await page.getByRole("heading", { name: "Early 1" }).waitFor();
  const isLoaded = () => performance.getEntriesByType("resource").some(({ name }) => name.includes("command-palette"));
  await expect.poll(() => page.evaluate(isLoaded), { timeout: 10_000 }).toBe(true);

  // The sessions come when the commands are there already.
  let answer = () => {};
  const asked = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route("**/graphql", async (route) => {
    if (route.request().postData()?.includes("PaletteSessions")) await asked;
    await route.continue();
  });
  const palette = page.getByRole("dialog", { name: "Go to" });
  await page.keyboard.press("Control+k");
  const scrolled = () => palette.getByRole("listbox").evaluate((list) => list.scrollTop);
  await palette.getByRole("option").first().waitFor();
  expect(await scrolled()).toBe(0);
  answer();
  await palette.getByRole("option", { name: /Early 1/ }).waitFor();
  expect(await scrolled()).toBe(0);

  await page.keyboard.press("Escape");
  await palette.waitFor({ state: "detached" });
  await page.keyboard.press("Control+k");
  await page.keyboard.type("early");
  await expect.poll(() => palette.getByRole("combobox").inputValue()).toBe("early");
});
