import pg from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { metric } from "../../../testing/faults.ts";
import { type Answer, startTestServer, type Team, type TestServer, until } from "../../../testing/server.ts";

const OTHERS = 5;
const ROUNDS = 6;

let parley: TestServer;
beforeAll(async () => {
  parley = await startTestServer();
});
afterAll(() => parley.stop());

const post = (team: Team, text: string, init: RequestInit = {}, name = team.ref) =>
  parley.post(`/sessions/${name}/messages`, { content: text }, team, init);
const waiting = (count: number) =>
  until(async () => (await metric(parley.url, "parley_waiting_calls")) >= count, `${count} waiting calls`);
const isBusy = ({ status, headers, body }: Answer) =>
  status === 503 && body.error.code === "unavailable" && /busy/.test(body.error.message) && headers.has("retry-after");

/** Holds rows as a forgotten transaction in psql does. */
async function lock(table: "sessions" | "participants", where: string, values: unknown[]) {
  const holder = new pg.Client({ connectionString: parley.database.url() });
  await holder.connect();
  onTestFinished(() => holder.end());
  await holder.query("begin");
  await holder.query(`select from parley.${table} where ${where} for update`, values);
  let held = true;
  return {
    get held() {
      return held;
    },
    async release() {
      held = false;
      await holder.query("rollback");
    },
  };
}

/** Posts, wake-ups and readiness of those who have nothing to do with it. */
async function ordinaryLife(speakers: Team[], listeners: Team[], from: number) {
  for (let cursor = from; cursor < from + ROUNDS; cursor++) {
    const answers = listeners.map((team) => parley.wait(team, { since_cursor: cursor }));
    await waiting(OTHERS);
    const said = await Promise.all(speakers.map((team) => post(team, `message ${cursor + 1}`)));
    expect(said.map(({ status }) => status)).toEqual(speakers.map(() => 200));
    for (const answer of answers) expect((await answer).body.messages).toMatchObject([{ cursor: cursor + 1 }]);
    expect((await fetch(`${parley.url}/readyz`)).status).toBe(200);
  }
}

async function seatOthers() {
  const speakers = await Promise.all(Array.from({ length: OTHERS }, () => parley.create()));
  const listeners = await Promise.all(speakers.map((team) => parley.join(team)));
  return { speakers, listeners };
}

test("while one session is locked, the posts, waits and readiness of all others go on as without it", async () => {
  const hot = await parley.create();
  const { speakers, listeners } = await seatOthers();
  const load = (from: number) =>
    Array.from({ length: 30 }, (_, i) =>
      post(hot, `${from + i}`, {}, i % 3 ? hot.ref : hot.session_id.slice(0, 8 + i)),
    );

  await Promise.all([...load(0), ordinaryLife(speakers, listeners, 1)]);
  const row = await lock("sessions", "id = $1", [hot.session_id]);
  const posts = load(30);
  const refused = until(async () => isBusy(await Promise.race(posts)), "a post to be refused as busy");
  await ordinaryLife(speakers, listeners, 1 + ROUNDS);
  expect(row.held).toBe(true);
  await refused;
  expect(row.held).toBe(true);
  await row.release();
  const after = post(hot, "afterwards");
  const ends = await Promise.all([...posts, after]);
  for (const answer of ends) expect(answer.status === 200 || isBusy(answer)).toBe(true);
  expect((await after).status).toBe(200);
  const { body } = await parley.get(`/sessions/${hot.ref}`, hot);
  expect(body.last_cursor).toBe(30 + ends.filter(({ status }) => status === 200).length);
});

