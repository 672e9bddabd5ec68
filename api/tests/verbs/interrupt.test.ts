import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callTool, connect } from "../../../mcp/tests/client.ts";
import { connected } from "../../../testing/postgres.ts";
import { startTestServer, type Team, type TestServer, until } from "../../../testing/server.ts";
import { agents } from "./runs.ts";

let parley: TestServer;
beforeAll(async () => {
  parley = await startTestServer();
});
afterAll(() => parley.stop());

const run = agents(() => parley);
const at = (team: Team, path: string) => `/sessions/${team.ref}${path}`;
const interrupt = (by: Team, team: { handle: string }, reason = "Stop: wrong branch.") =>
  parley.post(at(by, "/interrupt"), { handle: team.handle, reason }, by);
const whoami = async (team: Team) => (await parley.get("/whoami", team)).body;
const refusal = (status: number, code: string, details: object = {}) => ({
  status,
  body: { error: { code, details } },
});
const listening = (team: Team) =>
  until(
    async () =>
      (await parley.get(at(team, "/participants"), team)).body.participants.find(
        ({ handle, listening }: Team & { listening: boolean }) => handle === team.handle && listening,
      ),
    `${team.handle} to listen`,
  );

async function pair(): Promise<[Team, Team]> {
  const a = await parley.create();
  return [a, await parley.join(a)];
}

test("a team that is interrupted hears it with its very next answer, once; the feed tells everybody", async () => {
  const [a, b] = await pair();
  const told = await interrupt(a, b);
  expect(told).toMatchObject({ status: 200, body: { handle: b.handle, cursor: 2, listening: false, unread: 1 } });
  const { interrupt: heard } = await whoami(b);
  expect(heard).toEqual({ by: a.handle, reason: "Stop: wrong branch.", cursor: 2 });
  expect(await whoami(b)).not.toHaveProperty("interrupt");
  const { messages } = (await parley.get(at(a, "/messages"), a)).body;
  const event = { team: "Team Blue", handle: b.handle, by: "Alex's Team", reason: "Stop: wrong branch." };
  expect(messages.at(-1)).toMatchObject({ event: "team_interrupted", ...event, content: event });
  // To whoever did it, it is no news; to the team itself it is, too.
  expect((await parley.wait(a, { since_cursor: 1, timeout: 0 })).body.messages).toEqual([]);
  expect((await parley.wait(b, { timeout: 0 })).body.messages).toMatchObject([{ cursor: 2 }]);
});

