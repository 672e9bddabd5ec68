import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { toApiError } from "../../api/verbs/errors.ts";
import { createTestDatabase, type TestDatabase } from "../../testing/postgres.ts";
import { type Calls, connectCallers, type Team } from "./calls.ts";
import { type Rules, rulesOf } from "./rules.ts";

let database: TestDatabase;
let calls: Calls;
let rules: Rules;

beforeAll(async () => {
  database = await createTestDatabase();
  calls = connectCallers(database.url("parley_caller"), 2);
  rules = rulesOf(database);
});
afterEach(() => rules.off());
afterAll(async () => {
  await calls?.end();
  await database?.drop();
});

const create = (args: object = {}) =>
  calls.call("create_session", { title: "T", description: "", creator_team_name: "Convener", ...args });
const join = (session: Team, team_name = "Team", args: object = {}) =>
  calls.call("join_session", { session_id: session.ref, team_name, ...args });
const leave = (team: Team) => calls.must("leave_session", { session_id: team.ref }, team);
const rename = (team: Team, title: string) =>
  calls.call("update_session_metadata", { session_id: team.ref, title, reason: "The scope has changed." }, team);
const conclude = (team: Team) =>
  calls.call("conclude_session", { session_id: team.ref, summary_section: "Done." }, team);

describe("capacity", () => {
  test("as many teams come in, the next is told that it is full, and who leaves makes room", async () => {
    await rules.set("capacity", 2);
    const convener = await calls.create();
    const second = await calls.join(convener);
    const refused = await join(convener);
    expect([refused.status, refused.code]).toEqual([409, "session_full"]);
    expect(refused.body.details).toMatchObject({ capacity: 2, teams: 2, hint: expect.stringContaining("leaves") });
    expect(
      await rules.sql("select from parley.participants where session_id = $1", [convener.session_id]),
    ).toHaveLength(2);

    await leave(second);
    expect((await join(convener)).status).toBe(200);
    expect((await join(convener)).code).toBe("session_full");
    await rules.set("capacity", 0);
    expect((await join(convener)).status).toBe(200);
  });

  test("who is in already finds the way back when it is full; people are not counted", async () => {
    await rules.set("capacity", 2);
    const convener = await calls.create();
    const idempotency_key = "a lost answer";
    expect((await join(convener, "Blue", { idempotency_key })).status).toBe(200);
    expect((await join(convener, "Blue", { idempotency_key })).body.handle).toBe("blue");
    await rules.makeHuman(convener);
    expect((await join(convener)).status).toBe(200);
    expect((await join(convener)).code).toBe("session_full");
  });

  test("a session may be created with less, never with more, and one that continues it has the same", async () => {
    await rules.set("capacity", 5);
    for (const capacity of [0, -1, 6]) {
      const { status, body } = await create({ capacity });
      expect([status, body.details.field, body.message]).toEqual([400, "capacity", expect.stringContaining("1 to 5")]);
    }
    const { body: convener } = await create({ capacity: 1 });
    expect((await join(convener)).body.details).toMatchObject({ capacity: 1, teams: 1 });
    await conclude(convener);
    const { body: resumed } = await calls.call("resume_session", { session_id: convener.ref, team_name: "Next" });
    expect((await join(resumed)).code).toBe("session_full");

    await rules.set("capacity", 0);
    const { body: large } = await create({ capacity: 1_000 });
    expect((await join(large)).status).toBe(200);
    await rules.set("capacity", 2);
    expect((await join(large)).body.details).toMatchObject({ capacity: 2 });
  });
});

