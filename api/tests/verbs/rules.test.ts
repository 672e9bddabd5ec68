import { pino } from "pino";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { connect } from "../../../mcp/tests/client.ts";
import { makeKey } from "../../../testing/access-key.ts";
import { NO_RULES } from "../../../testing/no-rules.ts";
import { connected } from "../../../testing/postgres.ts";
import { type Answer, startTestServer, type Team, type TestServer, until } from "../../../testing/server.ts";
import { readConfig } from "../../config.ts";
import { migrate } from "../../postgres/migrate.ts";

let parley: TestServer;
beforeAll(async () => {
  parley = await startTestServer({ worker: true });
});
afterEach(() =>
  sql("update parley.settings s set value = r.value from jsonb_each($1) r where r.key = s.name", [
    { ...NO_RULES, single_session: false, convener_only: false },
  ]),
);
afterAll(() => parley.stop());

const sql = async (text: string, values: unknown[] = []) =>
  (await connected(parley.database.url(), (client) => client.query(text, values))).rows;
const set = (name: string, value: unknown) =>
  sql("update parley.settings set value = $2::jsonb where name = $1", [name, JSON.stringify(value)]);
const post = (team: Team) => parley.post(`/sessions/${team.ref}/messages`, { content: "Hello" }, team);
const bearer = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });
const create = (creator_team_name: string, key?: string) =>
  parley.post("/sessions", { title: "T", description: "", creator_team_name }, undefined, key ? bearer(key) : {});
const refusal = ({ status, body }: Answer) => [status, body.error?.code];

test("what a team does over and over fills the feed no more than what it says, and holds back nobody else", async () => {
  const [team, other] = await (async () => {
    const alex = await parley.create();
    return [alex, await parley.join(alex)] as const;
  })();
  const at = (rest: string) => `/sessions/${team.ref}/tasks${rest}`;
  await parley.post(at(""), { tasks: ["One", "Two"] }, team);
  await set("posts_per_minute", 2);
  const claimAndFree = async (by: Team, task: number) => [
    await parley.post(at("/claim"), { task }, by),
    await parley.post(at(`/${task}`), { status: "open" }, by),
  ];
  const answers: Answer[] = [];
  for (let round = 0; round < 15; round++) answers.push(...(await claimAndFree(team, 1)));
  const refused = answers.filter(({ status }) => status !== 200);
  expect(refused.length).toBeGreaterThan(5);
  expect(new Set(refused.map((answer) => String(refusal(answer))))).toEqual(new Set(["429,rate_limited"]));
  expect((await claimAndFree(other, 2)).map(({ status }) => status)).toEqual([200, 200]);
  expect((await post(team)).status).toBe(200);
});

test("a refusal tells every surface when to try again", async () => {
  const team = await parley.create();
  await set("posts_per_minute", 1);
  await post(team);
  const refused = await post(team);
  expect(refusal(refused)).toEqual([429, "rate_limited"]);
  const { retry_after_seconds } = refused.body.error.details;
  expect(retry_after_seconds).toBeGreaterThan(0);
  expect(refused.headers.get("retry-after")).toBe(String(retry_after_seconds));

  const mcp = await connect(parley);
  const args = { session_id: team.ref, team_id: team.team_id, content: "Hello" };
  const { isError, content } = await mcp.callTool({ name: "post_message", arguments: args });
  const [{ text }] = content as [{ text: string }];
  expect([isError, JSON.parse(text).error]).toEqual([
    true,
    expect.objectContaining({ code: "rate_limited", details: expect.objectContaining({ limit: 1 }) }),
  ]);
  await mcp.close();
});