test("above the bound of its queue a session refuses at once, and a post whose client has gone is never made", async () => {
  const hot = await parley.create();
  const row = await lock("sessions", "id = $1", [hot.session_id]);
  const first = post(hot, "first");
  await until(async () => (await metric(parley.url, "parley_session_calls")) === 1, "the first to be under way");
  const second = post(hot, "second");
  await until(async () => (await metric(parley.url, "parley_session_calls")) === 2, "the second to be sent behind it");
  const client = new AbortController();
  const left = post(hot, "left", { signal: client.signal }).catch(() => "cut off");
  await until(async () => (await metric(parley.url, "parley_session_calls")) === 3, "the third to queue");
  client.abort();
  expect(await left).toBe("cut off");

  const posts = Array.from({ length: 230 }, (_, i) => post(hot, `${i}`));
  const refusals: Answer[] = [];
  for (const answer of posts) void answer.then((got) => isBusy(got) && row.held && refusals.push(got));
  await until(() => refusals.length >= 30, "those above the bound to be refused");
  await row.release();
  expect([(await first).status, (await second).status]).toEqual([200, 200]);
  const made = (await Promise.all(posts)).filter(({ status }) => status === 200).length;
  expect(made + refusals.length).toBe(posts.length);
  const { body } = await parley.get(`/sessions/${hot.ref}/messages?limit=500`, hot);
  const texts = body.messages.map((message: { content: { text: string } }) => message.content.text);
  expect(texts).toHaveLength(made + 2);
  expect(texts).not.toContain("left");
});

test("waits of a team whose row is locked hold back nobody, are answered afterwards, and in the end say 503", async () => {
  const hot = await parley.create();
  const stuck = await parley.join(hot, "Stuck");
  const { speakers, listeners } = await seatOthers();
  const answer = parley.wait(stuck, { since_cursor: 1 });
  const late = parley.wait(stuck, { since_cursor: 1, timeout: 1 });
  await waiting(2);
  const row = await lock("participants", "session_id = $1 and handle = $2", [hot.session_id, stuck.handle]);
  await post(hot, "for the one that is stuck");
  await ordinaryLife(speakers, listeners, 1);
  expect(row.held).toBe(true);
  expect((await late).status).toBe(503);
  expect(row.held).toBe(true);
  await row.release();
  expect((await answer).body.messages).toMatchObject([{ content: { text: "for the one that is stuck" } }]);
});

test("mutations of a locked session leave GraphQL to the others", async () => {
  const hot = await parley.create();
  const cool = await parley.create();
  const graphql = async (team: Team, query: string, variables = {}) => {
    const headers = { "content-type": "application/json", "x-team-id": team.team_id };
    const init = { method: "POST", headers, body: JSON.stringify({ query, variables }) };
    return (await fetch(`${parley.url}/graphql`, init)).json() as Promise<Record<"data" | "errors", unknown>>;
  };
  const POST = `mutation ($id: String!) { postMessage(input: { sessionId: $id, content: "x" }) { result { cursor } } }`;
  const INPUT = `mutation ($input: PostMessageInput!) { postMessage(input: $input) { result { cursor } } }`;
  const row = await lock("sessions", "id = $1", [hot.session_id]);
  const posts = Array.from({ length: 12 }, (_, i) =>
    i % 2
      ? graphql(hot, POST, { id: hot.ref })
      : graphql(hot, INPUT, { input: { sessionId: hot.ref.toUpperCase(), content: "y" } }),
  );
  await until(async () => (await metric(parley.url, "parley_session_calls")) === posts.length, "the posts to queue");
  for (let cursor = 1; cursor <= ROUNDS; cursor++) {
    expect(await graphql(cool, POST, { id: cool.ref })).toEqual({ data: { postMessage: { result: { cursor } } } });
    expect(await graphql(cool, "{ sessions(first: 1) { nodes { ref } } }")).not.toHaveProperty("errors");
  }
  expect(row.held).toBe(true);
  await row.release();
  for (const answer of await Promise.all(posts)) {
    const [error] = (answer.errors ?? []) as { message: string; extensions: unknown }[];
    if (error)
      expect(error).toMatchObject({ message: expect.stringContaining("busy"), extensions: { code: "unavailable" } });
  }
});
