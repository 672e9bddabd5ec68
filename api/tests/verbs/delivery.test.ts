import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestServer, type Team, type TestServer } from "../../../testing/server.ts";
import { agents } from "./runs.ts";
import { refusal, workers } from "./work.ts";

let parley: TestServer;
beforeAll(async () => {
  parley = await startTestServer();
});
afterAll(() => parley.stop());

const run = agents(() => parley);
const work = workers(() => parley);

async function pair(): Promise<[Team, Team]> {
  const a = await parley.create();
  return [a, await parley.join(a)];
}
const at = (team: Team, path: string) => `/sessions/${team.ref}/${path}`;
const tell = async (by: Team, to: Team, more: object = {}) =>
  run.must(await parley.post(at(by, "messages"), { content: "Go on.", to: [to.handle], ...more }, by)).cursor as number;
const message = async (team: Team, cursor: number) => run.must(await parley.get(at(team, `messages/${cursor}`), team));
const delivery = async (team: Team, cursor: number) => (await message(team, cursor)).delivery[0];
const entry = async (team: Team, of: Team) => (await work.roster(team)).find(({ handle }) => handle === of.handle);
const ring = (by: Team, { handle }: Team, wait?: number) => parley.post(at(by, "ring"), { handle, wait }, by);

describe("a message that is meant for a team", () => {
  test("is stored, handed, in a turn and acted upon, each with its time", async () => {
    const [a, b] = await pair();
    const cursor = await tell(a, b);
    const stored = { handle: b.handle, state: "stored", handed_at: null, turn_at: null, acted_at: null };
    expect(await delivery(a, cursor)).toEqual({ ...stored, stored_at: expect.any(String) });
    await parley.wait(b, { timeout: 0 });
    const handed = { ...stored, state: "handed", handed_at: expect.any(String), stored_at: expect.any(String) };
    expect(await delivery(a, cursor)).toEqual(handed);
    await parley.post(at(b, "sync"), { turn_cursor: cursor, by: "hook" }, b);
    expect(await delivery(a, cursor)).toEqual({ ...handed, state: "turn", turn_at: expect.any(String) });
    await parley.say(b, "Done.");
    const acted = { ...handed, state: "acted", turn_at: expect.any(String), acted_at: expect.any(String) };
    const last = await delivery(a, cursor);
    expect(last).toEqual(acted);
    const times = [last.stored_at, last.handed_at, last.turn_at, last.acted_at];
    expect(times).toEqual([...times].sort());
    const lines = (await parley.get(at(a, `messages/${cursor}?format=lines`), a)).body;
    expect(lines).toMatch(new RegExp(`^delivery: ${b.handle} acted \\d\\d:\\d\\d:\\d\\dZ$`, "m"));
  });

  test("is handed to whoever waits for it; who says something without having heard it has not acted", async () => {
    const [a, b] = await pair();
    const waiting = parley.wait(b, { timeout: 20 });
    const cursor = await tell(a, b);
    await waiting;
    expect(await delivery(a, cursor)).toMatchObject({ state: "handed", handed_at: expect.any(String) });
    const next = await tell(a, b);
    await parley.say(b, "Something else.");
    expect(await delivery(a, next)).toMatchObject({ state: "stored" });
    expect(await delivery(a, cursor)).toMatchObject({ state: "acted" });
  });

  test("was acted upon by an ack, or by a task that was moved", async () => {
    const [a, b] = await pair();
    const first = await tell(a, b);
    await parley.post(at(b, "ack"), { through_cursor: first }, b);
    expect(await delivery(a, first)).toMatchObject({ state: "acted", acted_at: expect.any(String) });
    const second = await tell(a, b);
    await parley.wait(b, { timeout: 0 });
    await work.add(a, "One");
    await work.take(b);
    expect(await delivery(a, second)).toMatchObject({ state: "acted" });
  });

  test("tells how far it has got when nobody has replied in time; one for everybody tells nothing", async () => {
    const [a, b] = await pair();
    const cursor = await tell(a, b, { kind: "question" });
    const replies = () => parley.get(at(a, `messages/${cursor}/replies?timeout=0`), a);
    expect(run.must(await replies())).toMatchObject({
      messages: [],
      delivery: [{ handle: b.handle, state: "stored" }],
    });
    await parley.post(at(b, "messages"), { content: "Yes.", reply_to: cursor }, b);
    expect(run.must(await replies())).not.toHaveProperty("delivery");
    const { cursor: to_all } = await parley.say(a, "To all.");
    expect(await message(b, to_all)).not.toHaveProperty("delivery");
  });
});