test("whatever it calls, over REST and MCP, as JSON and as lines", async () => {
  const { paths } = (await parley.get("/openapi.json")).body as { paths: Record<string, Record<string, OpenApi>> };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
  );
  // Those of one task need one that somebody has done.
  const ofTeams = operations.filter(({ security, path }) => security.length > 0 && !path.includes("{task}"));
  const args: Record<string, object> = {
    update_session_doc: { content: "new", expected_version: 0 },
    append_to_session_doc: { text: "- [ ] more" },
    replace_section: { section: "Goals", text: "more" },
    tick: { text: "box" },
    update_session_metadata: { title: "New", reason: "scope" },
    conclude_session: { summary_section: "Done." },
    post_message: { content: "mine" },
    ack_messages: { through_cursor: 0 },
    sync: { max_items: 1 },
    search: { query: "hello" },
    wait_for_messages: { timeout: 0 },
    wait_for_reply: { timeout: 0 },
    spawn_session: { title: "T", description: "" },
    fork_session: { team_name: "T" },
    place_session: { board: "anything" },
    interrupt_team: { handle: "third", reason: "why" },
    update_team: { doing: "this" },
    add_tasks: { tasks: ["Four"] },
    claim_paths: { paths: ["src/"] },
    report_changes: { paths: ["src/a.ts"] },
    update_task: { title: "Tre" },
    verify_task: { passed: true },
    ring_team: { handle: "third", wait: 0 },
    report_run: { agent: "claude" },
    ask_permission: { request: "r", tool: "Write" },
  };
  // Whoever has left, and whoever has concluded, is interrupted no more; some calls cannot be repeated.
  const ONCE = ["leave_session", "conclude_session", "delete_session", "update_session_doc", "update_session_metadata"];
  await parley.post("/boards", { name: "Anything" });
  const client = await connect(parley);
  const told = new Set<string>();
  for (const { path, method, operationId } of ofTeams) {
    const verb = operationId.replace(/_\d+$/, "");
    const [b, a] = await pair();
    await connected(parley.database.url(), (db) =>
      db.query("update parley.participants set kind = 'human' where session_id = $1 and id = 2", [a.session_id]),
    );
    await parley.join(a, "Third");
    await parley.post(at(b, "/messages"), { content: "?", kind: "question" }, b);
    if (verb === "tick") await parley.post(at(b, "/doc/append"), { text: "- [ ] box" }, b);
    if (path.includes("task")) await parley.post(at(b, "/tasks"), { tasks: ["One", "Two", "Three"] }, b);
    if (verb === "verify_task") await parley.post(at(b, "/tasks/3"), { status: "done", result: "x" }, a);
    const where = path
      .replace("/api", "")
      .replace("{session_id}", b.ref)
      .replace(/\{\w+\}/, "3");
    const query = new URLSearchParams(args[verb] as Record<string, string>);
    const call = (format = "") =>
      method === "get"
        ? parley.get(`${where}?${query}${format && `&${format}`}`, b)
        : parley.post(`${where}${format && `?${format}`}`, args[verb] ?? {}, b);
    const { body: first } = await interrupt(a, b);
    const answer = await call();
    // A call that is refused tells nothing: then the next one does.
    if (answer.status === 200) told.add(verb);
    const carries = answer.status === 200 ? answer.body : await whoami(b);
    expect([operationId, carries.interrupt]).toEqual([
      operationId,
      { by: a.handle, reason: "Stop: wrong branch.", cursor: first.cursor },
    ]);
    if (answer.status !== 200 || ONCE.includes(verb)) continue;
    const { body: second } = await interrupt(a, b, "And\nagain");
    const lines = (await call("format=lines")).body.split("\n");
    expect([operationId, lines[0]]).toEqual([operationId, expect.stringMatching(` · interrupt ${second.cursor}$`)]);
    const below = verb === "read_session_doc" ? "" : `interrupted by ${a.handle}: And again`;
    expect([operationId, lines[1]]).toEqual([operationId, below]);

    const { body: third } = await interrupt(a, b);
    const named = Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, 3]));
    const ids = { ...named, session_id: b.ref, team_id: b.team_id };
    const { text } = await callTool(client, verb, { ...args[verb], ...ids });
    expect([operationId, text.split("\n")[0]]).toEqual([
      operationId,
      expect.stringMatching(` · interrupt ${third.cursor}$`),
    ]);
  }
  expect(told.size).toBeGreaterThan(30);
  await client.close();
});

interface OpenApi {
  operationId: string;
  security: object[];
}

