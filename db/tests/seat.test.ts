import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connected, createTestDatabase, type TestDatabase } from "../../testing/postgres.ts";
import { type Calls, connectCallers, type Team } from "./calls.ts";

let database: TestDatabase;
let calls: Calls;
let alex: Team;
let stranger: Team;

beforeAll(async () => {
  database = await createTestDatabase();
  const url = new URL(database.url("parley_caller"));
  url.search += "%20-c%20lock_timeout%3D50";
  calls = connectCallers(url.href, 2);
  alex = await calls.create();
  stranger = await calls.create();
});

afterAll(async () => {
  await calls?.end();
  await database?.drop();
});

const WRITES: [string, object][] = [
  ["post_message", { content: "hello" }],
  ["sync", { outbox: ["hello"] }],
  ["append_to_session_doc", { text: "hello" }],
  ["update_session_doc", { content: "hello", expected_version: 0 }],
  ["update_session_metadata", { title: "New", reason: "scope" }],
  ["conclude_session", { summary_section: "Done." }],
  ["withdraw_question", { message: 1 }],
  ["leave_session", {}],
];

test.each(WRITES)("a stranger to %s is refused without queueing for the session", async (verb, args) => {
  await connected(database.url("parley_owner"), async (client) => {
    await client.query("begin");
    await client.query("select from parley.sessions where id = $1 for update", [alex.session_id]);
    for (const team of [undefined, stranger, `pt_${"x".repeat(43)}`])
      expect(await calls.call(verb, { session_id: alex.ref, ...args }, team)).toMatchObject({ status: 401 });
    expect((await calls.call(verb, { session_id: alex.ref, ...args }, alex)).status).toBe(503);
    await client.query("rollback");
  });
});

describe.each(["post_message", "get_session"])("%s finds the session", (verb) => {
  const names: [string, (team: Team) => string][] = [
    ["its ref", ({ ref }) => ref],
    ["its ref in capitals", ({ ref }) => ref.toUpperCase()],
    ["its uuid", ({ session_id }) => session_id],
    ["its uuid in capitals", ({ session_id }) => session_id.toUpperCase()],
    ["its uuid without dashes", ({ session_id }) => session_id.replaceAll("-", "")],
    ["the beginning of its uuid", ({ session_id }) => session_id.slice(0, 12)],
  ];
  const args = verb === "post_message" ? { content: "hello" } : {};

  test.each(names)("by %s", async (_name, name) => {
    await calls.must(verb, { session_id: name(alex), ...args }, alex);
    expect(await calls.call(verb, { session_id: name(alex), ...args }, stranger)).toMatchObject({ status: 401 });
    expect(await calls.call(verb, { session_id: name(alex), ...args })).toMatchObject({ status: 401 });
  });

  test("or says that there is none, whoever asks", async () => {
    for (const team of [alex, undefined])
      expect(await calls.call(verb, { session_id: "no-such-17", ...args }, team)).toMatchObject({ status: 404 });
  });
});
