import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { makeKey } from "../../testing/access-key.ts";
import { connected } from "../../testing/postgres.ts";
import { startTestServer, type Team, type TestServer, until } from "../../testing/server.ts";
import { Runner, type RunSettings } from "../agents/runner.ts";
import type { Answer } from "../connection/api.ts";
import { createMachine } from "./machine.ts";

const AGENT = fileURLToPath(new URL("scripted-agent.ts", import.meta.url));
const ALWAYS = Number.POSITIVE_INFINITY;
// Each starts several processes, on a machine that may be busy with other things.
const SLOW = { timeout: 180_000 };

let parley: TestServer;
let alex: Team;
let root: string;
let home: string | undefined;
let stop: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  parley = await startTestServer();
  home = process.env.PARLEY_HOME;
});
afterAll(() => parley.stop());
beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "parley-runner-")));
  process.env.PARLEY_HOME = join(root, "home");
  process.env.SCRIPTED_LOG = join(root, "turns");
  alex = await parley.create();
});
afterEach(async () => {
  await Promise.all(stop.map((end) => end()));
  stop = [];
  if (home === undefined) delete process.env.PARLEY_HOME;
  else process.env.PARLEY_HOME = home;
  delete process.env.SCRIPTED_LOG;
  rmSync(root, { recursive: true, force: true });
});

const scripted = { name: "scripted", command: process.execPath, args: [AGENT] };
const settings: RunSettings = {
  wake: "addressed",
  voice: "tools",
  permissions: "ask",
  limits: {},
  idleMs: ALWAYS,
  patienceMs: ALWAYS,
  dozeMs: ALWAYS,
  park: true,
};
const screen = () => new Proxy({}, { get: () => () => undefined }) as never;
const git = (cwd: string, ...args: string[]) =>
  execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@example.com", ...args], { cwd, encoding: "utf8" });

function repository(name: string): string {
  const folder = join(root, name);
  mkdirSync(folder);
  git(folder, "init", "-q", "-b", "main");
  git(folder, "commit", "-q", "--allow-empty", "-m", "first");
  return folder;
}

async function offer(name: string, repos: string[] = []) {
  const over = new AbortController();
  const said: string[] = [];
  const runner = new Runner({
    base: parley.url,
    config: {
      name,
      agents: { scripted, slow: { name: "slow", command: "sleep", args: ["1000"] } },
      repos: Object.fromEntries(repos.map((folder) => [basename(folder), folder])),
      max: 4,
      accept: "anyone",
    },
    token: `token-of-${name}-${"x".repeat(32)}`,
    signal: over.signal,
    settings,
    screen,
    say: (text) => said.push(text),
  });
  const going = runner.go();
  stop.push(() => {
    over.abort();
    return going;
  });
  await until(() => said.length > 0, "the offer");
  return { runner, said };
}

const sql = (text: string, database = parley.database) => connected(database.url(), (client) => client.query(text));
const of = (path: string) => `/sessions/${alex.ref}${path}`;
const spawn = async (args: object) => {
  const { status, body } = await parley.post(of("/agents"), { agent: "scripted", runner: "studio", ...args }, alex);
  expect([status, body.error ?? undefined]).toEqual([200, undefined]);
  return body as Answer;
};
const agents = async (): Promise<Answer[]> => (await parley.get(of("/agents"), alex)).body.agents;
const statusOf = async (handle: string) => (await agents()).find((run) => run.handle === handle)?.status;
const prompt = async (handle: string, text: string, args: object = {}) =>
  (await parley.post(of(`/agents/${handle}/prompt`), { prompt: text, wait: 30, ...args }, alex)).body as Answer;
const transcript = async (handle: string) =>
  JSON.stringify((await parley.get(of(`/agents/${handle}/transcript`), alex)).body);
const feed = async (): Promise<Answer[]> => (await parley.get(of("/messages?limit=200"), alex)).body.messages;
const said = async () =>
  (await feed()).filter(({ type }) => type === "chat").map(({ handle, content }) => `${handle}: ${content.text}`);