describe("its wait", () => {
  test.each([
    ["wait_for_messages", (b: Team) => parley.wait(b, { since_cursor: 1 })],
    ["wait_for_messages with options", (b: Team) => parley.wait(b, { since_cursor: 1, full: "true" })],
    ["sync", (b: Team) => parley.post(at(b, "/sync"), { since_cursor: 1, timeout: 30 }, b)],
    ["wait_for_reply", (b: Team) => parley.get(at(b, "/messages/1/replies"), b)],
    ["claim_task", (b: Team) => parley.post(at(b, "/tasks/claim"), { wait: 30 }, b)],
  ])("ends at once, and tells why: %s", async (_, wait) => {
    const [a, b] = await pair();
    const waits = wait(b);
    await listening(b);
    expect((await interrupt(a, b)).body.listening).toBe(true);
    expect((await waits).body.interrupt).toEqual({ by: a.handle, reason: "Stop: wrong branch.", cursor: 2 });
    expect(await whoami(b)).not.toHaveProperty("interrupt");
  });

  test("does not begin before it is told", async () => {
    const [a, b] = await pair();
    await interrupt(a, b);
    const { body } = await parley.get(at(b, "/messages/1/replies"), b);
    expect(body).toMatchObject({ messages: [], interrupt: { cursor: 2 } });
  });

  test("as lines and as a stream says so, too", async () => {
    const [a, b] = await pair();
    const waits = parley.wait(b, { since_cursor: 1, format: "lines" });
    await listening(b);
    await interrupt(a, b);
    expect((await waits).body).toBe(
      [
        "next_cursor 2 · unread 0 · doc v0 · closed no · interrupt 2",
        `interrupted by ${a.handle}: Stop: wrong branch.`,
        `#2 * team_interrupted ${b.handle} by ${a.handle}: Stop: wrong branch.`,
        "",
      ].join("\n"),
    );
    const stream = parley.wait(b, { since_cursor: 2 }, { headers: { accept: "text/event-stream" } });
    await listening(b);
    await interrupt(a, b);
    expect((await stream).body).toMatch(/event: result\ndata: \{.*"interrupt":\{"by" ?: ?"alexs-team"/);
  });

  test("is the only one that is told: others who wait hear the message", async () => {
    const [a, b] = await pair();
    const others = [await parley.join(a, "C"), await parley.join(a, "D")];
    const waits = [b, ...others].map((team) => parley.wait(team, { since_cursor: 3 }));
    for (const team of [b, ...others]) await listening(team);
    await interrupt(a, b);
    const heard = (await Promise.all(waits)).map(({ body }) => body);
    expect(heard.map(({ messages }) => messages[0].event)).toEqual(Array(3).fill("team_interrupted"));
    expect(heard.map(({ interrupt }) => interrupt?.cursor)).toEqual([4, undefined, undefined]);
  });
});

test("an answer that does not come does not tell it", async () => {
  const [a, b] = await pair();
  await interrupt(a, b);
  expect((await parley.get(at(b, "/messages/99"), b)).body.error.code).toBe("message_not_found");
  expect((await parley.post(at(b, "/messages"), { content: "" }, b)).status).toBe(400);
  await connected(parley.database.url("parley_owner"), (db) =>
    db.query(`create function parley.some_numbers() returns setof integer language sql stable set search_path = '' as 'select 1';
      grant execute on function parley.some_numbers to parley_caller;
      comment on function parley.some_numbers is E'@verb GET /numbers\\n@who team\\n@toolset extra\\nNumbers.'`),
  );
  await until(async () => (await parley.get("/numbers", b)).body === "[1]\n", "the verb");
  expect((await whoami(b)).interrupt).toMatchObject({ cursor: 2 });
});

test("the newest of several is told; the feed has them all", async () => {
  const [a, b] = await pair();
  await interrupt(a, b, "first");
  await interrupt(a, b, "second");
  expect((await whoami(b)).interrupt).toMatchObject({ reason: "second", cursor: 3 });
});

test("a team that comes back by its key is told as well", async () => {
  const a = await parley.create();
  const join = { team_name: "Blue", idempotency_key: "key-1" };
  const b: Team = (await parley.post(at(a, "/join"), join)).body;
  await interrupt(a, b);
  const again: Team = (await parley.post(at(a, "/join"), join)).body;
  expect(await whoami(again)).toHaveProperty("interrupt");
});

describe("who may", () => {
  test("the convener and persons; other teams may not", async () => {
    const [a, b] = await pair();
    const c = await parley.join(a, "C");
    expect(await interrupt(b, c)).toMatchObject(refusal(403, "convener_only"));
    expect(await whoami(c)).not.toHaveProperty("interrupt");
    await connected(parley.database.url(), (db) =>
      db.query("update parley.participants set kind = 'human' where session_id = $1 and handle = $2", [
        a.session_id,
        b.handle,
      ]),
    );
    expect((await interrupt(b, a)).status).toBe(200);
    expect((await whoami(a)).interrupt).toMatchObject({ by: b.handle });
  });

  test("a team interrupts the agent that it has spawned, and no other", async () => {
    const [a, b] = await pair();
    const c = await parley.join(a, "C");
    run.must(await run.offer("studio"));
    run.must(await run.spawn(b, { runner: "studio", team_name: "Refunds" }));
    const agent = run.must(await run.take("studio"));
    expect(await interrupt(c, agent)).toMatchObject(refusal(403, "convener_only"));
    expect(await interrupt(agent, b)).toMatchObject(refusal(403, "convener_only"));
    expect((await interrupt(b, agent)).status).toBe(200);
    expect((await whoami(agent)).interrupt).toMatchObject({ by: b.handle });
  });

  test.each([
    [{ handle: "nobody", reason: "x" }, 404, "team_not_found", "handle"],
    [{ handle: "gone", reason: "x" }, 404, "team_not_found", "handle"],
    [{ handle: "alexs-team", reason: "x" }, 400, "invalid_argument", "handle"],
    [{ reason: "x" }, 400, "invalid_argument", "handle"],
    [{ handle: "team-blue" }, 400, "invalid_argument", "reason"],
    [{ handle: "team-blue", reason: " " }, 400, "invalid_argument", "reason"],
    [{ handle: "team-blue", reason: "x".repeat(1_001) }, 400, "invalid_argument", "reason"],
  ])("not like this: %j", async (body, status, code, field) => {
    const [a] = await pair();
    const gone = await parley.join(a, "Gone");
    await parley.post(at(gone, "/leave"), {}, gone);
    expect(await parley.post(at(a, "/interrupt"), body, a)).toMatchObject(refusal(status, code, { field }));
  });

  test("a stranger may not, and in a concluded session nobody", async () => {
    const [a, b] = await pair();
    const other = await parley.create();
    for (const team of [undefined, other]) {
      const answer = await parley.post(at(a, "/interrupt"), { handle: b.handle, reason: "x" }, team);
      expect(answer).toMatchObject(refusal(401, "unauthorized"));
    }
    await parley.post(at(a, "/conclude"), { summary_section: "Done." }, a);
    expect(await interrupt(a, b)).toMatchObject(refusal(403, "session_closed"));
  });
});

test("of a hundred waits that begin just then, each ends, and each interrupt is told once", {
  timeout: 120_000,
}, async () => {
  const [a, b] = await pair();
  const endings = new Set<boolean>();
  for (let round = 0; round < 100; round++) {
    const wait = () => parley.get(at(b, "/messages/1/replies"), b);
    const before = round % 2 ? wait() : undefined;
    const [told, heard] = await Promise.all([interrupt(a, b), before ?? wait()]);
    const later = await whoami(b);
    const cursors = [heard.body.interrupt, later.interrupt].filter(Boolean).map(({ cursor }) => cursor);
    expect(cursors).toEqual([told.body.cursor]);
    endings.add("interrupt" in heard.body);
  }
  expect([...endings]).toEqual([true]);
});

test("OpenAPI says what may ride on the answers to teams, and on no others", async () => {
  const { paths, components } = (await parley.get("/openapi.json")).body;
  expect(Object.keys(components.schemas.rides_along.properties)).toEqual(["interrupt", "ring"]);
  const answerOf = (path: string, method: string) =>
    paths[path][method].responses[200].content["application/json"].schema;
  expect(answerOf("/api/sessions/{session_id}/messages", "post")).toEqual({
    allOf: [{ $ref: "#/components/schemas/posted_message" }, { $ref: "#/components/schemas/rides_along" }],
  });
  expect(answerOf("/api/sessions", "post")).toEqual({ $ref: "#/components/schemas/created_session" });
});
