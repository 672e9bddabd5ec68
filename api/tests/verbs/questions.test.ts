import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestServer, type Team, type TestServer, until } from "../../../testing/server.ts";

let parley: TestServer;
beforeAll(async () => {
  parley = await startTestServer();
});
afterAll(() => parley.stop());

const say = async (team: Team, body: object): Promise<number> => {
  const { status, body: answer } = await parley.post(`/sessions/${team.ref}/messages`, { content: "x", ...body }, team);
  if (status !== 200) throw new Error(JSON.stringify(answer));
  return answer.cursor;
};
const ask = (team: Team, ...to: Team[]) => say(team, { kind: "question", to: to.map(({ handle }) => handle) });
const answer = (team: Team, reply_to: number) => say(team, { kind: "answer", reply_to });
const withdraw = (team: Team | undefined, at: Team, message: number | string) =>
  parley.post(`/sessions/${at.ref}/messages/${message}/withdraw`, {}, team);
const replies = (team: Team, cursor: number, query = "timeout=0") =>
  parley.get(`/sessions/${team.ref}/messages/${cursor}/replies?${query}`, team);
const cursors = (list: { cursor: number }[]) => list.map(({ cursor }) => cursor);
const refusal = (status: number, code: string, details: object = {}) => ({
  status,
  body: { error: { code, details } },
});

