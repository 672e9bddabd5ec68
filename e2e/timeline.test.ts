import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { until } from "../testing/server.ts";
import { barriersOf } from "./barriers.ts";
import { useWorld } from "./world.ts";

const world = useWorld();

/** A day with one busy hour: a message every half a minute there, and hardly any elsewhere. */
async function busyDay() {
  const alex = await world.parley.create("Alex's Team", "A day");
  await world.sql(
    `insert into parley.messages (session_id, sequence, posted_by, type, content, posted_at)
     select $1, n, 1, 'chat', jsonb_build_object('text', 'message number ' || n),
       now() - interval '24 hours' + case when n <= 20 then n * interval '30 minutes' else interval '12 hours' + n * interval '30 seconds' end
     from generate_series(1, 140) n`,
    [alex.session_id],
  );
  await world.sql(
    "update parley.sessions set last_sequence = 140, last_message_at = now(), created_at = now() - interval '24 hours' where id = $1",
    [alex.session_id],
  );
  return alex;
}

const lane = (page: Page) => page.getByRole("region", { name: "Timeline" }).getByRole("img", { name: /^Alex's Team/ });
const inSight = async (page: Page) =>
  Number((await lane(page).getAttribute("aria-label"))?.match(/(\d+) messages/)?.[1]);

test("a busy hour is brought near by drawing over it, told on the axis, and moved along; pressing leads to a message", async () => {
  const alex = await busyDay();
  const page = await world.open(`/s/${alex.ref}?tab=timeline`);
  const timeline = page.getByRole("region", { name: "Timeline" });
  await until(async () => (await inSight(page)) === 140, "all of it");
  const whole = await timeline.locator("[aria-live]").innerText();
  const box = (await timeline.locator("[data-lanes]").boundingBox()) as { x: number; y: number; width: number };
  const [from, to] = [box.x + box.width * 0.5, box.x + box.width * 0.56];
  await page.mouse.move(to, box.y + 10);
  await page.mouse.down();
  await page.mouse.move(from, box.y + 10, { steps: 4 });
  await page.mouse.up();
  await until(async () => (await inSight(page)) < 130, "a part of it");
  expect(await inSight(page)).toBeGreaterThan(90);
  expect(await timeline.locator("[aria-live]").innerText()).not.toBe(whole);
  expect(page.url()).not.toContain("#");

  // The strip below shows where that is, and moves it.
  const strip = (await timeline.locator("[data-overview]").boundingBox()) as { x: number; y: number; width: number };
  await page.mouse.click(strip.x + strip.width * 0.1, strip.y + 5);
  await until(async () => (await inSight(page)) < 10, "the quiet morning");
  await page.mouse.click(strip.x + strip.width * 0.53, strip.y + 5);
  await until(async () => (await inSight(page)) > 90, "the busy hour again");
  await page.mouse.click(box.x + box.width * 0.5, box.y + 10);
  await until(async () => /#\d+$/.test(page.url()), "the feed to be led to a message");
  expect(Number(page.url().split("#")[1])).toBeGreaterThan(20);

  await page.mouse.move(box.x + box.width * 0.5, box.y + 10);
  await page.keyboard.down("Control");
  for (let i = 0; i < 4; i++) await page.mouse.wheel(0, -200);
  await page.keyboard.up("Control");
  await until(async () => (await inSight(page)) < 110, "to come closer");
  await timeline.getByRole("button", { name: "All of it" }).click();
  await until(async () => (await inSight(page)) === 140, "all of it again");
  expect(await timeline.locator("[data-overview]").count()).toBe(0);
});

test("by keys alone: closer, farther, earlier, later, all of it", async () => {
  const alex = await busyDay();
  const page = await world.open(`/s/${alex.ref}?tab=timeline#100`);
  await until(async () => (await inSight(page)) === 140, "all of it");
  for (let i = 0; i < 6; i++) await page.keyboard.press("+");
  // What the address names stays in sight.
  await until(async () => (await inSight(page)) < 60, "to come closer");
  expect(await inSight(page)).toBeGreaterThan(0);
  expect(await barriersOf(page, "timeline")).toEqual([]);
  const shown = () => page.getByRole("region", { name: "Timeline" }).locator("[aria-live]").innerText();
  const here = await shown();
  await page.getByRole("region", { name: "Timeline" }).getByRole("button", { name: "Earlier" }).press("Enter");
  await until(async () => (await shown()) !== here, "to go back in time");
  await page.getByRole("region", { name: "Timeline" }).locator("[tabindex='0']").focus();
  await page.keyboard.press("ArrowRight");
  await until(async () => (await shown()) === here, "to come back");
  await page.keyboard.press("Home");
  await until(async () => (await shown()) !== here, "to go to the beginning");
  await page.keyboard.press("0");
  await until(async () => (await inSight(page)) === 140, "all of it again");
  await page.keyboard.press("?");
  await page.getByRole("dialog").getByText("Timeline: closer").waitFor();
});

test("of a long feed every message of a short stretch is there", async () => {
  const alex = await world.parley.create("Alex's Team", "Long");
  await world.sql(
    `insert into parley.messages (session_id, sequence, posted_by, type, content, posted_at)
     select $1, n, 1, 'chat', '{"text": "x"}', now() - interval '1 hour' + n * interval '1 second' from generate_series(1, 3000) n`,
    [alex.session_id],
  );
  await world.sql(
    "update parley.sessions set last_sequence = 3000, created_at = now() - interval '1 hour' where id = $1",
    [alex.session_id],
  );
  const page = await world.open(`/s/${alex.ref}?tab=timeline`);
  await until(async () => (await inSight(page)) === 500, "a sample");
  for (let i = 0; i < 4; i++) await page.keyboard.press("+");
  // A sixteenth of an hour holds 225 of them, of which the sample knew fewer than 40.
  await until(async () => (await inSight(page)) > 150, "all of the stretch");
});

test("on a phone the buttons do it, and nothing is wider than the screen", async () => {
  const alex = await busyDay();
  const page = await world.open(`/s/${alex.ref}?tab=timeline`, {
    viewport: { width: 360, height: 740 },
    hasTouch: true,
  });
  await until(async () => (await inSight(page)) === 140, "all of it");
  await page.getByRole("button", { name: "Closer" }).tap();
  await page.getByRole("button", { name: "Earlier" }).tap();
  await until(async () => (await inSight(page)) < 140, "to come closer");
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
  expect(await barriersOf(page, "timeline on a phone")).toEqual([]);
});
