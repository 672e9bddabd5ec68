import type { BrowserContextOptions, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { agents } from "../api/tests/verbs/runs.ts";
import { type Person, signIn } from "../testing/access.ts";
import type { Team } from "../testing/server.ts";
import { barriersOf } from "./barriers.ts";
import { rosterOf, signedIn, useWorld } from "./world.ts";

const world = useWorld();
const PHONE = { viewport: { width: 390, height: 844 } };
const HOSTILE = '<img src=x onerror="alert(1)"> \u202e [x](javascript:alert(1)) **bold** @nobody';

/** The page of somebody who is signed in. */
const openAs = (person: Person, path: string, options: BrowserContextOptions = {}) =>
  world.open(path, { ...options, ...signedIn(world, person) });

const replyTo = async (team: Team, cursor: number) =>
  (await world.parley.get(`/sessions/${team.ref}/messages/${cursor}/replies?timeout=30`, team)).body;
const ask = async (team: Team, about: object) =>
  (await world.parley.post(`/sessions/${team.ref}/ask`, about, team)).body.cursor as number;

describe("speaking", () => {
  test("a visitor says a name once, and the first word joins: by keys alone, seen by everybody at once", async () => {
    const alex = await world.parley.create("Alex's Team", "Spoken in");
    await world.parley.join(alex, "Team Blue");
    const [page, other] = [await world.open(`/s/${alex.ref}`), await world.open(`/s/${alex.ref}`)];
    await page.getByRole("textbox", { name: "Message" }).waitFor();
    await page.keyboard.press("c");
    await page.keyboard.type("Over to you, @blu");
    await page.getByRole("option", { name: /team-blue/ }).waitFor();
    await page.keyboard.press("Enter");
    await page.keyboard.type(HOSTILE);
    expect(await page.getByRole("textbox", { name: "Message" }).inputValue()).toBe(
      `Over to you, @team-blue ${HOSTILE}`,
    );
    await page.getByLabel("Your name").fill("Ada");
    await page.keyboard.press("c");
    await page.getByRole("textbox", { name: "Message" }).press("Control+Enter");
    for (const each of [page, other]) {
      const row = each.getByRole("log").getByRole("article", { name: /Message \d+ of Ada/ });
      await row.getByText("bold", { exact: true }).waitFor();
      expect(await row.innerText()).toContain("⟨U+202E⟩");
      expect(await row.innerText()).toContain("Team Blue");
    }
    await page.getByRole("button", { name: "You are Ada" }).waitFor();
    expect(await page.getByLabel("Your name").count()).toBe(0);
    await page.getByRole("list", { name: "Not in the feed yet" }).waitFor({ state: "detached" });
  });

  test("a draft outlives a reload, and words that were not sent stay, with the reason, until they are", async () => {
    const alex = await world.parley.create("Alex's Team", "Kept words");
    const page = await openAs(await signIn(world.parley, "Grace"), `/s/${alex.ref}`);
    const field = page.getByRole("textbox", { name: "Message" });
    await field.fill("Not lost");
    await page.reload();
    await page.waitForFunction(() => document.querySelector("textarea")?.value === "Not lost");
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByRole("button", { name: "Write" }).click();

    await page.route("**/graphql", (route) =>
      route.request().postData()?.includes("PostMessage") ? route.abort() : route.continue(),
    );
    await field.press("Control+Enter");
    const unsent = page.getByRole("list", { name: "Not in the feed yet" });
    await unsent.getByText("The server does not answer.").waitFor();
    await page.unroute("**/graphql");
    await page.reload();
    await unsent.getByText("Not lost").waitFor();
    await unsent.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("log").getByText("Not lost").waitFor();
    await unsent.waitFor({ state: "detached" });
    // What the server refuses is told in its words.
    await world.parley.post(`/sessions/${alex.ref}/access`, { mode: "read_only" }, alex);
    await page.getByText("In this session people read, and do not write.").waitFor();
    await page.getByText("Its convener or an owner can change its mode").waitFor();
    expect(await field.count()).toBe(0);
  });

  test("a viewer is told why there is nothing to write in", async () => {
    const alex = await world.parley.create();
    const page = await openAs(await signIn(world.parley, "Vera", "viewer"), `/s/${alex.ref}`);
    await page.getByText("Viewers read; they do not write. Ask an owner to make you a member.").waitFor();
    await page.getByRole("button", { name: "Actions" }).press("Enter");
    await page.getByRole("menuitem", { name: "Export as Markdown" }).waitFor();
    expect(await page.getByRole("menuitem", { name: /Pause|Conclude|Rename|Remove/ }).count()).toBe(0);
  });
});

describe("answering", () => {
  test("by keys alone a person answers an agent's question, and the agent has the answer", async () => {
    const alex = await world.parley.create("Alex's Team", "Asked");
    const page = await openAs(await signIn(world.parley, "Iris"), `/s/${alex.ref}`);
    const cursor = await ask(alex, { question: "Ship it?", options: ["yes", "no"], default: "no", expires_in: "1h" });
    const answered = replyTo(alex, cursor);
    const row = page.locator(`[data-sequence="${cursor}"]`);
    await row.getByText("then the answer is no").waitFor();
    await row.getByRole("button", { name: "yes" }).press("Enter");
    await row.getByText("iris answered").waitFor();
    expect(JSON.stringify(await answered)).toContain('"yes"');

    // An ordinary question is answered by a reply: r on the message.
    const { cursor: plain } = (
      await world.parley.post(`/sessions/${alex.ref}/messages`, { content: "And when?", kind: "question" }, alex)
    ).body;
    const question = page.locator(`[data-sequence="${plain}"]`);
    await question.waitFor();
    await question.focus();
    await page.keyboard.press("r");
    await page.getByText(`Reply to #${plain}`).waitFor();
    await page.keyboard.type("Tomorrow.");
    await page.keyboard.press("Control+Enter");
    await page.getByRole("log").getByText("Tomorrow.").waitFor();
    const { messages } = await replyTo(alex, plain);
    expect(messages).toMatchObject([{ kind: "answer", content: { text: "Tomorrow." }, sender: "human" }]);
  });

  test("on a phone it is answered from the top of the page, in one's own words", async () => {
    const alex = await world.parley.create("Alex's Team", "Asked on the way");
    const cursor = await ask(alex, { question: "Which **region**?", options: ["eu", "us"] });
    for (let n = 0; n < 30; n++) await world.parley.say(alex, `line ${n}`);
    const page = await openAs(await signIn(world.parley, "Pia"), `/s/${alex.ref}`, PHONE);
    await page.getByRole("button", { name: "1 thing needs you" }).click();
    const card = page.getByRole("dialog", { name: "What needs you" });
    await card.getByText("region").waitFor();
    expect(await barriersOf(page, "needs you")).toEqual([]);
    await card.getByRole("button", { name: "In your own words" }).click();
    await card.getByRole("textbox").fill("Both, one after the other.");
    await card.getByRole("button", { name: "Answer", exact: true }).click();
    await page.getByRole("button", { name: "1 thing needs you" }).waitFor({ state: "detached" });
    expect(JSON.stringify(await replyTo(alex, cursor))).toContain("Both, one after the other.");
  });
});

describe("leading", () => {
  const act = async (page: Page, name: string) => {
    await page.getByRole("button", { name: "Actions" }).press("Enter");
    await page.getByRole("menuitem", { name, exact: name.endsWith("…") }).press("Enter");
    return page.getByRole("dialog");
  };

  test("by keys alone a person pauses the agents, removes a team and concludes; a second tab sees it", {
    timeout: 60_000,
  }, async () => {
    const alex = await world.parley.create("Alex's Team", "Led");
    const blue = await world.parley.join(alex, "Team Blue");
    const ada = await signIn(world.parley, "Ada");
    const [page, other] = [await openAs(ada, `/s/${alex.ref}`), await world.open(`/s/${alex.ref}`)];
    const say = () => world.parley.post(`/sessions/${alex.ref}/messages`, { content: "On I go" }, blue);

    await say();
    await world.parley.say(alex, "As agreed in #2.");
    await page.getByRole("log").getByRole("link", { name: "#2", exact: true }).waitFor();
    await page.getByRole("button", { name: "Actions" }).press("Enter");
    await page.getByRole("menuitem", { name: "Pause the agents" }).waitFor();
    expect(await barriersOf(page, "menu over a message that names another")).toEqual([]);
    await page.keyboard.press("Escape");
    const pause = await act(page, "Pause the agents");
    await pause.getByLabel("Reason").fill("Lunch");
    await page.keyboard.press("Enter");
    await other.getByRole("status").getByText("Paused by Ada: “Lunch”.").waitFor();
    expect((await say()).body.error).toMatchObject({ code: "session_paused", details: { reason: "Lunch" } });
    await page.getByRole("button", { name: "Let the agents go on" }).press("Enter");
    await page.getByRole("dialog").getByRole("button", { name: "Go on" }).press("Enter");
    await other.getByText("Paused by Ada").waitFor({ state: "detached" });
    expect((await say()).status).toBe(200);

    const rename = await act(page, "Rename");
    await rename.getByLabel("Title").fill("Led well");
    await rename.getByLabel("Reason").fill("It is");
    await page.keyboard.press("Enter");
    await other.getByRole("heading", { name: "Led well" }).waitFor();

    const teams = await rosterOf(page);
    expect(await barriersOf(page, "roster")).toEqual([]);
    const entry = teams.getByRole("listitem").filter({ hasText: "Team Blue" });
    await entry.getByRole("button", { name: "Remove" }).press("Enter");
    const remove = page.getByRole("dialog", { name: "Remove a team?" });
    expect(await remove.getByLabel("Team").innerText()).toBe("Team Blue");
    expect(await barriersOf(page, "remove")).toEqual([]);
    await remove.getByLabel("Reason").fill("Done here");
    await page.keyboard.press("Enter");
    await other.getByRole("log").getByText("Ada removed Team Blue: “Done here”").waitFor();
    expect((await say()).status).toBe(401);

    const conclude = await act(page, "Conclude …");
    await conclude.getByLabel("Summary").fill("All is said.");
    await conclude.getByRole("button", { name: "Conclude" }).press("Enter");
    await other.getByText("This session is concluded: nothing can be added.").waitFor();
    await other.getByRole("region", { name: "Conclusion" }).getByText("All is said.").waitFor();
  });

  test("an invitation link is made once, and deleting asks for the ref", async () => {
    const alex = await world.parley.create("Alex's Team", "Owned");
    const page = await openAs(await signIn(world.parley, "Olga", "owner"), `/s/${alex.ref}`);
    const invite = await act(page, "Invitation link");
    await invite.getByRole("button", { name: "Make the link" }).click();
    await invite.getByText(new RegExp(`/s/${alex.ref}#invite=pi_`)).waitFor();
    await page.keyboard.press("Escape");
    const remove = await act(page, "Delete");
    await remove.getByRole("textbox").fill("calm-otter-0");
    await page.keyboard.press("Enter");
    await remove.getByText(`That is not its ref, which is ${alex.ref}.`).waitFor();
    await remove.getByRole("textbox").fill(alex.ref);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "This session was deleted" }).waitFor();
  });
});

