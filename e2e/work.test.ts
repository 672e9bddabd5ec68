import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { until } from "../testing/server.ts";
import { barriersOf } from "./barriers.ts";
import { useWorld } from "./world.ts";

const world = useWorld();

const add = (team: Awaited<ReturnType<typeof world.parley.create>>, ...tasks: unknown[]) =>
  world.parley.post(`/sessions/${team.ref}/tasks`, { tasks }, team);
const workOf = (page: Page) => page.getByRole("region", { name: "Work", exact: true });
const rowOf = (page: Page, task: number) => workOf(page).locator(`[data-task="${task}"]`);
const numbersOf = (page: Page) =>
  workOf(page)
    .locator("[data-task]")
    .evaluateAll((rows) => rows.map((row) => Number((row as HTMLElement).dataset.task)));

test("a person divides the work by keyboard alone, and a second tab sees each step", { timeout: 60_000 }, async () => {
  const alex = await world.parley.create();
  const [page, second] = [await world.open(`/s/${alex.ref}`), await world.open(`/s/${alex.ref}?tab=work`)];
  await page.getByRole("tab", { name: "Work" }).press("Enter");
  await workOf(second).getByText("The work is not divided yet").waitFor();

  await workOf(page).getByLabel("Title of a new task").fill("Port refunds");
  await page.keyboard.press("Enter");
  const who = page.getByRole("dialog", { name: "Say who you are" });
  await who.getByLabel("Your name").fill("Robin");
  await page.keyboard.press("Enter");
  await rowOf(second, 1).getByText("Port refunds").waitFor();

  await workOf(page).getByRole("button", { name: "More", exact: true }).press("Enter");
  await workOf(page).getByLabel("Title of a new task").fill("Remove the old client");
  await workOf(page).getByLabel("Waits for tasks").fill("1, 7");
  await page.keyboard.press("Enter");
  await workOf(page).getByRole("alert").getByText("There is no task 7.").waitFor();
  await workOf(page).getByLabel("Waits for tasks").fill("1");
  await page.keyboard.press("Enter");
  await rowOf(second, 2).getByText("Waits for 1 (nobody has taken it yet)").waitFor();

  await rowOf(page, 1).getByRole("button", { name: "Claim task 1" }).press("Enter");
  await rowOf(second, 2).getByText("Waits for 1 (Robin is at it)").waitFor();
  await rowOf(page, 1).getByRole("button", { name: "Port refunds" }).press("Enter");
  await rowOf(page, 1).getByRole("button", { name: "Finish it…" }).press("Enter");
  await page.keyboard.type("All three providers.");
  await page.keyboard.press("Control+Enter");
  await rowOf(second, 2).getByRole("button", { name: "Claim task 2" }).waitFor();
  await workOf(second).getByRole("button", { name: "Done 1" }).press("Enter");
  await rowOf(second, 1).getByText("reported").waitFor();
});

test("what a team calls done a person verifies or refutes, and a second tab sees it", async () => {
  const alex = await world.parley.create();
  await add(alex, "Port refunds");
  const done = { status: "done", result: "All three providers." };
  await world.parley.post(`/sessions/${alex.ref}/tasks/1`, done, alex);
  const [page, second] = await Promise.all([1, 2].map(() => world.open(`/s/${alex.ref}?tab=work&task=1`)));
  if (!page || !second) throw new Error("no pages");
  const check = async (words: string) => {
    await rowOf(page, 1).getByRole("button", { name: "More about task 1" }).press("Enter");
    await page.getByRole("menuitem", { name: words, exact: true }).press("Enter");
  };
  await check("I checked it: it does not hold");
  const who = page.getByRole("dialog", { name: "Say who you are" });
  await who.getByLabel("Your name").fill("Robin");
  await page.keyboard.press("Enter");
  await rowOf(second, 1).getByText("refuted").waitFor();
  await check("I checked it: it holds");
  await rowOf(second, 1).getByText("verified").waitFor();
});

