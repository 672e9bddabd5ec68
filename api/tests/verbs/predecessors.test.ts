import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestServer, type Team, type TestServer } from "../../../testing/server.ts";

let parley: TestServer;
let first: Team;
let blue: Team;
let second: Team;
let third: Team;
let late: Team;

const say = (team: Team, body: object) => parley.post(`/sessions/${team.ref}/messages`, body, team);
const conclude = (team: Team) => parley.post(`/sessions/${team.ref}/conclude`, { summary_section: "Done." }, team);
const resume = async (session: Team): Promise<Team> =>
  (await parley.post(`/sessions/${session.ref}/resume`, { team_name: "Next" })).body;

/** A line of three sessions. In the first, teams with the same ids and handles as in the last have spoken and been asked. */
beforeAll(async () => {
  parley = await startTestServer();
  first = await parley.create("Next");
  blue = await parley.join(first, "Late");
  await say(first, { content: "mine?" });
  await say(blue, { content: "why?", kind: "question", to: [first.handle] });
  await parley.post(`/sessions/${first.ref}/ack`, { through_cursor: 2 }, first);
  await parley.post(`/sessions/${first.ref}/doc/append`, { text: "otters" }, first);
  await conclude(first);
  second = await resume(first);
  await conclude(second);
  third = await resume(second);
  late = await parley.join(third, "Late");
});
afterAll(() => parley.stop());

const reads = [
  "",
  "/participants",
  "/messages",
  "/messages/2",
  "/doc",
  "/doc?version=1",
  "/digest",
  "/search?query=otters",
  "/whoami",
  "/tasks",
  "/paths",
];

test.each(reads)("a team of a session reads those that it continues: %s", async (path) => {
  for (const reader of [third, late]) {
    for (const session of [first, second]) {
      if (session === second && /2$|version/.test(path)) continue;
      const { status, body } = await parley.get(`/sessions/${session.ref}${path}`, reader);
      expect({ status, body }).toMatchObject({ status: 200, body: { unread: 0 } });
    }
  }
});

test("it sees what is there, but is nobody there, whatever its id and handle are at home", async () => {
  expect([third.handle, late.handle]).toEqual([first.handle, blue.handle]);
  const get = async (path: string) => (await parley.get(`/sessions/${first.ref}${path}`, third)).body;
  const { messages } = await get("/messages");
  expect(messages.map(({ mine }: { mine: boolean }) => mine)).toEqual([false, false, false, false]);
  expect(messages.some((m: object) => "read_by" in m)).toBe(false);
  expect(messages[1].content).toEqual({ text: "mine?" });
  const { participants } = await get("/participants");
  expect(participants.map(({ handle, you }: { handle: string; you: boolean }) => [handle, you])).toEqual([
    [first.handle, false],
    [blue.handle, false],
  ]);
  expect((await get("/messages/2")).mine).toBe(false);
  expect((await get("/doc")).content).toContain("otters");
  expect((await get("/digest")).open_questions).toMatchObject([{ text: "why?" }]);
  expect(await get("/whoami")).toMatchObject({
    ref: first.ref,
    handle: null,
    convener: false,
    cursor: 0,
    open_questions: [],
  });
});

test("reading leaves no trace there", async () => {
  const before = (await parley.get(`/sessions/${first.ref}/participants`, first)).body;
  for (const path of reads) await parley.get(`/sessions/${first.ref}${path}`, third);
  const after = (await parley.get(`/sessions/${first.ref}/participants`, first)).body;
  const cursors = (roster: { participants: { cursor: number; acked_cursor: number }[] }) =>
    roster.participants.map(({ cursor, acked_cursor }) => [cursor, acked_cursor]);
  expect(cursors(after)).toEqual(cursors(before));
});