test("a person starts an agent on a runner, watches it, allows what it asks for, prompts it and stops it", {
  timeout: 60_000,
}, async () => {
  const run = agents(() => world.parley);
  const alex = await world.parley.create("Alex's Team", "With agents");
  run.must(await run.offer("studio", { repos: ["billing"] }));
  const page = await openAs(await signIn(world.parley, "Ada"), `/s/${alex.ref}?tab=agents`);
  await page.getByRole("button", { name: "Start an agent" }).press("Enter");
  const start = page.getByRole("dialog", { name: "Start an agent?" });
  expect(await start.getByLabel("Agent", { exact: true }).innerText()).toBe("claude on studio");
  await start.getByLabel("Prompt").fill("Port refunds.");
  await start.getByLabel("Name of the team").fill("Refunds");
  await start.getByRole("button", { name: "Start" }).press("Enter");
  const card = page.getByRole("list", { name: "Agents" }).getByRole("listitem", { name: "Refunds" });
  await card.getByText("queued").waitFor();

  const agent = run.must(await run.take("studio"));
  const events = [{ kind: "tool", title: `Read <b>a.ts</b>`, text: "the whole of a.ts" }];
  const worktree = { path: "/src/x", branch: "parley/x/refunds", ahead: 2, dirty: true };
  run.must(await run.report(agent, { status: "working", worktree, usage: { turns: 3, tokens: 1200 }, events }));
  for (const fact of ["working", "3 turns", "1,200 tokens", "parley/x/refunds", "2 commits ahead, uncommitted changes"])
    await card.getByText(fact).waitFor();
  await card.getByRole("button", { name: "Transcript" }).press("Enter");
  await card.getByRole("button", { name: /Read <b>a.ts<\/b>/ }).press("Enter");
  await card.getByText("the whole of a.ts").waitFor();
  run.must(await run.report(agent, { status: "working", events: [{ kind: "say", title: "Half of it is done." }] }));
  await card.getByText("Half of it is done.").waitFor();

  run.must(await run.ask(agent, { input: { path: "src/a.ts" } }));
  const asks = card.getByRole("region", { name: "refunds asks for permission" });
  await asks.getByText("src/a.ts").first().waitFor();
  expect(await barriersOf(page, "agents")).toEqual([]);
  await asks.getByRole("button", { name: "Allow once" }).press("Enter");
  await asks.waitFor({ state: "detached" });
  expect(run.must(await run.ask(agent, { input: { path: "src/a.ts" } }))).toMatchObject({ option: "allow_once" });

  await card.getByRole("button", { name: "Prompt" }).press("Enter");
  await page.getByRole("dialog").getByLabel("Prompt").fill("How far are you?");
  await page.getByRole("dialog").getByRole("button", { name: "Prompt" }).press("Enter");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  const { orders } = run.must(await run.report(agent, { status: "working" }));
  expect(orders).toContainEqual(expect.objectContaining({ kind: "prompt", text: "How far are you?" }));
  await card.getByRole("button", { name: "Stop" }).press("Enter");
  await page.getByRole("dialog").getByRole("button", { name: "Stop" }).press("Enter");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  run.must(await run.report(agent, { status: "stopped" }));
  await card.getByText("stopped").first().waitFor();

  await page.getByRole("link", { name: "1 runner offers agents" }).press("Enter");
  await page.getByRole("list", { name: "Runners" }).getByText("studio").waitFor();
  await page.getByText("node parley.mjs runner --name studio --agents claude --accept anyone").waitFor();
  expect(await barriersOf(page, "runners")).toEqual([]);
});

test("the header is one line, and the feed begins near the top", async () => {
  const alex = await world.parley.create(
    "Alex's Team",
    "A title that is long enough to be cut off on every screen. ".repeat(3),
  );
  for (const name of ["Blue", "Green", "Red", "Grey", "Black"]) await world.parley.join(alex, name);
  await ask(alex, { question: "Ship it?", options: ["yes", "no"] });
  for (const [viewport, top] of [
    [{ width: 1440, height: 900 }, 150],
    [PHONE.viewport, 120],
  ] as const) {
    const page = await world.open(`/s/${alex.ref}`, { viewport });
    await page.getByRole("log").waitFor();
    await page.getByRole("button", { name: "1 thing needs you" }).waitFor();
    const header = await page
      .getByRole("banner")
      .filter({ has: page.getByRole("heading", { level: 1 }) })
      .boundingBox();
    expect(header?.height).toBeLessThanOrEqual(48);
    expect((await page.getByRole("log").boundingBox())?.y).toBeLessThanOrEqual(top);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(viewport.width);
  }
});
