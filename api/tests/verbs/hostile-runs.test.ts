import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bearer, makeKey } from "../../../testing/access.ts";
import { startTestServer, type Team, type TestServer, until } from "../../../testing/server.ts";
import { createWorld } from "../access/actors.ts";
import { agents } from "./runs.ts";
import { refusal } from "./work.ts";

let parley: TestServer;
beforeAll(async () => {
  parley = await startTestServer();
});
afterAll(() => parley?.stop());

const run = agents(() => parley);
const working = async (): Promise<[alex: Team, blue: Team]> => {
  const alex = await parley.create();
  const blue = await parley.join(alex);
  run.must(await run.report(blue, { status: "working" }));
  return [alex, blue];
};

test("whoever takes over the name of a runner that is gone gets nothing that was asked of it", async () => {
  const world = await createWorld("keys");
  try {
    const house = agents(() => world.parley);
    const headers = world.headers["key run"];
    const gone = () =>
      house.sql("update parley_private.runners set expires_at = clock_timestamp() - interval '1 second'");
    house.must(await house.offer("house", { accept: "key" }, { headers }));
    house.must(await house.spawn(world.session));
    await gone();
    const other = await world.parley.post(
      "/sessions",
      { title: "Another", description: "", creator_team_name: "Thief" },
      undefined,
      { headers: world.headers["key team"] },
    );
    for (const thief of [
      bearer(await makeKey(world.parley, ["run"], other.body.ref)),
      bearer(await makeKey(world.parley, ["run"])),
    ]) {
      const token = { runner_token: "another token" };
      house.must(await house.offer("house", { ...token, accept: "key" }, { headers: thief }));
      expect((await house.take("house", token, { headers: thief })).body).toEqual({ run: null });
      await gone();
    }
    await house.sweep(40);
    expect((await house.list(world.session))[0]).toMatchObject({
      status: "failed",
      error: "The runner house is gone.",
    });
  } finally {
    await world.parley.stop();
  }
});

test("a runner that is bound to a session by a new key takes nothing of others any more", async () => {
  const world = await createWorld("keys");
  try {
    const house = agents(() => world.parley);
    house.must(await house.offer("house", { accept: "key" }, { headers: world.headers["key run"] }));
    house.must(await house.spawn(world.session));
    const headers = bearer(await makeKey(world.parley, ["run"], world.closed.ref));
    house.must(await house.offer("house", { accept: "key" }, { headers }));
    expect((await house.take("house", {}, { headers })).body).toEqual({ run: null });
  } finally {
    await world.parley.stop();
  }
});

test("one caller offers some machines and not any number of them, and may offer again when they are gone", async () => {
  for (let n = 1; n <= 50; n++) run.must(await run.offer(`machine-${n}`));
  expect(await run.offer("machine-51")).toMatchObject(refusal(429, "rate_limited"));
  run.must(await run.offer("machine-50"));
  await run.sql("update parley_private.runners set expires_at = now() - interval '1 minute' where name = 'machine-1'");
  await run.sweep();
  run.must(await run.offer("machine-51"));
});