const refusals: [string, string, object?][] = [
  ["GET", "/messages/wait?timeout=0"],
  ["GET", "/messages/2/replies?timeout=0"],
  ["POST", "/sync", {}],
  ["POST", "/sync", { outbox: ["hello"] }],
  ["POST", "/ack", { through_cursor: 1 }],
  ["POST", "/messages", { content: "hello" }],
  ["POST", "/messages/3/withdraw", {}],
  ["POST", "/doc", { content: "x", expected_version: 2 }],
  ["POST", "/doc/append", { text: "x" }],
  ["POST", "/metadata", { title: "x", reason: "y" }],
  ["POST", "/conclude", { summary_section: "x" }],
  ["POST", "/leave", {}],
];

test.each(refusals)("but writes and waits for nothing there: %s %s %j", async (method, path, body) => {
  const at = `/sessions/${first.ref}${path}`;
  const call = (team?: Team) => (method === "GET" ? parley.get(at, team) : parley.post(at, body, team));
  const stranger = await call();
  expect(stranger.status).toBe(401);
  const { status, body: refused } = await call(third);
  expect({ status, body: refused }).toEqual({ status: 401, body: stranger.body });
});

test("nobody else reads it: not a team of an earlier or another session, nor one that has left", async () => {
  const other = await parley.create();
  const gone = await parley.join(third, "Gone");
  await parley.post(`/sessions/${third.ref}/leave`, {}, gone);
  const stranger = (await parley.get(`/sessions/${first.ref}`)).body;
  for (const path of reads) {
    for (const [team, session] of [
      [first, second],
      [blue, third],
      [second, third],
      [other, first],
      [gone, first],
    ] as const) {
      const refused = await parley.get(`/sessions/${session.ref}${path}`, team);
      expect({ status: refused.status, body: refused.body }).toEqual({ status: 401, body: stranger });
    }
  }
});

test("one that is for its members is read from the next one for as long as that is, too", async () => {
  const body = { title: "T", description: "", creator_team_name: "Next", visibility: "members" };
  const { body: old } = await parley.post("/sessions", body);
  await conclude(old);
  const headers = { "x-team-id": old.team_id };
  const next = (await parley.post(`/sessions/${old.ref}/resume`, { team_name: "Next" }, undefined, { headers })).body;
  const read = async (team: Team) => (await parley.get(`/sessions/${old.ref}/messages`, team)).status;
  expect(await read(next)).toBe(200);
  await parley.post(`/sessions/${next.ref}/access`, { visibility: "everyone" }, next);
  expect([await read(next), await read(await parley.join(next, "Anybody"))]).toEqual([404, 404]);
  expect(await read(old)).toBe(200);
});

test("the hand-off carries the questions that were left open, in short", async () => {
  const old = await parley.create();
  const b = await parley.join(old);
  for (let i = 0; i < 22; i++) await say(old, { content: `q${i} ${"x".repeat(300)}`, kind: "question" });
  await say(b, { content: "because", kind: "answer", reply_to: 2 });
  await conclude(old);
  const { handoff } = (await parley.post(`/sessions/${old.ref}/resume`, { team_name: "Next" })).body;
  expect(handoff.open_questions).toBe(21);
  expect(handoff.questions.map(({ cursor }: { cursor: number }) => cursor)).toEqual(
    Array.from({ length: 20 }, (_, i) => i + 4),
  );
  expect(handoff.questions[0]).toMatchObject({ handle: old.handle, text: expect.stringMatching(/^q2 x+…$/) });
  expect(handoff.questions[0].text).toHaveLength(280);
});

test("a question that was open at the close stays so when its team leaves afterwards", async () => {
  const old = await parley.create();
  const b = await parley.join(old);
  await say(old, { content: "when?", kind: "question", to: [b.handle] });
  await conclude(old);
  await parley.post(`/sessions/${b.ref}/leave`, {}, b);
  const { handoff } = (await parley.post(`/sessions/${old.ref}/resume`, { team_name: "Next" })).body;
  expect(handoff.questions).toMatchObject([{ text: "when?", to: [b.handle] }]);
});
