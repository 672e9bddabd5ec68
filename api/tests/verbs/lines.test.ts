import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connected } from "../../../testing/postgres.ts";
import { startTestServer, type Team, type TestServer, until } from "../../../testing/server.ts";

let parley: TestServer;
beforeAll(async () => {
  parley = await startTestServer();
});
afterAll(() => parley.stop());

const tokens = (text: string) => encode(text).length;
const get = async (path: string, team?: Team): Promise<string> => {
  const { status, headers, body } = await parley.get(`${path}${path.includes("?") ? "&" : "?"}format=lines`, team);
  expect([path, status, headers.get("content-type")]).toEqual([path, 200, "text/plain; charset=utf-8"]);
  return body;
};
const post = async (path: string, args: unknown, team?: Team): Promise<string> => {
  const { status, body } = await parley.post(`${path}?format=lines`, args, team);
  expect([path, status]).toEqual([path, 200]);
  return body;
};
const say = (team: Team, content: string, more = {}) =>
  parley.post(`/sessions/${team.ref}/messages`, { content, ...more }, team);

describe("with ?format=lines", () => {
  test("the first line holds what a program needs, also of a call that waits and of a POST", async () => {
    const created = await post("/sessions", { title: "Port", description: "All of it.", creator_team_name: "Amber" });
    expect(created).toMatch(/^ref [a-z]+-[a-z]+-\d+ · team_id pt_[\w-]{43} · handle amber · cursor 0\ntitle: Port\n/);
    const amber = await parley.create("Amber");
    const joined = await post(`/sessions/${amber.ref}/join`, { team_name: "Blue" });
    expect(joined).toMatch(
      new RegExp(`^ref ${amber.ref} · team_id pt_[\\w-]{43} · handle blue · cursor 1 · unread 0 · doc v0\n`),
    );
    expect(joined).toContain("\nteam amber (convener, ");
    expect(await post(`/sessions/${amber.ref}/doc/append`, { text: "- one" }, amber)).toBe("doc v1 · unread 1\n");

    const red = await parley.join(amber, "Red");
    const held = get(`/sessions/${amber.ref}/messages/wait?since_cursor=2`, red);
    await until(
      async () => (await parley.get(`/sessions/${amber.ref}/participants`, amber)).body.participants[2].listening,
      "the wait",
    );
    expect(
      await post(`/sessions/${amber.ref}/messages`, { content: "one\ntwo", kind: "question", to: ["red"] }, amber),
    ).toBe("cursor 3 · unread 2\n");
    expect(await held).toBe("next_cursor 3 · unread 0 · doc v1 · closed no\n#3 amber question →red: one\n  two\n");
    expect(await get(`/sessions/${amber.ref}/messages/wait?since_cursor=3&timeout=0`, red)).toBe(
      "next_cursor 3 · unread 0 · doc v1 · closed no\n",
    );
    expect(await post(`/sessions/${amber.ref}/sync`, { outbox: ["a", "b"] }, red)).toMatch(
      /^next_cursor \d+ · .* · sent 4,5\n/,
    );
  });

  test("every answer that agents read has a form of its own", async () => {
    const amber = await parley.create("Amber");
    const blue = await parley.join(amber, "Blue");
    const session = `/sessions/${amber.ref}`;
    await say(blue, "Who takes refunds?", { kind: "question", to: ["amber"], metadata: { ticket: 7 } });
    await say(amber, "We pay.", { kind: "decision" });
    await parley.post(`${session}/doc/append`, { text: "- Amber pays", section: "Decisions" }, amber);
    expect(await get(`${session}/messages?limit=2`, amber)).toBe(
      "next_cursor 2 · more yes · unread 2\n#2 blue question →amber (metadata): Who takes refunds?\n#3 amber (you) decision: We pay.\n",
    );
    expect(await get(`${session}/messages/2`, amber)).toMatch(
      /^cursor 2 · message_id [\w-]{36} · at \S+Z · unread 2\n#2 blue .*\ndelivery: amber stored\nmetadata: \{"ticket": 7\}\n$/,
    );
    expect(await get(`${session}/doc`, blue)).toMatch(
      /^doc v1 · unread 1 · by amber · at \S+Z\n## Decisions\n\n- Amber pays\n$/,
    );
    expect(await get(`${session}/participants`, blue)).toMatch(
      /^teams 2 · unread 1\nteam amber \(convener, \w+\): Amber\nteam blue \(you, /,
    );
    expect(await get("/whoami", amber)).toMatch(
      new RegExp(
        `^ref ${amber.ref} · handle amber · cursor 0 · last_cursor 3 · unread 2 · doc v1 · closed no · convener yes\ntitle: A session\n`,
      ),
    );
    expect(await get("/whoami", amber)).toContain("\nopen #2 blue →you: Who takes refunds?\n");
    expect(await get(`${session}/digest`, amber)).toMatch(
      /^since_cursor 0 · through_cursor 3 · messages 2 · unread 2\nopen #2 blue →amber \(you\) just now: Who takes refunds\?\nteam amber \(you, working, 1 message, 1 document change\) last #3 just now: We pay\.\nteam blue \(working, 1 message\) last #2 just now: Who takes refunds\?\ndecided #3 amber just now: We pay\.\ndoc v1 amber just now: Decisions\nevent team_joined: #1 blue\n$/,
    );
    expect(await get(`${session}/search?query=refunds+or+pays`, amber)).toMatch(/^hits \d · more no · unread 2\n/);
    expect(await get(`${session}/search?query=pays`, amber)).toContain("\ndoc [Decisions]: ");
    expect(await get("/sessions?status=active", amber)).toMatch(
      /^sessions \d+ · more no\nsession [a-z]+-[a-z]+-\d+ \(active, teams /,
    );
    expect(await get(session, amber)).toMatch(
      new RegExp(`^ref ${amber.ref} · last_cursor 3 · .* · closed no · convener amber · `),
    );
    expect(await post(`${session}/conclude`, { summary_section: "Ported.\nAll." }, amber)).toMatch(
      /^closed yes · doc v2 · unread \d\n$/,
    );
    expect(await post(`${session}/resume`, { team_name: "Red" })).toMatch(
      new RegExp(
        `^ref \\S+ · team_id pt_\\S+ · handle red · cursor \\d+ · doc v1\n(.*\n)*continues ${amber.ref} .*\nconclusion: Ported.\n  All.\n`,
      ),
    );
  });

  test("a long text says how to read the whole", async () => {
    const amber = await parley.create("Amber");
    await say(amber, "x".repeat(5_000));
    expect(await get(`/sessions/${amber.ref}/messages`, amber)).toContain(" … 1,000 more: get_message 1\n");
  });

  test("a refusal is the JSON of every refusal, and nothing else may stand in the query of a POST", async () => {
    const amber = await parley.create("Amber");
    const refused = [
      await parley.get(`/sessions/${amber.ref}/messages?format=lines`),
      await parley.get(`/sessions/${amber.ref}/messages?format=xml`, amber),
      await parley.post(`/sessions/${amber.ref}/messages?format=lines&content=x`, { content: "x" }, amber),
    ];
    expect(refused.map(({ status, body }) => [status, body.error.code, body.error.details.field])).toEqual([
      [401, "unauthorized", undefined],
      [400, "invalid_argument", "format"],
      [400, "invalid_argument", "content"],
    ]);
  });

  test("OpenAPI tells of it", async () => {
    expect((await parley.get("/openapi.json")).body.info.description).toContain("?format=lines");
  });
});

describe("what agents see is SQL", () => {
  test("a writer that is replaced, and a verb without one, are answered so at once", async () => {
    const own = await startTestServer();
    const amber = await own.create("Amber");
    await connected(own.database.url("parley_owner"), (client) =>
      client.query(`
        create or replace function parley_private.posted_as_text(answer parley.posted_message) returns text
        language sql stable set search_path = '' as $$ select 'posted ' || answer.cursor $$;
        create type parley.weather as (degrees integer, windy boolean, place text, measured_at timestamptz);
        create function parley.get_weather(place text) returns parley.weather
        language sql stable set search_path = ''
        as $$ select row(21, true, get_weather.place, '2026-01-01Z'::timestamptz)::parley.weather $$;
        grant execute on function parley.get_weather to parley_caller;
        comment on function parley.get_weather is '@verb GET /weather
@who open
@toolset extra
@readonly
@param place Where.
The weather.'`),
    );
    await until(async () => (await own.get("/weather?place=x")).status === 200, "the new verb");
    expect((await own.post(`/sessions/${amber.ref}/messages?format=lines`, { content: "x" }, amber)).body).toBe(
      "posted 1\n",
    );
    const place = "here · degrees 99\n\u2028degrees 0\u0085";
    const { body } = await own.get(`/weather?format=lines&place=${encodeURIComponent(place)}`);
    expect(body).toMatch(/^degrees 21 · windy yes · measured_at 2026-01-01T00:00:00\+00:00\n {2}\{.*\}\n$/);
    await own.stop();
  });
});

test("lines are cheap to read: messages, an empty wait, a post, a join", async () => {
  const amber = await parley.create("Amber", "Port billing to the new ledger");
  const blue = await parley.join(amber, "Team Blue");
  for (let i = 0; i < 9; i++) {
    await say(amber, `I have ported src/invoices/part-${i}.ts and its tests; next: exports.`);
    await say(blue, `Refunds ${i}: the rounding differs from the old ledger.`, { kind: "status" });
  }
  const session = `/sessions/${amber.ref}`;
  const history = await get(`${session}/messages?limit=18`, amber);
  expect(history.split("\n").filter((line) => line.startsWith("#"))).toHaveLength(18);
  expect(tokens(history)).toBeLessThanOrEqual(500);
  expect(tokens(await get(`${session}/messages/wait?since_cursor=19&timeout=0`, blue))).toBeLessThanOrEqual(25);
  expect(tokens(await post(`${session}/messages`, { content: "x" }, amber))).toBeLessThanOrEqual(20);
  for (const name of ["Team Red", "Team Green"]) await parley.join(amber, name);
  expect(tokens(await post(`${session}/join`, { team_name: "Team Violet" }))).toBeLessThanOrEqual(250);
});