test(
  "three agents on two machines share the tasks, each in a worktree of its own, talk, and conclude",
  SLOW,
  async () => {
    const billing = repository("billing");
    const shop = repository("shop");
    const machines = await Promise.all([offer("studio", [billing]), offer("attic", [shop])]);
    await parley.post(of("/tasks"), { tasks: ["invoices", "refunds", "dunning"] }, alex);
    const work = "do: claim;commit mine;done";
    await spawn({ prompt: work, worktree: "billing", team_name: "Ann" });
    await spawn({ prompt: work, worktree: "billing", team_name: "Bob" });
    await spawn({ prompt: work, worktree: "shop", team_name: "Cid", runner: "attic" });
    const done = async () => (await parley.get(of("/tasks?status=done"), alex)).body.tasks.length === 3;
    await until(done, "the work");
    await until(async () => (await agents()).every(({ status }) => status === "waiting"), "all of them to wait");
    for (const [handle, repo] of [
      ["ann", billing],
      ["bob", billing],
      ["cid", shop],
    ] as const) {
      const run = (await agents()).find((one) => one.handle === handle);
      const path = join(repo, ".worktrees", `${alex.ref}-${handle}`);
      expect(run.worktree).toMatchObject({ path, branch: `parley/${alex.ref}/${handle}`, ahead: 1, dirty: false });
      expect(existsSync(join(path, "mine"))).toBe(true);
    }

    expect(await prompt("ann", "do: tell bob Is it all there? do: say all there")).toMatchObject({ done: true });
    await until(async () => (await said()).includes("bob: all there"), "the answer of one agent to another");
    expect(await prompt("cid", "do: say one moment;conclude All three are ported.")).toMatchObject({
      words: "one moment",
      done: true,
    });
    await until(() => machines.every(({ runner }) => runner.running === 0), "the runs to end");
    expect((await agents()).map(({ status }) => status)).toEqual(["stopped", "stopped", "stopped"]);
    expect(await said()).toEqual(["ann: Is it all there? do: say all there", "bob: all there"]);
  },
);

test(
  "a turn is interrupted; a permission is given, refused, and refused when nobody answers; the agent goes on, until it is stopped",
  SLOW,
  async () => {
    await offer("studio");
    await spawn({ prompt: "do: sleep", team_name: "Ann" });
    await until(async () => (await statusOf("ann")) === "working", "the turn");
    await parley.post(of("/agents/ann/interrupt"), {}, alex);
    await until(async () => (await statusOf("ann")) === "waiting", "the end of the turn");

    const asked = async () => {
      const { turn, permissions } = await prompt("ann", "do: ask everything", { wait: 0 });
      const answer = permissions
        ? { permissions }
        : await until(async () => {
            const one = await prompt("ann", "", { turn, wait: 5 });
            return one.permissions ? one : undefined;
          }, "the permission that it asks for");
      return { turn, request: answer.permissions[0] };
    };
    const words = async (turn: number) =>
      (
        await until(async () => {
          const one = await prompt("ann", "", { turn, wait: 5 });
          return one.done ? one : undefined;
        }, "its words")
      ).words;
    for (const option of ["yes", "no"]) {
      const { turn, request } = await asked();
      expect(request).toMatchObject({ tool: "rm -rf everything", input: { command: "rm -rf everything" } });
      await until(async () => (await statusOf("ann")) === "asking", "the roster to tell so");
      const { status } = await parley.post(of("/agents/ann/permission"), { request: request.request, option }, alex);
      expect([status, await words(turn)]).toEqual([200, `permission: ${option}`]);
    }
    await sql("update parley.settings set value = '5' where name = 'permission_timeout'");
    expect(await words((await prompt("ann", "do: ask in vain", { wait: 0 })).turn)).toBe("permission: no");
    await parley.post(of("/agents/ann/stop"), {}, alex);
    await until(async () => (await statusOf("ann")) === "stopped", "the end");
    const roster = (await parley.get(of("/participants"), alex)).body.participants;
    expect(roster.find(({ handle }: Answer) => handle === "ann").left_at).not.toBe(null);
    const { body } = await parley.get(of("/agents/ann/transcript?full=true"), alex);
    expect(JSON.stringify(body)).toContain("permission: yes");
  },
);