describe("sessions_per_hour", () => {
  test("counts what is created and resumed from one address, and what is refused does not count", async () => {
    const { body: old } = await create("A");
    await parley.post(`/sessions/${old.ref}/conclude`, { summary_section: "Done." }, old);
    await set("sessions_per_hour", 2);
    expect((await create("A")).status).toBe(200);
    expect((await parley.post("/sessions", { title: "T" })).status).toBe(400);
    expect((await parley.post(`/sessions/${old.ref}/resume`, { team_name: "A" })).status).toBe(200);
    const refused = await create("A");
    expect(refusal(refused)).toEqual([429, "rate_limited"]);
    expect(refused.body.error.details).toMatchObject({ setting: "sessions_per_hour", limit: 2 });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(3_500);
    // Joining is none of it.
    const { body: other } = await parley.post(`/sessions/${old.ref}/resume`, { team_name: "A" });
    expect(other.error.code).toBe("already_resumed");
    expect((await parley.join({ ref: other.error.details.ref } as Team)).handle).toBeTruthy();

    await sql("update parley_private.counters set ends_at = now() - interval '1 second'");
    expect((await create("A")).status).toBe(200);
  });

  test("counts by the key where one was shown, and each key by itself", async () => {
    await set("sessions_per_hour", 1);
    await sql("delete from parley_private.counters");
    const [one, other] = [await makeKey(parley.database), await makeKey(parley.database)];
    expect((await create("A", one)).status).toBe(200);
    expect(refusal(await create("A", one))).toEqual([429, "rate_limited"]);
    expect((await create("A", other)).status).toBe(200);
    expect((await create("A")).status).toBe(200);
    expect(refusal(await create("A"))).toEqual([429, "rate_limited"]);
  });

  test("counts what a team spawns and forks, with the key that the team was opened under", async () => {
    const key = await makeKey(parley.database);
    const { body: team } = await create("A", key);
    await set("sessions_per_hour", 2);
    await sql("delete from parley_private.counters");
    const spawn = () => parley.post(`/sessions/${team.ref}/spawn`, { title: "T", description: "" }, team);
    const fork = () => parley.post(`/sessions/${team.ref}/fork`, { team_name: "A" }, team);
    expect([(await spawn()).status, (await fork()).status]).toEqual([200, 200]);
    expect([refusal(await spawn()), refusal(await fork()), refusal(await create("A", key))]).toEqual(
      Array(3).fill([429, "rate_limited"]),
    );
    expect((await create("A")).status).toBe(200);
  });

  test("a session that is asked for again with its key is not counted again", async () => {
    await set("sessions_per_hour", 1);
    await sql("delete from parley_private.counters");
    const body = { title: "T", description: "", creator_team_name: "A", idempotency_key: "a lost answer" };
    const [first, again] = [await parley.post("/sessions", body), await parley.post("/sessions", body)];
    expect([first.status, again.status, again.body.ref]).toEqual([200, 200, first.body.ref]);
  });

  test("what has ended is swept", async () => {
    await sql(`insert into parley_private.counters values ('hops', 'long ago', 1, now() - interval '1 second')`);
    await until(
      async () => (await sql("select from parley_private.counters where subject = 'long ago'")).length === 0,
      "the sweep",
    );
  });
});

test("under single_session teams of one key are one team, whatever they are called", async () => {
  const [one, other] = [await makeKey(parley.database), await makeKey(parley.database)];
  await set("single_session", true);
  const { body: first } = await create("Blue one", one);
  const refused = await create("Another name", one);
  expect(refusal(refused)).toEqual([409, "team_busy_elsewhere"]);
  expect(refused.body.error.details.ref).toBe(first.ref);
  expect((await create("Blue one", other)).status).toBe(200);
  expect((await create("Blue one")).status).toBe(200);
});

describe("PARLEY_SETTINGS", () => {
  const start = (settings: Record<string, unknown>) =>
    migrate(parley.database.url(), pino({ level: "silent" }), { settings });
  const values = async (...names: string[]) =>
    Object.fromEntries(
      (await sql("select name, value from parley.settings where name = any ($1)", [names])).map(({ name, value }) => [
        name,
        value,
      ]),
    );

  test.each(["nonsense", "[]", "null", "7", '"posts_per_minute"'])("may not be %j", (text) => {
    expect(() => readConfig({ PARLEY_SETTINGS: text })).toThrow(/^PARLEY_SETTINGS must be a JSON object .*\.$/);
  });

  test.each([
    [{ posts_per_hour: 1 }, /^PARLEY_SETTINGS: there is no setting "posts_per_hour"\.$/],
    [{ hops: "many" }, /^PARLEY_SETTINGS: hops must be a whole number\.$/],
    [{ hops: -1 }, /^PARLEY_SETTINGS: hops must be a whole number from 0 to 10000\.$/],
    [{ hops: 1.5 }, /^PARLEY_SETTINGS: hops must be/],
    [{ hops: null }, /^PARLEY_SETTINGS: hops must be/],
    [{ single_session: 1 }, /^PARLEY_SETTINGS: single_session must be true or false\.$/],
    [{ mcp_url: "nonsense" }, /^PARLEY_SETTINGS: mcp_url must be/],
    [{ presence_active_seconds: 3_000 }, /^PARLEY_SETTINGS: presence_active_seconds must be smaller/],
  ])("%j stops the start and sets nothing", async (wrong, sentence) => {
    await sql("update parley.settings set updated_at = null");
    await expect(start({ idle_polls: 77, ...wrong })).rejects.toThrow(sentence);
    expect(await values("idle_polls")).toEqual({ idle_polls: 10 });
  });

  test("gives first values, together; where someone has set one, it stands, and is checked all the same", async () => {
    await sql("update parley.settings set updated_at = null");
    await set("hops", 33);
    await start({
      hops: 5,
      loop_guard: 6,
      convener_only: true,
      presence_active_seconds: 90,
      presence_idle_seconds: 91,
    });
    const names = ["hops", "loop_guard", "convener_only", "presence_active_seconds", "presence_idle_seconds"];
    const now = {
      hops: 33,
      loop_guard: 6,
      convener_only: true,
      presence_active_seconds: 90,
      presence_idle_seconds: 91,
    };
    expect(await values(...names)).toEqual(now);
    await start({ loop_guard: 7 });
    await expect(start({ hops: "many" })).rejects.toThrow(/^PARLEY_SETTINGS: hops/);
    expect(await values(...names)).toEqual(now);
    await sql("update parley.settings set value = default_value where name like 'presence%'");
  });
});