test("an agent asks for twenty things at a time; what is long is cut in lists, and whole for whoever decides", async () => {
  const [alex, blue] = await working();
  const input = { command: `echo ${"a".repeat(50_000)}` };
  for (let n = 1; n <= 20; n++) run.must(await run.ask(blue, { request: `r${n}`, input }));
  expect(await run.ask(blue, { request: "r21", input })).toMatchObject(refusal(429, "rate_limited"));
  expect(run.must(await run.ask(blue, { request: "r20", input })).state).toBe("pending");
  const [{ permissions }] = await run.list(alex);
  expect(permissions).toHaveLength(20);
  expect(JSON.stringify(permissions).length).toBeLessThan(100_000);
  expect(permissions[0].input).toMatch(/^{"command": "echo a+…$/);
  const { turn } = run.must(await run.prompt(alex, blue, { prompt: "Go on." }));
  expect(run.must(await run.prompt(alex, blue, { turn })).permissions[0].input).toEqual(input);
});

test("what was allowed is what was asked for: the same request with something else in it is refused", async () => {
  const [alex, blue] = await working();
  await run.sql("update parley.runs set started_by = 1 where session_id = $1", [alex.session_id]);
  const asked = { request: "r1", tool: "ls", input: { path: "." }, options: ["yes", "no"] };
  run.must(await run.ask(blue, asked));
  run.must(await run.answer(alex, blue, { request: "r1", option: "yes" }));
  expect(run.must(await run.ask(blue, asked))).toMatchObject({ state: "answered", option: "yes" });
  for (const change of [{ tool: "rm" }, { input: { path: "/" } }, { options: ["yes"] }])
    expect(await run.ask(blue, { ...asked, ...change })).toMatchObject(refusal(409, "idempotency_conflict"));
});

test("a team that begins runs and fails again and again is held back, and the feed is not filled with it", async () => {
  const [alex, blue] = await working();
  for (let n = 1; n <= 20; n++) run.must(await run.report(blue, { status: "failed" }));
  expect(await run.report(blue, { status: "failed" })).toMatchObject(refusal(429, "rate_limited"));
  expect((await run.feed(alex)).filter(({ event }: { event?: string }) => event === "run_ended")).toHaveLength(20);
});

test("what a run says that is being ended meanwhile is taken for the past, and nothing of it is kept", async () => {
  const [alex, blue] = await working();
  const ends = new pg.Client({ connectionString: parley.database.url("parley_owner") });
  await ends.connect();
  const isHeld = () =>
    until(async () => {
      const { rows } = await ends.query("select from pg_locks where not granted");
      return rows.length > 0;
    }, "the report to wait for whoever ends the run");
  const meanwhile = async <T>(says: () => Promise<T>): Promise<T> => {
    await ends.query("begin");
    await ends.query(
      `select parley_private.end_run(r, 'lost', 'Gone.') from parley.runs r where r.session_id = $1 and r.ended_at is null`,
      [alex.session_id],
    );
    const said = says();
    await isHeld();
    await ends.query("commit");
    return said;
  };
  try {
    const past = { status: 200, body: { run: 1, status: "lost", orders: [], budget: { allowed: false } } };
    expect(await meanwhile(() => run.report(blue, { status: "waiting" }))).toMatchObject(past);
    run.must(await run.report(blue, { status: "working" }));
    expect(await meanwhile(() => run.report(blue))).toMatchObject({ ...past, body: { ...past.body, run: 2 } });
    run.must(await run.report(blue, { status: "working" }));
    expect(await meanwhile(() => run.ask(blue))).toMatchObject(refusal(409, "agent_ended"));
    expect(await run.sql("select from parley.run_permissions where session_id = $1", [alex.session_id])).toEqual([]);
  } finally {
    await ends.end();
  }
});

test("the sweep never waits for a run that is being ended, nor that for it", async () => {
  const [alex, blue] = await working();
  run.must(await run.ask(blue));
  await run.sql("update parley.run_permissions set expires_at = now() where session_id = $1", [alex.session_id]);
  const ends = new pg.Client({ connectionString: parley.database.url("parley_owner") });
  await ends.connect();
  try {
    await ends.query("begin");
    await ends.query("select from parley.runs where session_id = $1 for no key update", [alex.session_id]);
    await run.sweep();
    await ends.query(
      "select parley_private.end_run(r, 'stopped') from parley.runs r where r.session_id = $1 and r.ended_at is null",
      [alex.session_id],
    );
    await ends.query("commit");
  } finally {
    await ends.end();
  }
});

test("what a run has cost is told to a millionth of a dollar, however small the agent says it is", async () => {
  const [alex, blue] = await working();
  run.must(await parley.post(`/sessions/${alex.ref}/run`, '{"usage": {"cost": 1e-16000}}', blue));
  expect((await run.list(alex))[0].cost).toBe(0);
  const [kept] = await run.sql<{ cost: string }>("select cost::text from parley.runs where session_id = $1", [
    alex.session_id,
  ]);
  expect(kept?.cost.length).toBeLessThan(10);
});