test(
  "a server restarted and a runner killed in the middle of a turn: nothing is lost, nothing said twice, no run is left working",
  SLOW,
  async () => {
    const first = await startTestServer();
    const { database } = first;
    const port = Number(new URL(first.url).port);
    const machine = createMachine({ MCP_URL: `${first.url}/mcp`, SCRIPTED_MEMORY: join(root, "memory") });
    mkdirSync(machine.home);
    const config = { name: "studio", agents: { scripted: { command: [process.execPath, AGENT] } }, accept: "anyone" };
    writeFileSync(join(machine.home, "runner.json"), JSON.stringify(config));
    const there = await first.create();
    let runner = machine.start(["runner"]);
    await until(() => runner.said.stdout.includes("studio offers scripted"), "the offer");
    const path = (rest: string) => `/sessions/${there.ref}${rest}`;
    const chat = async (server: TestServer) =>
      ((await server.get(path("/messages"), there)).body.messages as Answer[])
        .filter(({ type }) => type === "chat")
        .map(({ handle, content }) => `${handle}: ${content.text}`);
    const status = async () => (await second.get(path("/agents"), there)).body.agents[0].status;
    // Nobody is lost while the machine is slow.
    await sql("update parley.settings set value = '600' where name = 'run_lease'", database);
    await first.post(
      path("/agents"),
      { agent: "scripted", prompt: "do: post half of it;sleep", team_name: "Ann" },
      there,
    );
    await until(async () => (await chat(first)).length === 1, "half of the turn");

    await first.server.stop();
    const second = await startTestServer({ database, port });
    // The report may have been on its way when the server ended: it is told again.
    await until(async () => (await status()) === "working", "the true status");
    await second.post(path("/messages"), { content: "Well? do: say heard", to: ["ann"], kind: "question" }, there);
    runner.child.kill("SIGKILL");
    await runner.ended;
    runner = machine.start(["runner"]);
    await until(async () => (await chat(second)).length === 3, "the answer", 40_000);
    await until(async () => (await status()) === "waiting", "it to wait");
    expect(await chat(second)).toEqual(["ann: half of it", "alexs-team: Well? do: say heard", "ann: heard"]);

    await sql("update parley.settings set value = '5' where name = 'run_lease'", database);
    await second.post(path("/messages"), { content: "do: sleep", to: ["ann"], kind: "question" }, there);
    await until(async () => (await status()) === "working", "another turn");
    runner.child.kill("SIGKILL");
    await runner.ended;
    await until(async () => (await status()) === "lost", "the lease to end", 40_000);
    runner = machine.start(["runner"]);
    await until(() => runner.said.stdout.includes("studio offers scripted"), "the offer");
    const offered = async () => (await second.get("/runners")).body.runners.length;
    expect(await offered()).toBe(1);
    runner.child.kill("SIGTERM");
    expect((await runner.ended).code).toBe(130);
    expect(await offered(), "who ends politely offers nothing any more").toBe(0);
    await second.stop();
    await database.drop();
    machine.remove();
  },
);

test(
  "whoever prompts an agent hears the words of that turn and of no other, up to the last turn that it may have",
  SLOW,
  async () => {
    await offer("studio");
    await spawn({ prompt: "do: say begun", team_name: "Ann", max_turns: 5 });
    await until(async () => (await said()).includes("ann: begun"), "its first words");
    const before = await prompt("ann", "do: say of the turn before;sleep", { wait: 0 });
    await until(async () => (await statusOf("ann")) === "working", "the turn");
    await until(async () => (await transcript("ann")).includes("do: say of the turn before"), "the prompt");
    const silent = await prompt("ann", "do: post by a tool", { wait: 0 });
    await parley.post(of("/agents/ann/interrupt"), {}, alex);
    expect(await prompt("ann", "", { turn: silent.turn })).toMatchObject({ done: true });
    expect((await prompt("ann", "", { turn: silent.turn })).words).toBeUndefined();
    expect(await prompt("ann", "", { turn: before.turn })).toMatchObject({ done: true, words: "of the turn before" });
    expect(await prompt("ann", "do: flood 300;say after all that")).toMatchObject({
      done: true,
      words: "after all that",
    });
    expect(await prompt("ann", "do: say rich;tokens 1e300")).toMatchObject({ done: true, words: "rich" });
    // Its limit ends it before the next one, however many wait.
    for (const text of ["six", "seven"]) await prompt("ann", `do: say ${text}`, { wait: 0 });
    await until(async () => (await statusOf("ann")) === "stopped", "the limit");
    const [run] = await agents();
    expect([run.turns, run.error]).toEqual([5, "The limit of 5 turns for this run is reached."]);
    expect((await said()).filter((words) => /six|seven/.test(words))).toEqual([]);
  },
);

