import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connected } from "../../../testing/postgres.ts";
import { startTestServer, type Team, type TestServer } from "../../../testing/server.ts";
import { agents } from "./runs.ts";
import { refusal, workers } from "./work.ts";

let parley: TestServer;
beforeAll(async () => {
  parley = await startTestServer();
});
afterAll(() => parley.stop());

const run = agents(() => parley);
const work = workers(() => parley);
let runners = 0;

/** A session with an agent on a runner of its own, that was spawned by its convener and has just been taken. */
async function taken(more: object = {}): Promise<{ by: Team; agent: Team; runner: string }> {
  const runner = `studio-${++runners}`;
  const by = await parley.create();
  run.must(await run.offer(runner));
  run.must(await run.spawn(by, { runner, ...more }));
  const agent = run.must(await run.take(runner));
  return { by, agent, runner };
}

/** A team that somebody runs on their own machine. */
async function running(): Promise<{ by: Team; agent: Team }> {
  const by = await parley.create();
  const agent = await parley.join(by, "Claude");
  run.must(await run.report(agent, { agent: "claude", status: "working" }));
  return { by, agent };
}

describe("spawning", () => {
  test("an agent that nobody offers is refused, and what is offered is told", async () => {
    const by = await parley.create();
    expect(await run.spawn(by, { agent: "nobody-has-this" })).toMatchObject(refusal(409, "no_runner"));
    run.must(await run.offer("careful", { agents: ["careful-one"], accept: "key" }));
    expect(await run.spawn(by, { agent: "careful-one" }), "with open access").toMatchObject(refusal(409, "no_runner"));
  });

  test("a spawned agent has a team at once, a runner takes it once, with a credential of its own", async () => {
    const runner = `studio-${++runners}`;
    const by = await parley.create();
    run.must(await run.offer(runner, { repos: ["billing"], max_runs: 2 }));
    const spawned = run.must(await run.spawn(by, { runner, worktree: true, team_name: "Refunds" }));
    expect(spawned).toMatchObject({
      run: 1,
      ref: by.ref,
      handle: "refunds",
      agent: "claude",
      runner,
      status: "queued",
    });
    expect(spawned).toMatchObject({ started_by: by.handle, prompt: "Port refunds.", worktree: null, error: null });
    const agent = run.must(await run.take(runner));
    expect(agent).toMatchObject({ run: 1, ref: by.ref, handle: "refunds", repo: "billing", worktree: true });
    expect(agent.team_id).toMatch(/^pt_.{43}$/);
    expect(agent).not.toHaveProperty("key");
    expect(run.must(await run.take(runner))).toEqual({ run: null });
    expect(await run.list(by)).toMatchObject([{ handle: "refunds", status: "starting" }]);
    run.must(await run.report(agent, { status: "working" }));
    await parley.say(agent, "I am at it.");
    const [joined, said] = await run.feed(by);
    expect(joined).toMatchObject({ event: "team_joined", handle: "refunds", by: "Alex's Team" });
    expect(said).toMatchObject({ handle: "refunds", sender: "agent" });
  });

  test("whoever waits for a run gets it when it is spawned, and no more than it has room for", async () => {
    const runner = `studio-${++runners}`;
    const by = await parley.create();
    run.must(await run.offer(runner));
    const waiting = run.take(runner, { wait: 20 });
    await run.waits("take_run");
    run.must(await run.spawn(by, { runner }));
    const agent = run.must(await waiting);
    expect(agent).toMatchObject({ run: 1, handle: "claude" });
    run.must(await run.spawn(by, { runner }));
    expect(run.must(await run.take(runner))).toEqual({ run: null });
    run.must(await run.report(agent, { status: "stopped" }));
    expect(run.must(await run.take(runner))).toMatchObject({ run: 2, handle: "claude-2" });
  });

  test("of fifty who take at once each gets another, and none is taken twice", async () => {
    const runner = `studio-${++runners}`;
    run.must(await run.offer(runner, { max_runs: 50 }));
    const sessions = await Promise.all(Array.from({ length: 5 }, () => parley.create()));
    await Promise.all(
      sessions.flatMap((by) => Array.from({ length: 10 }, () => run.spawn(by, { runner }).then(run.must))),
    );
    const takes = await Promise.all(Array.from({ length: 60 }, () => run.take(runner).then(run.must)));
    const got = takes.filter(({ run }) => run !== null).map(({ ref, run }) => `${ref} ${run}`);
    expect([got.length, new Set(got).size]).toEqual([50, 50]);
  });

  test("agents that start agents are stopped by the hops, and by the talk in which nothing moves", async () => {
    const { agent, runner } = await taken();
    run.must(await run.offer(runner, { max_runs: 10 }));
    await work.set("hops", 1);
    run.must(await run.spawn(agent, { runner }));
    const second = run.must(await run.take(runner));
    const third = await run.spawn(second, { runner });
    expect(third).toMatchObject(refusal(429, "loop_guard", { setting: "hops", hops: 2 }));
    await work.set("hops", 20);
    await work.set("loop_guard", 3);
    const spawns = [await run.spawn(second, { runner }), await run.spawn(second, { runner })];
    expect(spawns.map(({ status }) => status)).toContain(429);
    await work.set("loop_guard", 60);
  });

  test("nobody else takes runs under the name of a runner while its offer lives", async () => {
    run.must(await run.offer("mine"));
    expect(await run.offer("mine", { runner_token: "other" })).toMatchObject(refusal(409, "already_claimed"));
    expect(await run.take("mine", { runner_token: "other" })).toMatchObject(refusal(404, "runner_not_found"));
    expect(await parley.post("/runners/take", { runner: "mine" })).toMatchObject(refusal(400, "invalid_argument"));
    await run.sql("update parley_private.runners set expires_at = now() where name = 'mine'");
    run.must(await run.offer("mine", { runner_token: "other" }));
    expect(await run.take("mine")).toMatchObject(refusal(404, "runner_not_found"));
  });

  test("a runner that ends takes its offer back at once, and nobody else can", async () => {
    const by = await parley.create();
    const withdraw = (token: string) => parley.post("/runners/withdraw", { name: "polite", runner_token: token });
    run.must(await run.offer("polite", { agents: ["rare"] }));
    expect(await withdraw("other")).toMatchObject(refusal(404, "runner_not_found"));
    run.must(await run.spawn(by, { agent: "rare" }));
    expect(run.must(await withdraw("token of polite"))).toMatchObject({ runner: "polite", queued: 1 });
    expect(await run.spawn(by, { agent: "rare" })).toMatchObject(refusal(409, "no_runner"));
    await run.sweep(31);
    expect((await run.list(by))[0]).toMatchObject({ status: "failed", error: "The runner polite is gone." });
  });

  test("whatever stands in a spawn, its runner gets names of its own configuration, or nothing", async () => {
    const runner = `studio-${++runners}`;
    const by = await parley.create();
    run.must(await run.offer(runner, { max_runs: 100, repos: ["billing"] }));
    const hostile = fc.oneof(
      fc.constantFrom(
        "claude",
        "billing",
        runner,
        "--",
        "-c",
        "../billing",
        "$(id)",
        "claude\n",
        "CLAUDE",
        "claude ",
        "a".repeat(41),
      ),
      fc.string({ unit: "binary", maxLength: 20 }),
      fc.boolean(),
      fc.integer(),
      fc.constant({ command: "sh" }),
      fc.constant(["claude"]),
    );
    const fields = ["agent", "runner", "repo", "worktree", "args", "command", "cwd", "env"];
    const body = fc.dictionary(fc.constantFrom(...fields), hostile);
    for (const given of fc.sample(body, 60)) {
      const { status } = await run.spawn(by, { runner, ...given });
      expect([200, 400, 409, 429]).toContain(status);
    }
    for (;;) {
      const got = run.must(await run.take(runner));
      if (got.run === null) break;
      expect(got).toMatchObject({ agent: "claude", prompt: "Port refunds." });
      expect([undefined, null, "billing"]).toContain(got.repo);
      expect(Object.keys(got).sort()).toEqual(expect.not.arrayContaining(["args", "command", "cwd", "env"]));
    }
  });

  test("commands, folders and arguments are no names", async () => {
    const by = await parley.create();
    for (const agent of [
      "../claude",
      "claude --yolo",
      "/bin/sh",
      "$(id)",
      "a;b",
      "-x",
      ".claude",
      "Claude",
      "a..b",
      "a\nb",
      "",
    ])
      for (const field of ["agent", "runner", "repo", "worktree"])
        expect(await run.spawn(by, { [field]: agent }), `${field} ${agent}`).toMatchObject(
          refusal(400, "invalid_argument", { field }),
        );
  });
});

