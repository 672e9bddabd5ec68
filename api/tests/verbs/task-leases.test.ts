import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestServer, type Team, type TestServer, until } from "../../../testing/server.ts";
import { refusal, workers } from "./work.ts";

let parley: TestServer;
beforeAll(async () => {
  parley = await startTestServer();
});
afterAll(() => parley.stop());

const { add, done, events, list, roster, set, silence, sweep, take, task, update, three } = workers(() => parley);

describe("a claim is a lease", () => {
  test("it ends when nothing is heard of its team for as long as it is present and a grace more, and the sweep tells", async () => {
    const [a, b] = await three();
    await add(a, "One");
    await take(b);
    await silence(b, "15 minutes");
    await sweep();
    expect(await task(a, 1)).toMatchObject({ status: "claimed", claimed_by: "blue" });
    await silence(b, "17 minutes");
    expect(new Date((await task(a, 1)).claim_expires_at).getTime()).toBeLessThan(Date.now());
    await sweep();
    expect(await task(a, 1)).toMatchObject({ status: "open", claimed_by: null });
    expect((await events(a)).at(-1)).toEqual({
      event: "task_freed",
      task: 1,
      title: "One",
      team: "Blue",
      from: "blue",
      reason: "lease expired",
    });
    // To the team that has lost it, it is news.
    expect((await parley.wait(b, { timeout: 0 })).body.messages.at(-1)).toMatchObject({
      event: "task_freed",
      reason: "lease expired",
    });
  });

  test("what has run out can be claimed before the sweep comes by, and the late holder is told whose it is", async () => {
    const [a, b, c] = await three();
    await add(a, "One");
    await take(b);
    await silence(b, "1 hour");
    expect(await take(c)).toBe(1);
    expect((await events(a)).slice(-2).map(({ event }) => event)).toEqual(["task_freed", "task_claimed"]);
    expect(await update(b, 1, { status: "done", result: "Late." })).toMatchObject(
      refusal(403, "not_your_task", { by: "green" }),
    );
  });

  test("a holder that comes late, but before anybody else, finishes what is still its own", async () => {
    const [a, b] = await three();
    await add(a, "One");
    await take(b);
    await silence(b, "1 hour");
    expect(await done(b, 1)).toMatchObject({ status: "done", done_by: "blue" });
    await sweep();
    expect(await task(a, 1)).toMatchObject({ status: "done" });
  });

  test("a wait in flight keeps it, and so does any call", async () => {
    const [a, b] = await three();
    await add(a, "One");
    await take(b);
    const wait = parley.wait(b, { since_cursor: (await parley.get(`/sessions/${a.ref}`, b)).body.last_cursor });
    await until(async () => (await roster(a))[1]?.listening, "the team to listen");
    await silence(b, "1 hour");
    await sweep();
    expect(await task(a, 1)).toMatchObject({ claimed_by: "blue" });
    await parley.say(a, "Hello");
    await wait;
    await silence(b, "1 hour");
    await parley.get("/whoami", b);
    await sweep();
    expect(await task(a, 1)).toMatchObject({ claimed_by: "blue" });
  });

  test("the grace is a setting", async () => {
    const [a, b] = await three();
    await add(a, "One");
    await take(b);
    await silence(b, "2 minutes");
    await set("claim_grace", 30);
    try {
      await sweep();
    } finally {
      await set("claim_grace", 900);
    }
    expect(await task(a, 1)).toMatchObject({ status: "open" });
  });

  test("leaving frees it at once, and a closed session keeps no claims", async () => {
    const [a, b, c] = await three();
    await add(a, "One", "Two");
    await take(b);
    await take(c);
    await parley.post(`/sessions/${a.ref}/leave`, {}, b);
    expect((await events(a)).slice(-2)).toEqual([
      { event: "task_freed", task: 1, title: "One", team: "Blue", from: "blue", handle: "blue", reason: "team left" },
      { event: "team_left", team: "Blue", handle: "blue" },
    ]);
    await parley.post(`/sessions/${a.ref}/conclude`, { summary_section: "Over." }, a);
    expect((await list(a)).tasks.map((row: { status: string }) => row.status)).toEqual(["open", "open"]);
    const before = (await events(a)).length;
    await parley.post(`/sessions/${a.ref}/leave`, {}, c);
    expect(await events(a)).toHaveLength(before);
  });

  test("whoever comes back by its key has its claims", async () => {
    const a = await parley.create("Amber");
    const join = { team_name: "Blue", idempotency_key: "blue-1" };
    const b = (await parley.post(`/sessions/${a.ref}/join`, join)).body as Team;
    await add(a, "One");
    await take(b);
    const again = (await parley.post(`/sessions/${a.ref}/join`, join)).body as Team;
    expect((await parley.get("/whoami", again)).body).toMatchObject({ handle: "blue", tasks: [1] });
  });
});