describe("a team is reachable", () => {
  test("by what was seen: a wait, a hook or a runner, and by nothing once that is gone", async () => {
    const [a, b] = await pair();
    expect(await entry(a, b)).toMatchObject({ reachable: { by: "wait", proven_at: expect.any(String) } });
    await work.silence(b, "1 minute");
    expect(await entry(a, b)).toMatchObject({ reachable: { by: "none" } });

    const gone = new AbortController();
    const waiting = parley.wait(b, { timeout: 30, by: "hook" }, { signal: gone.signal }).catch(() => undefined);
    await expect.poll(async () => (await entry(a, b))?.reachable, { timeout: 10_000 }).toMatchObject({ by: "hook" });
    gone.abort();
    await waiting;
    await expect.poll(async () => (await entry(a, b))?.reachable, { timeout: 10_000 }).toMatchObject({ by: "wait" });

    run.must(await run.report(b, { agent: "claude", status: "waiting" }));
    expect(await entry(a, b)).toMatchObject({ reachable: { by: "runner" } });
    await run.sql("update parley.runs set alive_until = now() where session_id = $1", [a.session_id]);
    await work.silence(b, "1 minute");
    expect(await entry(a, b)).toMatchObject({ reachable: { by: "none" } });
    expect(await parley.wait(b, { timeout: 0, by: "magic" })).toMatchObject(refusal(400, "invalid_argument"));
  });
});

describe("a ring", () => {
  test("ends the wait of the team that is rung, and of nobody else; an ack is all that it asks for", async () => {
    const [a, b] = await pair();
    const c = await parley.join(a, "Third");
    const [waiting, other] = [
      parley.wait(b, { timeout: 20, since_cursor: 2 }),
      parley.wait(c, { timeout: 20, since_cursor: 2 }),
    ];
    await expect.poll(async () => (await entry(a, b))?.listening, { timeout: 10_000 }).toBe(true);
    const ringing = ring(a, b, 20);
    const { ring: heard, messages } = (await waiting).body;
    expect([heard, messages]).toEqual([
      { by: a.handle, at: expect.any(String), cursor: expect.any(Number) },
      expect.any(Array),
    ]);
    await parley.post(at(b, "ack"), { through_cursor: heard.cursor }, b);
    expect(run.must(await ringing)).toMatchObject({ handle: b.handle, state: "acted", acted_at: expect.any(String) });
    expect((await parley.get("/whoami", b)).body).not.toHaveProperty("ring");
    // Rung again at once, it is the same ring.
    expect(run.must(await ring(a, b, 20))).toMatchObject({ state: "acted" });
    const last = await parley.say(a, "For all.");
    expect((await other).body.messages.at(-1)).toMatchObject({ cursor: last.cursor });
    expect((await other).body).not.toHaveProperty("ring");
  });

  test("tells the state that was reached in time, and rides on any answer", async () => {
    const [a, b] = await pair();
    expect(run.must(await ring(a, b, 0))).toMatchObject({ state: "stored" });
    const lines = (await parley.get("/whoami?format=lines", b)).body.split("\n");
    expect(lines[0]).toMatch(/ · ring \d+$/);
    expect(lines[1]).toMatch(new RegExp(`^rung by ${a.handle}: `));
    expect(run.must(await ring(a, b, 0.05))).toMatchObject({ state: "handed" });
    await parley.say(b, "Here.");
    expect(run.must(await ring(a, b, 20))).toMatchObject({ state: "acted" });
    expect(await ring(a, a)).toMatchObject(refusal(400, "invalid_argument"));
    expect(await ring(a, { ...b, handle: "nobody" })).toMatchObject(refusal(404, "team_not_found"));
  });

  test("is not made again by the call that has waited for it", async () => {
    const [a, b] = await pair();
    const ringing = ring(a, b, 3);
    await run.waits("ring_team");
    expect(run.must(await parley.get("/whoami", b))).toMatchObject({ ring: { by: a.handle } });
    await run.sql("update parley_private.rings set at = at - interval '40 seconds' where session_id = $1", [
      a.session_id,
    ]);
    expect(run.must(await ringing)).toMatchObject({ state: "handed" });
    expect(run.must(await parley.get("/whoami", b))).not.toHaveProperty("ring");
  });

  test("reaches a run while its runner waits for orders", async () => {
    const [a, b] = await pair();
    const waiting = run.report(b, { agent: "claude", status: "waiting", wait: 20 });
    await run.waits("report_run");
    run.must(await ring(a, b, 0));
    expect(run.must(await waiting)).toMatchObject({ orders: [], ring: { by: a.handle } });
  });
});
