import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { metric } from "../../../testing/faults.ts";
import { type Answer, startTestServer, type Team, type TestServer, until } from "../../../testing/server.ts";

let parley: TestServer;
beforeAll(async () => {
  parley = await startTestServer();
});
afterAll(() => parley.stop());

const waiting = (count: number) =>
  until(async () => (await metric(parley.url, "parley_waiting_calls")) === count, `${count} waiting calls`);
const cursors = ({ body }: Answer) => body.messages.map((m: { cursor: number }) => m.cursor);
const retitle = (team: Team, title: string) =>
  parley.post(`/sessions/${team.ref}/metadata`, { title, reason: "scope" }, team);
const sync = (team: Team, body: object) => parley.post(`/sessions/${team.ref}/sync`, body, team);

async function pair(): Promise<[Team, Team]> {
  const a = await parley.create();
  return [a, await parley.join(a)];
}

describe("what a team has said or caused itself", () => {
  test("does not end its wait, and does not come with what others say", async () => {
    const [a, b] = await pair();
    const answer = parley.wait(a, { since_cursor: 1 });
    await waiting(1);
    await parley.say(a, "mine");
    await retitle(a, "Mine");
    await parley.say(b, "yours");
    await parley.say(a, "mine again");
    const { body } = await answer;
    expect(cursors(await answer)).toEqual([4]);
    // Woken by 4: whether 5 was there already is a matter of time, but it is never told.
    expect([4, 5]).toContain(body.next_cursor);
    expect(body).toMatchObject({ has_more: false, unread: 0, empty_polls: 0 });
    expect((await parley.wait(a, { since_cursor: body.next_cursor, timeout: 0 })).body.messages).toEqual([]);
  });

  test("comes when it is asked for, to waits that are held and to those that are not", async () => {
    const [a] = await pair();
    const include_self = "true";
    const held = parley.wait(a, { since_cursor: 1, include_self });
    await waiting(1);
    await parley.say(a, "mine");
    expect((await held).body).toMatchObject({ messages: [{ cursor: 2, mine: true }], next_cursor: 2 });
    await retitle(a, "Mine");
    expect(cursors(await parley.wait(a, { since_cursor: 1, include_self }))).toEqual([2, 3]);
    expect(cursors(await parley.wait(a, { since_cursor: 1, timeout: 0 }))).toEqual([]);
  });

  test("leaves the cursor where it was when nothing else came", async () => {
    const [a] = await pair();
    for (let i = 0; i < 3; i++) await parley.say(a, "mine");
    for (const timeout of [0, 0.1]) {
      const { body } = await parley.wait(a, { since_cursor: 1, timeout });
      expect(body).toMatchObject({ messages: [], next_cursor: 1, has_more: false, unread: 0 });
    }
    expect((await parley.wait(a, { since_cursor: 1, timeout: 0 })).body.empty_polls).toBe(3);
  });

  test("stands between the pages of others without being counted", async () => {
    const [a, b] = await pair();
    for (let i = 0; i < 120; i++) {
      await parley.say(a, "mine");
      await parley.say(b, "yours");
    }
    await parley.say(a, "mine at the end");
    const first = await parley.wait(a, { since_cursor: 1 });
    expect(first.body).toMatchObject({ next_cursor: 201, has_more: true, unread: 20 });
    expect(cursors(first)).toEqual(Array.from({ length: 100 }, (_, i) => 3 + 2 * i));
    const second = await parley.wait(a, { since_cursor: 201 });
    expect(second.body).toMatchObject({ next_cursor: 242, has_more: false, unread: 0 });
    expect(cursors(second)).toEqual(Array.from({ length: 20 }, (_, i) => 203 + 2 * i));
  });

  test("is left out for its author alone when many wait for the same", async () => {
    const a = await parley.create();
    const others: Team[] = [];
    for (let i = 0; i < 8; i++) others.push(await parley.join(a, `Team ${i}`));
    const teams = [a, ...others];
    const answers = teams.map((team) => parley.wait(team, { since_cursor: 8 }));
    await waiting(9);
    await parley.say(others[0] as Team, "from the first");
    const rest = await Promise.all(answers.filter((_, i) => i !== 1));
    for (const answer of rest) expect(cursors(answer)).toEqual([9]);
    await waiting(1);
    await parley.say(a, "from the convener");
    expect(cursors(await (answers[1] as Promise<Answer>))).toEqual([10]);
  });
});

