import { expect, test } from "vitest";
import { until } from "../testing/server.ts";
import { fillFeed, useWorld } from "./world.ts";

const MESSAGES = 100_000;
const world = useWorld();

test("in a feed of 100,000 a permalink opens at its message, and scrolling keeps the page small", {
  timeout: 90_000,
}, async () => {
  const alex = await world.parley.create();
  await fillFeed(world, alex, MESSAGES);
  const page = await world.open(`/s/${alex.ref}#50000`);
  const old = page.locator('[data-sequence="50000"]');
  await old.getByText("message number 50000").waitFor();
  expect(await old.evaluate((row) => row.getBoundingClientRect().top)).toBeGreaterThan(0);

  const log = page.getByRole("log");
  for (let i = 0; i < 20; i++) await log.evaluate((box, up) => box.scrollBy(0, up ? -5_000 : 7_000), i % 3 === 0);
  await until(async () => (await page.locator("[data-sequence]").count()) > 5, "rows to be there");
  expect(await page.locator("[data-sequence]").count()).toBeLessThan(150);

  await until(async () => {
    await log.evaluate((box) => box.scrollTo(0, 0));
    return page.getByText("message number 1", { exact: true }).isVisible();
  }, "the first message");
});

test("a reader of old messages is not moved by new ones, but told", async () => {
  const alex = await world.parley.create();
  await fillFeed(world, alex, 300);
  const page = await world.open(`/s/${alex.ref}#20`);
  const row = page.locator('[data-sequence="20"]');
  await row.getByText("message number 20").waitFor();
  const top = () => row.evaluate((element) => Math.round(element.getBoundingClientRect().top));
  let before = await top();
  // The rows around it are measured as they appear; only then does the place mean something.
  await until(async () => {
    const last = before;
    before = await new Promise<number>((resolve) => setTimeout(() => resolve(top()), 250));
    return before === last;
  }, "the feed to come to rest");
  await world.parley.say(alex, "news");
  await page.getByRole("button", { name: /1 new/ }).waitFor();
  expect(Math.abs((await top()) - before)).toBeLessThanOrEqual(2);
  await page.getByRole("button", { name: /1 new/ }).click();
  await page.getByText("news", { exact: true }).waitFor();
  await page.goto(`${page.url().split("#")[0]}#21`);
  await row.getByText("message number 20").waitFor();
  await page.keyboard.press(".");
  await page.getByText("news", { exact: true }).waitFor();
});