/** Which questions are open: for a team, in the digest, and on the page. */
async function open(team: Team) {
  const whoami = (await parley.get("/whoami", team)).body.open_questions;
  const digest = (await parley.get(`/sessions/${team.ref}/digest`, team)).body.open_questions;
  const query = `{ sessionByRef(ref: "${team.ref}") { openQuestions } }`;
  const page = await fetch(`${parley.url}/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query }),
  });
  const { data } = (await page.json()) as { data: { sessionByRef: { openQuestions: number[] } } };
  expect(data.sessionByRef.openQuestions).toEqual(cursors(digest));
  return { mine: cursors(whoami), all: cursors(digest) };
}

async function four(): Promise<[Team, Team, Team, Team]> {
  const a = await parley.create("A");
  return [a, await parley.join(a, "B"), await parley.join(a, "C"), await parley.join(a, "D")];
}

describe("a question to several teams", () => {
  test("stays open until each has answered, and waits for those who have not", async () => {
    const [a, b, c, d] = await four();
    const question = await ask(a, b, c);
    await answer(d, question);
    expect(await open(b)).toEqual({ mine: [question], all: [question] });
    await answer(b, question);
    expect(await open(b)).toEqual({ mine: [], all: [question] });
    expect(await open(c)).toEqual({ mine: [question], all: [question] });
    await say(c, { reply_to: question, kind: "status" });
    expect((await open(c)).mine).toEqual([question]);
    await answer(c, question);
    expect(await open(c)).toEqual({ mine: [], all: [] });
  });

  test("is not held open by who has left", async () => {
    const [a, b, c] = await four();
    const question = await ask(a, b, c);
    await answer(b, question);
    await parley.post(`/sessions/${c.ref}/leave`, {}, c);
    expect((await open(a)).all).toEqual([]);
  });

  test("is closed for all when its author answers it", async () => {
    const [a, b, c] = await four();
    const question = await ask(a, b, c);
    await answer(a, question);
    expect(await open(b)).toEqual({ mine: [], all: [] });
  });

  test("to everybody is closed by the first answer", async () => {
    const [a, b, c] = await four();
    const question = await say(a, { kind: "question" });
    expect((await open(c)).mine).toEqual([question]);
    await answer(b, question);
    expect(await open(c)).toEqual({ mine: [], all: [] });
  });
});

describe("wait_for_reply with all", () => {
  test("waits until each has answered; without it the first is enough", async () => {
    const [a, b, c] = await four();
    const question = await ask(a, b, c);
    let done = false;
    const all = replies(a, question, "all=true&timeout=20").then((heard) => {
      done = true;
      return heard;
    });
    const first = await answer(b, question);
    expect(cursors((await replies(a, question, "timeout=20")).body.messages)).toEqual([first]);
    expect((await replies(a, question)).body.yet_to_answer).toEqual([c.handle]);
    expect(done).toBe(false);
    const second = await answer(c, question);
    const { body } = await all;
    expect(cursors(body.messages)).toEqual([first, second]);
    expect(body).not.toHaveProperty("yet_to_answer");
  });

  test.each(["leave", "withdraw"])("ends when nobody is left who owes an answer: %s", async (how) => {
    const [a, b] = await four();
    const question = await ask(a, b);
    const all = replies(a, question, "all=true&timeout=20");
    await until(
      async () => (await parley.get(`/sessions/${a.ref}/participants`, b)).body.participants[0].listening,
      "the wait",
    );
    if (how === "leave") await parley.post(`/sessions/${b.ref}/leave`, {}, b);
    else await withdraw(a, a, question);
    expect((await all).body).toMatchObject({ messages: [], session_closed: false });
  });
});

describe("a question that is withdrawn", () => {
  test("is open no more, is told in the feed once, and stays where it is", async () => {
    const [a, b] = await four();
    const question = await ask(a, b);
    const first = await withdraw(a, a, question);
    expect(first).toMatchObject({ status: 200, body: { cursor: question, at: expect.any(String), unread: 3 } });
    expect(await open(b)).toEqual({ mine: [], all: [] });
    expect((await withdraw(a, a, first.body.message_id)).body).toEqual(first.body);
    const { messages } = (await parley.get(`/sessions/${a.ref}/messages`, b)).body;
    expect(messages.slice(-2)).toMatchObject([
      { cursor: question, kind: "question" },
      {
        cursor: question + 1,
        type: "system",
        event: "question_withdrawn",
        by: "A",
        handle: a.handle,
        reply_to_cursor: question,
        content: { event: "question_withdrawn", by: "A", cursor: question },
      },
    ]);
    const { replies } = (await parley.get(`/sessions/${a.ref}/messages/${question}`, a)).body;
    expect(replies).toEqual([]);
  });

  test("was a question, and one's own", async () => {
    const [a, b] = await four();
    const question = await ask(a, b);
    const text = await say(a, {});
    expect(await withdraw(b, a, question)).toMatchObject(refusal(403, "forbidden"));
    expect(await withdraw(a, a, text)).toMatchObject(refusal(400, "invalid_argument", { field: "message" }));
    expect(await withdraw(a, a, "x")).toMatchObject(refusal(400, "invalid_argument", { field: "message" }));
    expect(await withdraw(a, a, 99)).toMatchObject(refusal(404, "message_not_found", { field: "message" }));
    expect(await withdraw(undefined, a, question)).toMatchObject(refusal(401, "unauthorized"));
    expect(await withdraw(await parley.create(), a, question)).toMatchObject(refusal(401, "unauthorized"));
    expect((await open(b)).mine).toEqual([question]);
  });

  test("cannot be withdrawn after the close, but was it before, that is known", async () => {
    const [a, b] = await four();
    const [early, late] = [await ask(a, b), await ask(a, b)];
    await withdraw(a, a, early);
    await parley.post(`/sessions/${a.ref}/conclude`, { summary_section: "Done." }, a);
    expect(await withdraw(a, a, late)).toMatchObject(refusal(403, "session_closed"));
    expect((await withdraw(a, a, early)).status).toBe(200);
  });
});

describe("who has left", () => {
  test("cannot be asked alone, and the refusal says who is here", async () => {
    const [a, b, c] = await four();
    await parley.post(`/sessions/${b.ref}/leave`, {}, b);
    const question = { content: "?", kind: "question", to: [b.handle] };
    const refused = await parley.post(`/sessions/${a.ref}/messages`, question, a);
    expect(refused).toMatchObject(refusal(400, "invalid_argument", { field: "to" }));
    expect(refused.body.error.details.hint).toContain(c.handle);
    expect(refused.body.error.details.hint).not.toMatch(new RegExp(`\\b${b.handle}\\b`));
    expect(await parley.post(`/sessions/${a.ref}/sync`, { outbox: [question] }, a)).toMatchObject(
      refusal(400, "invalid_argument", { field: "outbox[0].to" }),
    );
    expect(await ask(a, b, c)).toBe(5);
    expect(await say(a, { to: [b.handle] })).toBe(6);
  });

  test("was asked before: the retry of that question succeeds", async () => {
    const [a, b] = await four();
    const question = { content: "?", kind: "question", to: [b.handle], client_message_id: "k" };
    const first = await parley.post(`/sessions/${a.ref}/messages`, question, a);
    await parley.post(`/sessions/${b.ref}/leave`, {}, b);
    const again = await parley.post(`/sessions/${a.ref}/messages`, question, a);
    expect(again.body.cursor).toBe(first.body.cursor);
  });
});