describe("a cursor that jumps over what was never handed over", () => {
  test("is told how much, once, and counts messages of others only", async () => {
    const [a, b] = await pair();
    await parley.say(a, "mine");
    for (const text of ["one", "two", "three"]) await parley.say(b, text);
    expect((await parley.wait(a)).body).not.toHaveProperty("skipped");
    await parley.say(b, "four");
    await parley.say(b, "five");
    await parley.say(a, "mine again");
    const jump = await parley.wait(a, { since_cursor: 8, timeout: 0 });
    expect(jump.body).toMatchObject({ messages: [], next_cursor: 8, skipped: 2, unread: 0 });
    expect((await parley.wait(a, { since_cursor: 8, timeout: 0 })).body).not.toHaveProperty("skipped");
  });

  test("is told by a wait that was held, and by sync", async () => {
    const [a, b] = await pair();
    const held = parley.wait(a, { since_cursor: 1 });
    await waiting(1);
    await parley.say(b, "one");
    expect((await held).body).toMatchObject({ messages: [{ cursor: 2 }], skipped: 1 });
    await parley.say(b, "two");
    expect((await sync(a, { since_cursor: 3 })).body).toMatchObject({ messages: [], skipped: 1 });
    await parley.say(b, "three");
    const synced = sync(a, { since_cursor: 4, timeout: 30 });
    await waiting(1);
    await parley.say(b, "four");
    expect((await synced).body).toMatchObject({ messages: [{ cursor: 5 }], skipped: 1 });
    expect((await sync(a, { since_cursor: 5 })).body).not.toHaveProperty("skipped");
  });
});

test("a new version of the document ends the count of empty waits of everyone", async () => {
  const [a, b] = await pair();
  const polls = async (team: Team, timeout = 0.05) =>
    (await parley.wait(team, { since_cursor: 1, timeout })).body.empty_polls;
  for (const n of [1, 2, 3]) expect([await polls(a), await polls(b, 0)]).toEqual([n, n]);
  await parley.post(`/sessions/${a.ref}/doc/append`, { text: "news" }, a);
  expect((await sync(b, { since_cursor: 1 })).body.empty_polls).toBe(0);
  expect([await polls(a), await polls(b)]).toEqual([1, 1]);
  expect([await polls(a, 0), (await sync(b, { timeout: 0.05 })).body.empty_polls]).toEqual([2, 2]);
});

describe("receipts name who was there and has read it", () => {
  const readers = async (team: Team, cursor: number) =>
    (await parley.get(`/sessions/${team.ref}/messages/${cursor}`, team)).body.read_by;
  const ack = (team: Team, through_cursor: number) =>
    parley.post(`/sessions/${team.ref}/ack`, { through_cursor }, team);

  test("not who joined later, however far it acks", async () => {
    const [a, b] = await pair();
    const { cursor } = await parley.say(a, "read this");
    const late = await parley.join(a, "Late");
    const { cursor: after } = await parley.say(a, "and this");
    await ack(b, after);
    await ack(late, after);
    expect(await readers(a, cursor)).toEqual([b.handle]);
    expect(await readers(a, after)).toEqual([b.handle, late.handle]);
    const { messages } = (await parley.get(`/sessions/${a.ref}/messages`, a)).body;
    expect(messages[1].read_by).toEqual([b.handle]);
  });

  test("but who joined later and replayed it", async () => {
    const [a] = await pair();
    const { cursor } = await parley.say(a, "before the replay");
    const { cursor: next } = await parley.say(a, "part of it");
    const late = (await parley.post(`/sessions/${a.ref}/join`, { team_name: "Late", replay_from: cursor })).body;
    await parley.wait(late, { timeout: 0 });
    expect(await readers(a, next)).toEqual([]);
    await ack(late, next);
    expect([await readers(a, cursor), await readers(a, next)]).toEqual([[], [late.handle]]);
  });
});