describe("single_session", () => {
  test("a team is in one active session at a time: its name tells, however it is written", async () => {
    await rules.set("single_session", true);
    const [one, other] = [await calls.create("One"), await calls.create("Other")];
    const blue = await calls.join(one, "Team Blue");
    for (const refused of [await join(other, "TEAM blue"), await create({ creator_team_name: "Team Blue" })]) {
      expect([refused.status, refused.code]).toEqual([409, "team_busy_elsewhere"]);
      expect(refused.body.details).toMatchObject({ ref: one.ref, hint: expect.stringContaining("leave_session") });
    }
    expect((await join(one, "Team Blue")).body.handle).toBe("team-blue-2");
    expect((await join(other, "Team Green")).status).toBe(200);
    await leave(blue);
    expect((await join(other, "Team Blue")).code).toBe("team_busy_elsewhere");
    await conclude(one);
    expect((await join(other, "Team Blue")).status).toBe(200);
  });

  test("where the other session is hidden, no more is told than that the name is taken", async () => {
    await rules.set("single_session", true);
    const { body: hidden } = await create({ creator_team_name: "Team Grey", visibility: "members" });
    const refused = await create({ creator_team_name: "team grey" });
    expect([refused.status, refused.code]).toEqual([409, "team_busy_elsewhere"]);
    expect(JSON.stringify(refused.body)).not.toContain(hidden.ref);
    expect(refused.body.details.hint).toContain("take another name");
  });

  test("off, a team is in as many as it likes", async () => {
    for (const session of [await calls.create(), await calls.create()]) {
      expect((await join(session, "Everywhere")).status).toBe(200);
    }
  });
});

test("what is counted by the address is counted by the network, where that is IPv6", async () => {
  await rules.set("sessions_per_hour", 1);
  const from = (address: string) =>
    rules
      .sql(
        `select case when parley_private.begin_call('', '  ' || $1)
         then (parley.create_session('T', '', 'Team')).ref end`,
        [address],
      )
      .then(() => "ok", toApiError);
  const refused = expect.objectContaining({ status: 429, code: "rate_limited" });
  expect([await from("2001:db8:1:2:3::4"), await from("2001:db8:1:2:5:6:7:8"), await from("2001:db8:1:3::4")]).toEqual([
    "ok",
    refused,
    "ok",
  ]);
  expect([await from("192.0.2.1"), await from("192.0.2.2"), await from("192.0.2.1")]).toEqual(["ok", "ok", refused]);
});

describe("convener_only", () => {
  test("others neither conclude nor rename, and are told whom to ask", async () => {
    await rules.set("convener_only", true);
    const convener = await calls.create("The Convener");
    const other = await calls.join(convener);
    for (const refused of [await conclude(other), await rename(other, "Mine")]) {
      expect([refused.status, refused.code]).toEqual([403, "convener_only"]);
      expect(refused.body.details).toMatchObject({
        convener: "the-convener",
        hint: expect.stringContaining("the-convener"),
      });
    }
    expect((await rename(convener, "Ours")).status).toBe(200);

    const person = await calls.join(convener, "Ada");
    await rules.makeHuman(person);
    expect((await rename(person, "Hers")).status).toBe(200);
    await leave(convener);
    expect((await conclude(other)).body.details.hint).toContain("has left");
    expect((await conclude(person)).status).toBe(200);
    expect((await conclude(other)).code).toBe("convener_only");
    await rules.set("convener_only", false);
    expect((await conclude(other)).status).toBe(200);
  });
});

describe("metadata_interval", () => {
  test("so many seconds lie between two changes, whoever makes them", async () => {
    await rules.set("metadata_interval", 100);
    const convener = await calls.create();
    const other = await calls.join(convener);
    expect((await rename(convener, "First")).status).toBe(200);
    const refused = await rename(other, "Second");
    expect([refused.status, refused.code]).toEqual([429, "rate_limited"]);
    const { retry_after_seconds, hint, ...details } = refused.body.details;
    expect(details).toEqual({ setting: "metadata_interval", limit: 100 });
    expect(retry_after_seconds).toBeGreaterThan(0);
    expect(retry_after_seconds).toBeLessThanOrEqual(100);
    expect(hint).toContain(`${retry_after_seconds} seconds`);
    // Nothing would change: that is said first.
    expect((await rename(other, "First")).status).toBe(400);

    await rules.sql("update parley.sessions set metadata_changed_at = metadata_changed_at - interval '101 seconds'");
    expect((await rename(other, "Second")).status).toBe(200);
    await rules.set("metadata_interval", 0);
    expect((await rename(other, "Third")).status).toBe(200);
  });
});