test("an agent that is slow to start is not lost, and can be stopped meanwhile", SLOW, async () => {
  await offer("studio");
  await spawn({ agent: "slow", prompt: "do: say never", team_name: "Ann" });
  await until(
    async () => (await sql("select from parley_private.run_waits where verb = 'report_run'")).rowCount === 1,
    "a sign of life",
  );
  await sql("update parley.runs set alive_until = now() - interval '1 minute'");
  expect(await statusOf("ann")).toBe("starting");
  await parley.post(of("/agents/ann/stop"), {}, alex);
  await until(async () => (await statusOf("ann")) === "stopped", "its end");
});

test(
  "an agent whose team is removed, or whose session is deleted, in a turn works for nobody any more",
  SLOW,
  async () => {
    const { runner } = await offer("studio");
    for (const end of [
      () => parley.post(of("/remove"), { handle: "ann", reason: "enough" }, alex),
      () => parley.post(of("/delete"), {}, alex),
    ]) {
      await spawn({ prompt: "do: sleep", team_name: "Ann" });
      await until(async () => (await agents()).some(({ status }) => status === "working"), "the turn");
      expect((await end()).status).toBe(200);
      await until(() => runner.running === 0, "its end");
    }
  },
);

test("a runner whose key is revoked ends its agents, with a sentence in the feed", SLOW, async () => {
  const keys = await startTestServer({ access: "keys" });
  const team = { authorization: `Bearer ${await makeKey(keys.database)}` };
  const secret = await makeKey(keys.database, { scopes: ["run"] });
  const machine = createMachine({ MCP_URL: `${keys.url}/mcp`, PARLEY_KEY: secret });
  mkdirSync(machine.home);
  const config = { name: "studio", agents: { scripted: { command: [process.execPath, AGENT] } } };
  writeFileSync(join(machine.home, "runner.json"), JSON.stringify(config));
  const { body: there } = await keys.post(
    "/sessions",
    { title: "T", description: "", creator_team_name: "Alex" },
    undefined,
    { headers: team },
  );
  const runner = machine.start(["runner"]);
  await until(() => runner.said.stdout.includes("studio offers scripted"), "the offer");
  const path = (rest: string) => `/sessions/${there.ref}${rest}`;
  await keys.post(path("/agents"), { agent: "scripted", prompt: "do: sleep", team_name: "Ann" }, there);
  const status = async () => (await keys.get(path("/agents"), there)).body.agents[0].status;
  await until(async () => (await status()) === "working", "the turn");
  await connected(keys.database.url("parley_owner"), async (client) => {
    await client.query("update parley_private.keys set revoked_at = now() where 'run' = any (scopes)");
    await client.query("select parley_private.end_waits_of(id) from parley_private.keys where 'run' = any (scopes)");
  });
  const { code, stderr } = await runner.ended;
  expect([code, stderr]).toEqual([1, expect.stringContaining("studio is a runner no longer, so its agents end")]);
  await until(async () => (await status()) === "failed", "the end");
  const { messages } = (await keys.get(path("/messages"), there)).body;
  expect(messages.at(-1)).toMatchObject({ event: "team_left", handle: "ann", reason: expect.stringMatching(/runner/) });
  await keys.stop();
  machine.remove();
});
