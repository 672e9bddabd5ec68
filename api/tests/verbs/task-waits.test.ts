import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connected } from "../../../testing/postgres.ts";
import { startTestServer, type Team, type TestServer, until } from "../../../testing/server.ts";
import { refusal, workers } from "./work.ts";

let parley: TestServer;
beforeAll(async () => {
  parley = await startTestServer();
});
afterAll(() => parley.stop());

const { add, claim, done, must, roster, take, update, three } = workers(() => parley);

describe("waiting for work", () => {
  const waiting = (team: Team) =>
    until(async () => (await roster(team)).some(({ listening }) => listening), "a team that waits");
  const FREED: [string, (a: Team, b: Team) => Promise<unknown>, number][] = [
    ["is added", (a) => add(a, "Two"), 2],
    ["is given back", (a) => update(a, 1, { status: "open" }), 1],
    ["is left behind by a team that leaves", (a) => parley.post(`/sessions/${a.ref}/leave`, {}, a), 1],
    ["no longer waits for another", (a) => add(a, { title: "Two", depends_on: [1] }).then(() => done(a, 1)), 2],
    [
      "loses its dependency",
      (a) => add(a, { title: "Two", depends_on: [1] }).then(() => update(a, 2, { depends_on: [] })),
      2,
    ],
    [
      "gets the paths that it needs",
      async (a) => {
        must(await parley.post(`/sessions/${a.ref}/paths/claim`, { paths: ["src/"] }, a));
        await add(a, { title: "Two", paths: ["src/a.ts"] });
        return parley.post(`/sessions/${a.ref}/paths/release`, {}, a);
      },
      2,
    ],
  ];
  test.each(FREED)("a team that waits is woken when a task %s", async (_, free, expected) => {
    const a = await parley.create("Amber");
    await add(a, "One");
    await take(a);
    const b = await parley.join(a, "Blue");
    const call = take(b, { wait: 30 });
    await waiting(b);
    await free(a, b);
    expect(await call).toBe(expected);
  });

  test("of many who wait each gets another, those who waited longest first, and the rest go on waiting", async () => {
    const a = await parley.create("Amber");
    const teams: Team[] = [];
    for (let n = 0; n < 6; n++) teams.push(await parley.join(a, `Team ${n}`));
    const calls: Promise<number | null>[] = [];
    for (const team of teams) {
      calls.push(take(team, { wait: 30 }));
      await until(
        async () => (await roster(a)).filter(({ listening }) => listening).length === calls.length,
        "it to wait",
      );
    }
    await add(a, "One", "Two", "Three");
    expect((await Promise.all(calls.slice(0, 3))).sort()).toEqual([1, 2, 3]);
    await until(async () => (await roster(a)).filter(({ listening }) => listening).length === 3, "the others to wait");
    await add(a, "Four", "Five", "Six");
    expect((await Promise.all(calls.slice(3))).sort()).toEqual([4, 5, 6]);
  });

  test("nothing came: it says what there is; a chat message wakes nobody; more than the most is the most", async () => {
    const [a, b] = await three();
    await add(a, "One");
    await take(a);
    const call = claim(b, { wait: 1 });
    await waiting(b);
    await parley.say(a, "Nothing to do with tasks.");
    expect((await call).body).toMatchObject({ task: null, open: 0, blocked: 0, claimed: 1 });
    expect(await claim(b, { wait: -1 })).toMatchObject(refusal(400, "invalid_argument", { field: "wait" }));
    const abort = new AbortController();
    const long = parley
      .post(`/sessions/${a.ref}/tasks/claim`, { wait: 9_999 }, b, { signal: abort.signal })
      .catch(() => "gone");
    await waiting(b);
    abort.abort();
    expect(await long).toBe("gone");
  });

  test("the session is concluded meanwhile: the call ends with that", async () => {
    const [a, b] = await three();
    const call = claim(b, { wait: 30 });
    await waiting(b);
    await parley.post(`/sessions/${a.ref}/conclude`, { summary_section: "Over." }, a);
    expect(await call).toMatchObject(refusal(403, "session_closed"));
  });

  test("a lease that the database has lost is asked for again", async () => {
    const [a, b] = await three();
    const call = take(b, { wait: 30 });
    await waiting(b);
    await connected(parley.database.url(), (client) => client.query("delete from parley_private.waits"));
    await add(a, "One");
    expect(await call).toBe(1);
  });

  test("as a stream it answers too", async () => {
    const [a, b] = await three();
    const answer = fetch(`${parley.url}/api/sessions/${a.ref}/tasks/claim`, {
      method: "POST",
      headers: { accept: "text/event-stream", "x-team-id": b.team_id },
      body: JSON.stringify({ wait: 30 }),
    }).then((response) => response.text());
    await waiting(b);
    await add(a, "One");
    expect(await answer).toMatch(/^: waiting\n\n(: still waiting\n\n)*event: result\ndata: \{"task":1,/);
  });
});