test("why a task is stuck is said in words that lead to what it waits for", async () => {
  const alex = await world.parley.create();
  const hostile = `<img src=x onerror="window.hacked = 1"> \u202egnp.exe`;
  await add(alex, hostile, { title: "Second", depends_on: [1], paths: ["src/api/"] }, { title: "Third" });
  await world.parley.post(`/sessions/${alex.ref}/tasks/claim`, { task: 1 }, alex);
  await world.parley.post(`/sessions/${alex.ref}/tasks/3`, { status: "blocked", result: "No **key**" }, alex);
  await world.parley.post(`/sessions/${alex.ref}/paths/claim`, { paths: ["web/"], note: "all of it" }, alex);
  const page = await world.open(`/s/${alex.ref}?tab=work&task=3`);
  await rowOf(page, 3).getByText("Blocked: No **key**").waitFor();
  await rowOf(page, 2).getByText("Waits for 1 (Alex's Team is at it)").waitFor();
  await rowOf(page, 1).getByText("⟨U+202E⟩gnp.exe").waitFor();
  const held = workOf(page).getByRole("region", { name: "Held paths" });
  await held.getByText("web/").waitFor();
  await held.getByText("all of it").waitFor();
  await rowOf(page, 2).getByRole("button", { name: "1", exact: true }).click();
  await page.waitForURL(/task=1/);
  expect(await page.evaluate(() => (window as { hacked?: number }).hacked)).toBeUndefined();
});

test("the order is changed by keys and by dragging, and is the order in which tasks are handed out", async () => {
  const alex = await world.parley.create();
  await add(alex, "One", "Two", "Three", "Four");
  const page = await world.open(`/s/${alex.ref}?tab=work`);
  await page.getByRole("link", { name: "Say who you are" }).click();
  await page.getByLabel("Your name").fill("Robin");
  await page.keyboard.press("Enter");
  await rowOf(page, 3).getByRole("button", { name: "Three" }).press("Alt+ArrowUp");
  await until(async () => (await numbersOf(page)).join() === "1,3,2,4", "the third to come before the second");
  expect(
    await rowOf(page, 3)
      .getByRole("button", { name: "Three" })
      .evaluate((it) => it === document.activeElement),
  ).toBe(true);

  await rowOf(page, 4).hover();
  const [from, to] = [await rowOf(page, 4).boundingBox(), await rowOf(page, 1).boundingBox()];
  if (!from || !to) throw new Error("no rows");
  await page.mouse.move(from.x + 8, from.y + 18);
  await page.mouse.down();
  await page.mouse.move(from.x + 8, from.y, { steps: 3 });
  await page.mouse.move(to.x + 8, to.y + 4, { steps: 8 });
  await page.mouse.up();
  await until(async () => (await numbersOf(page)).join() === "4,1,3,2", "the fourth to come first");
  const next = async () => (await world.parley.post(`/sessions/${alex.ref}/tasks/claim`, {}, alex)).body.task;
  await until(
    async () => (await world.parley.get(`/sessions/${alex.ref}/tasks?task=4`, alex)).body.tasks[0].priority > 0,
    "the server to know",
  );
  expect([await next(), await next(), await next(), await next()]).toEqual([4, 1, 3, 2]);
});

test("of a thousand tasks only those in sight are drawn, and a change brings that change", async () => {
  const alex = await world.parley.create();
  for (let n = 0; n < 10; n++)
    await add(alex, ...Array.from({ length: 100 }, (_, i) => `task number ${n * 100 + i + 1}`));
  const page = await world.open(`/s/${alex.ref}?tab=work`);
  await workOf(page).getByRole("button", { name: "Open 1000" }).waitFor();
  expect((await numbersOf(page)).length).toBeLessThan(40);
  const answers: Promise<string>[] = [];
  page.on("response", (response) => {
    if (response.request().postData()?.includes("query Tasks")) answers.push(response.text());
  });
  await world.parley.say(alex, "words are no work");
  await world.parley.post(`/sessions/${alex.ref}/tasks/claim`, { task: 700 }, alex);
  await rowOf(page, 700).waitFor();
  const told = (await Promise.all(answers)).map((text) => JSON.parse(text).data.session.tasksSince.nodes.length);
  expect(told.filter((rows) => rows > 5)).toEqual([]);
});

test("the work has no serious barrier on a phone", async () => {
  const alex = await world.parley.create();
  await add(
    alex,
    { title: "One", body: "What **is** to be done", paths: ["src/a/"] },
    { title: "Two", depends_on: [1] },
    "Three",
  );
  await world.parley.post(`/sessions/${alex.ref}/tasks/claim`, { task: 3 }, alex);
  await world.parley.post(`/sessions/${alex.ref}/tasks/3`, { status: "done", result: "It is." }, alex);
  const page = await world.open(`/s/${alex.ref}`, { viewport: { width: 390, height: 844 } });
  await page.getByRole("tab", { name: "Work" }).click();
  await rowOf(page, 1).getByRole("button", { name: "One" }).click();
  await rowOf(page, 1).getByText("What is to be done").waitFor();
  await workOf(page).getByRole("button", { name: "Done 1" }).click();
  await rowOf(page, 3).waitFor();
  expect(await barriersOf(page, "work")).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
});
