import pg from "pg";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { metric } from "../../../testing/faults.ts";
import { connected } from "../../../testing/postgres.ts";
import { startTestServer, type Team, type TestServer, until } from "../../../testing/server.ts";

let parley: TestServer;
let alex: Team;
let teams: Team[];

beforeAll(async () => {
  parley = await startTestServer();
  alex = await parley.create();
  teams = [];
  for (const name of ["Blue", "Red", "Green"]) teams.push(await parley.join(alex, name));
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => parley.stop());

const sql = (text: string) => connected(parley.database.url("parley_owner"), (client) => client.query(text));
const waiting = (count: number) =>
  until(async () => (await metric(parley.url, "parley_waiting_calls")) === count, `${count} waiting calls`);

/** Every team waits twice, as JSON and as lines; then somebody speaks. */
async function wake(said: string) {
  const { cursor } = await parley.say(alex, "before");
  const answers = teams.flatMap((team) => [
    parley.wait(team, { since_cursor: cursor }),
    parley.wait(team, { since_cursor: cursor, format: "lines" }),
  ]);
  await waiting(2 * teams.length);
  const statements = vi.spyOn(pg.Client.prototype, "query");
  await parley.say(alex, said);
  const heard = await Promise.all(answers);
  const texts = statements.mock.calls.map(([query]) => (query as unknown as pg.QueryConfig).text ?? "");
  return { heard, texts, cursor: cursor + 1 };
}

test("lines of a wait that was held are written by the statement that answers it", async () => {
  const { heard, texts, cursor } = await wake("hello");
  for (const [i, { status, body }] of heard.entries()) {
    expect(status).toBe(200);
    if (i % 2 === 0) expect(body.messages).toMatchObject([{ cursor, content: { text: "hello" } }]);
    else expect(body).toMatch(new RegExp(`^next_cursor ${cursor} .*\\n#${cursor} .*hello`));
  }
  expect(texts.filter((text) => text.includes("_as_text"))).not.toEqual([]);
  expect(texts.filter((text) => text.includes("_as_text") && !text.includes("answer_waits"))).toEqual([]);
});

test("so are those of a wait that is answered at once", async () => {
  const { cursor } = await parley.say(alex, "there already");
  const statements = vi.spyOn(pg.Client.prototype, "query");
  const { body } = await parley.wait(teams[0] as Team, { since_cursor: cursor - 1, format: "lines" });
  expect(body).toContain("there already");
  const texts = statements.mock.calls.map(([query]) => (query as unknown as pg.QueryConfig).text ?? "");
  expect(texts.filter((text) => text.includes("_as_text"))).toEqual([]);
});

test("lines that cannot be written are refused to those who asked for them, and hold back nobody", async () => {
  await sql(`create function parley_private.broken_lines(answer parley.wait_answer) returns text language plpgsql as
    $$ begin raise exception 'No lines today.'; end $$;
    grant execute on function parley_private.broken_lines to parley_caller;
    comment on type parley.wait_answer is '@text parley_private.broken_lines'`);
  const said = async () =>
    (await parley.get(`/sessions/${alex.ref}/messages/wait?timeout=0&format=lines`, teams[0])).body;
  await until(async () => (await said()).error?.message === "No lines today.", "the new writer");
  const { heard } = await wake("hello again");
  for (const [i, { status, body }] of heard.entries()) {
    if (i % 2 === 0) expect([status, body.messages[0].content.text]).toEqual([200, "hello again"]);
    else expect([status, body.error.message]).toEqual([400, "No lines today."]);
  }
  await waiting(0);
});