describe("a run", () => {
  test("of a team on somebody's own machine begins with its first report", async () => {
    const { by, agent } = await running();
    const worktree = { path: "/src/billing", branch: "refunds", head: "1a2b3c4", ahead: 2, dirty: true };
    run.must(await run.report(agent, { worktree, usage: { turns: 3, tokens: 1200, cost: 0.25 } }));
    expect(await run.list(by)).toMatchObject([
      {
        run: 1,
        handle: agent.handle,
        agent: "claude",
        runner: null,
        started_by: null,
        status: "working",
        worktree,
        turns: 3,
        tokens: 1200,
        cost: 0.25,
      },
    ]);
  });

  test("tells what it has used in the digest, for each team and together", async () => {
    const { by, agent } = await running();
    run.must(await run.report(agent, { usage: { turns: 3, tokens: 1200, cost: 0.25 } }));
    const other = await parley.join(by, "Codex");
    run.must(await run.report(other, { agent: "codex", usage: { turns: 1, tokens: 50 } }));
    const digest = (query = "") => parley.get(`/sessions/${by.ref}/digest${query}`, by);
    expect(run.must(await digest()).agents).toEqual([
      { handle: "claude", turns: 3, tokens: 1200, cost: 0.25 },
      { handle: "codex", turns: 1, tokens: 50, cost: 0 },
    ]);
    expect((await digest("?format=lines")).body).toContain(
      "\nagents: claude 3 turns, 1200 tokens, $0.25; codex 1 turns, 50 tokens; together 4 turns, 1250 tokens, $0.25\n",
    );
  });

  test("hears what others want of it, at once, and its answer goes back to whoever waits for it", async () => {
    const { by, agent } = await running();
    const waiting = run.report(agent, { status: "waiting", wait: 20, events: [{ kind: "note", title: "once" }] });
    await run.waits("report_run");
    const prompted = run.prompt(by, agent, { prompt: "How far are you?", wait: 20 });
    const { orders } = run.must(await waiting);
    expect(orders).toMatchObject([{ order: 1, kind: "prompt", by: by.handle, text: "How far are you?" }]);
    await run.waits("prompt_agent");
    const events = [
      { kind: "prompt", title: "How far are you?" },
      { kind: "say", title: "Half of it", text: "Half of it.\nThe rest tomorrow." },
    ];
    run.must(await run.report(agent, { events, orders_done: [1], status: "waiting" }));
    expect(run.must(await prompted)).toMatchObject({ turn: 1, done: true, words: "Half of it.\nThe rest tomorrow." });
    // What it reported while it waited was not written twice.
    expect((await run.transcript(by, agent)).events.map(({ title }: { title: string }) => title)).toEqual([
      "once",
      "How far are you?",
      "Half of it",
    ]);
    expect(run.must(await run.prompt(by, agent, { turn: 1 }))).toMatchObject({ turn: 1, done: true });
    expect(await run.prompt(by, agent, { turn: 7 })).toMatchObject(refusal(404, "turn_not_found"));
  });

  test("is interrupted and stopped by the convener or whoever has spawned it, and by no other", async () => {
    const { by, agent } = await taken();
    const other = await parley.join(by, "Other");
    expect(await run.interrupt(other, agent)).toMatchObject(refusal(403, "convener_only"));
    expect(await run.stop(other, agent)).toMatchObject(refusal(403, "convener_only"));
    run.must(await run.interrupt(by, agent));
    run.must(await run.stop(by, agent));
    run.must(await run.stop(by, agent));
    const { orders } = run.must(await run.report(agent, { status: "working" }));
    expect(orders).toMatchObject([{ kind: "interrupt" }, { kind: "stop" }]);
    run.must(await run.report(agent, { orders_done: [1, 2], status: "stopped" }));
    expect(await run.list(by)).toMatchObject([{ status: "stopped" }]);
    expect(await run.report(agent)).toMatchObject(refusal(401, "unauthorized"));
    expect(await run.prompt(by, agent, { prompt: "Still there?" })).toMatchObject(refusal(409, "agent_ended"));
    expect((await run.feed(by)).at(-1)).toMatchObject({ event: "team_left", handle: agent.handle });
    const audit = await run.sql<{ event: string }>(
      "select event from parley_private.audit where session_ref = $1 order by id",
      [by.ref],
    );
    expect(audit.map(({ event }) => event)).toEqual(expect.arrayContaining(["agent_spawned", "agent_stopped"]));
  });

  test("that nobody has taken is stopped at once, or fails when its runner is gone", async () => {
    const by = await parley.create();
    run.must(await run.offer("brief", { agents: ["brief"] }));
    const first = run.must(await run.spawn(by, { agent: "brief" }));
    expect(run.must(await run.stop(by, first))).toMatchObject({ status: "stopped" });
    run.must(await run.spawn(by, { agent: "brief" }));
    await run.sql("update parley_private.runners set expires_at = now() where name = 'brief'");
    await run.sweep(31);
    expect((await run.list(by))[0]).toMatchObject({ status: "failed", error: "The runner brief is gone." });
    expect(await run.spawn(by, { agent: "brief" })).toMatchObject(refusal(409, "no_runner"));
  });

  test("of which nothing is heard is lost within 30 seconds, and what it had claimed is free", async () => {
    const { by, agent } = await running();
    await work.add(by, "Port invoices");
    expect(await work.take(agent)).toBe(1);
    const gone = new AbortController();
    const waiting = run.report(agent, { wait: 30 }, { signal: gone.signal }).catch(() => undefined);
    await run.waits("report_run");
    // As long as its runner waits it lives, however long that is.
    await run.sweep(29);
    expect(await run.list(by)).toMatchObject([{ status: "working" }]);
    gone.abort();
    await waiting;
    const [left] = await run.sql<{ seconds: number }>(
      "select extract(epoch from alive_until - clock_timestamp())::float as seconds from parley.runs where session_id = $1",
      [by.session_id],
    );
    // With five seconds until the next sweep, and one for its worker.
    expect(left?.seconds).toBeLessThan(24);
    await run.sql("update parley.runs set alive_until = now() where session_id = $1", [by.session_id]);
    await run.sql("delete from parley_private.run_waits where session_id = $1", [by.session_id]);
    expect(await run.list(by), "before anybody has swept").toMatchObject([{ status: "lost" }]);
    await run.sweep();
    expect(await work.task(by, 1)).toMatchObject({ status: "open", claimed_by: null });
    const told = (await run.feed(by)).slice(-2);
    expect(told).toMatchObject([
      { event: "task_freed", reason: "run lost" },
      { event: "run_ended", handle: agent.handle },
    ]);
    // Its team goes on: what it reports next is another run.
    expect(run.must(await run.report(agent, { agent: "claude" }))).toMatchObject({ run: 2 });
  });

  test("is not lost because nobody was there to hear of it: after the server was away it has its lease anew", async () => {
    const { by } = await running();
    const late = () =>
      run.sql("update parley.runs set alive_until = now() - interval '1 minute' where session_id = $1", [
        by.session_id,
      ]);
    const worker = (text: string) => connected(parley.database.url("parley_worker"), (client) => client.query(text));
    await worker("select parley_private.spare_runs()");
    await late();
    await run.sql("update parley_private.counters set ends_at = now() where subject = 'watch'");
    await worker("select parley_private.spare_runs()");
    await run.sweep();
    expect(await run.list(by)).toMatchObject([{ status: "working" }]);
    // Watched all the time, it is.
    await late();
    await worker("select parley_private.spare_runs()");
    await run.sweep();
    expect(await run.list(by)).toMatchObject([{ status: "lost" }]);
  });

  test("that ends while a call of it is held begins no other by that", async () => {
    const { by, agent } = await running();
    const waiting = run.report(agent, { wait: 20 });
    await run.waits("report_run");
    run.must(await run.report(agent, { status: "stopped" }));
    expect(run.must(await waiting)).toMatchObject({ run: 1, status: "stopped", budget: { allowed: false } });
    expect(await run.list(by)).toMatchObject([{ run: 1, status: "stopped" }]);
    expect(await run.report(agent, { run: 7 })).toMatchObject(refusal(404, "agent_not_found"));
  });

  test("that has come to a limit is told so before the next turn, and the feed once", async () => {
    const { by, agent } = await taken({ max_turns: 2 });
    expect(run.must(await run.report(agent, { usage: { turns: 1 } })).budget).toEqual({ allowed: true });
    const reason = "The limit of 2 turns for this run is reached.";
    for (const turns of [2, 3])
      expect(run.must(await run.report(agent, { usage: { turns } })).budget).toEqual({ allowed: false, reason });
    const told = (await run.feed(by)).filter(({ event }: { event: string }) => event === "run_limited");
    expect(told).toMatchObject([{ handle: agent.handle, reason }]);
  });

  test("is over when its team leaves or is removed", async () => {
    const { by, agent } = await running();
    await parley.post(`/sessions/${by.ref}/remove`, { handle: agent.handle }, by);
    expect(await run.list(by)).toMatchObject([{ status: "stopped" }]);
  });
});

