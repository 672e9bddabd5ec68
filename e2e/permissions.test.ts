import { expect, test } from "vitest";
import { agents } from "../api/tests/verbs/runs.ts";
import { signIn } from "../testing/access.ts";
import { barriersOf } from "./barriers.ts";
import { signedIn, useWorld } from "./world.ts";

const world = useWorld();

/** An agent at work in a session, on a runner of its own. */
async function atWork(runner: string) {
  const run = agents(() => world.parley);
  const alex = await world.parley.create("Alex's Team", "With agents");
  await world.parley.say(alex, "Let us begin.");
  run.must(await run.offer(runner));
  const ada = await signIn(world.parley, "Ada");
  run.must(await run.spawn(alex, { agent: "claude", prompt: "Port refunds.", team_name: "Refunds", runner }));
  const agent = run.must(await run.take(runner));
  run.must(await run.report(agent, { status: "working" }));
  return { run, alex, agent, ada };
}

test("what an agent asks to be allowed stands under the feed, in the header and in Now, and is answered in any of them", async () => {
  const { run, alex, agent, ada } = await atWork("studio");
  const page = await world.open(`/s/${alex.ref}?tab=now`, signedIn(world, ada));
  await page.getByRole("log").getByText("Let us begin.").waitFor();
  const underFeed = page.getByRole("region", { name: "Asked for permission" });
  const inNow = page.getByRole("region", { name: "Now" }).getByRole("region", { name: "Needs you" });
  expect(await underFeed.count()).toBe(0);

  const one = { request: "one", tool: "Write src/a.ts", input: { path: "src/a.ts" } };
  run.must(await run.ask(agent, one));
  await underFeed.getByText("Refunds asks to be allowed: Write src/a.ts").waitFor();
  await inNow.getByText("Refunds asks to be allowed: Write src/a.ts").waitFor();
  await page.getByRole("button", { name: "1 thing needs you" }).waitFor();
  await underFeed.getByText("With what").press("Enter");
  await underFeed.getByText("path: src/a.ts").waitFor();
  expect(await barriersOf(page, "permission")).toEqual([]);
  await underFeed.getByRole("button", { name: "Allow once" }).press("Enter");
  await underFeed.waitFor({ state: "detached" });
  expect(run.must(await run.ask(agent, one))).toMatchObject({ option: "allow_once" });
  await inNow.getByText("Refunds asks to be allowed").waitFor({ state: "detached" });

  const two = { request: "two", tool: "Run npm test" };
  run.must(await run.ask(agent, two));
  await inNow.getByRole("button", { name: "Reject once" }).press("Enter");
  await underFeed.waitFor({ state: "detached" });
  expect(run.must(await run.ask(agent, two))).toMatchObject({ option: "reject_once" });
});

test("on a phone it stands above the composer, and whoever has no name yet says it there", async () => {
  const { run, alex, agent } = await atWork("laptop");
  const page = await world.open(`/s/${alex.ref}`, { viewport: { width: 360, height: 740 }, hasTouch: true });
  const underFeed = page.getByRole("region", { name: "Asked for permission" });
  const one = { request: "one", tool: `Write ${"deep/".repeat(30)}a.ts` };
  run.must(await run.ask(agent, one));
  await underFeed.getByRole("button", { name: "Allow once" }).tap();
  await underFeed.getByLabel("Your name").fill("Robin");
  await page.keyboard.press("Enter");
  await underFeed.waitFor({ state: "detached" });
  expect(run.must(await run.ask(agent, one))).toMatchObject({ option: "allow_once" });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
});