describe("a permission", () => {
  test("waits for a person or the team that has spawned it, and is answered once", async () => {
    const { by, agent } = await taken();
    run.must(await run.report(agent, { status: "working" }));
    const options = [
      { optionId: "allow", name: "Allow", kind: "allow_once" },
      { optionId: "deny", name: "Deny", kind: "reject_once" },
    ];
    const asking = run.ask(agent, { input: { path: "src/a.ts" }, options, wait: 20 });
    await run.waits("ask_permission");
    const asked = { request: "r1", tool: "Write src/a.ts", input: { path: "src/a.ts" } };
    expect(await run.list(by)).toMatchObject([{ status: "asking", permissions: [asked] }]);
    // A report that was on its way is late, and changes nothing of that.
    expect(run.must(await run.report(agent, { status: "working" }))).toMatchObject({ status: "asking" });
    const other = await parley.join(by, "Other");
    const request = { request: "r1", option: "allow" };
    expect(await run.answer(other, agent, request)).toMatchObject(refusal(403, "forbidden"));
    expect(await run.answer(agent, agent, request)).toMatchObject(refusal(403, "forbidden"));
    expect(await run.answer(by, agent, { ...request, option: "maybe" })).toMatchObject(
      refusal(400, "invalid_argument"),
    );
    const answers = await Promise.all([1, 2, 3, 4].map(() => run.answer(by, agent, request)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    expect(run.must(await asking)).toMatchObject({ state: "answered", option: "allow", by: by.handle });
    expect(await run.list(by)).toMatchObject([{ status: "working" }]);
    const { orders } = run.must(await run.report(agent));
    expect(orders).toMatchObject([{ kind: "permission", request: "r1", option: "allow" }]);
  });

  test("that nobody answers in time is refused, and the transcript says so", async () => {
    const { by, agent } = await taken();
    expect(run.must(await run.ask(agent))).toMatchObject({ request: "r1", state: "pending" });
    await run.sql("update parley.run_permissions set expires_at = now() where session_id = $1", [by.session_id]);
    await run.sweep();
    const refused = { state: "refused", reason: "Nobody has answered in time." };
    expect(run.must(await run.ask(agent))).toMatchObject(refused);
    expect(await run.answer(by, agent, { request: "r1", option: "allow_once" })).toMatchObject(
      refusal(409, "already_answered"),
    );
    const { events } = await run.transcript(by, agent);
    expect(events).toMatchObject([{ kind: "note", title: expect.stringContaining("Write src/a.ts") }]);
  });
});

describe("a transcript", () => {
  test("is a line each, and everything for who asks", async () => {
    const { by, agent } = await running();
    const events = Array.from({ length: 120 }, (_, i) => ({
      kind: "tool",
      title: `Read ${i + 1}`,
      text: `line 1\nline ${i + 1}`,
    }));
    run.must(await run.report(agent, { events }));
    const newest = await run.transcript(by, agent);
    expect(newest).toMatchObject({ run: 1, last_event: 120, next_after: 120, has_more: false });
    expect(newest.events).toHaveLength(50);
    expect(newest.events[0]).toEqual({ event: 71, kind: "tool", title: "Read 71", at: expect.any(String), more: true });
    const first = await run.transcript(by, agent, "after=0&full=true");
    expect(first).toMatchObject({ next_after: 20, has_more: true });
    expect(first.events[0]).toMatchObject({ event: 1, text: "line 1\nline 1" });
    expect((await run.transcript(by, agent, "event=7")).events).toMatchObject([{ event: 7, text: "line 1\nline 7" }]);
    expect(await run.transcript(by, agent, "after=120")).toMatchObject({
      events: [],
      next_after: 120,
      has_more: false,
    });
  });

  test("is bounded: the oldest texts go first, then the oldest lines", async () => {
    await work.set("transcript_bytes", 65536);
    await work.set("transcript_events", 100);
    const { by, agent } = await running();
    const events = Array.from({ length: 90 }, () => ({ kind: "tool_result", title: "result", text: "x".repeat(1000) }));
    run.must(await run.report(agent, { events }));
    run.must(await run.report(agent, { events }));
    const [kept] = await run.sql<{ lines: number; bytes: number; from: number; first: number }>(
      `select count(*)::int as lines, sum(octet_length(text))::int as bytes, min(event) as from, min(event) filter (where text is not null) as first
       from parley.run_events where session_id = $1`,
      [by.session_id],
    );
    expect(kept).toMatchObject({ lines: 100, from: 81 });
    expect(kept?.bytes).toBeLessThanOrEqual(65536);
    expect(kept?.first).toBeGreaterThan(110);
    await work.set("transcript_bytes", 8388608);
    await work.set("transcript_events", 20000);
  });

  test("holds no secret, whatever the agent prints", async () => {
    const { by, agent } = await running();
    run.must(
      await run.report(agent, { events: [{ kind: "say", title: agent.team_id, text: `it is\n${agent.team_id}` }] }),
    );
    const { events } = await run.transcript(by, agent, "full=true");
    expect(JSON.stringify(events)).not.toContain(agent.team_id);
    expect(events).toMatchObject([{ title: "pt_…", text: "it is\npt_…" }]);
  });
});
