import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connected } from "../../testing/postgres.ts";
import { startTestServer, type Team, type TestServer, until } from "../../testing/server.ts";
import { callTool, connect, connectModern } from "./client.ts";

let parley: TestServer;
let a: Team;
beforeAll(async () => {
  parley = await startTestServer();
  a = await parley.create("Amber");
});
afterAll(() => parley.stop());

interface Listed {
  name: string;
  inputSchema: { properties?: Record<string, unknown>; required?: string[] };
}

describe("a link that is bound to a session", () => {
  test("leaves session_id out of every tool", async () => {
    const client = await connect(parley, `/mcp?session=${a.ref}`);
    const { tools } = (await client.listTools()) as { tools: Listed[] };
    const { tools: all } = (await (await connect(parley)).listTools()) as { tools: Listed[] };
    expect(tools.map(({ name }) => name)).toEqual(all.map(({ name }) => name));
    expect(all.filter(({ inputSchema }) => inputSchema.properties?.session_id).length).toBeGreaterThan(20);
    for (const { name, inputSchema } of tools) {
      expect([name, inputSchema.properties]).toEqual([
        name,
        expect.not.objectContaining({ session_id: expect.anything() }),
      ]);
      expect([name, inputSchema.required ?? []]).toEqual([name, expect.not.arrayContaining(["session_id"])]);
    }
    expect(client.getInstructions()).toContain("\nThis link is bound to one session: leave session_id out.\n");
  });

  test("calls them in that session, from joining it on; the header may bring the team_id as well", async () => {
    const client = await connect(parley, `/mcp?session=${a.ref}&format=json`);
    const call = async (name: string, args: object) => JSON.parse((await callTool(client, name, { ...args })).text);
    const b: Team = await call("join_session", { team_name: "Blue" });
    expect(b.ref).toBe(a.ref);
    const { team_id } = b;
    expect((await call("post_message", { team_id, content: "hello" })).cursor).toBe(2);
    expect((await call("get_session", { team_id, session_id: null })).ref).toBe(a.ref);
    expect((await call("whoami", { team_id })).handle).toBe("blue");

    const known = await connectModern(parley, `/mcp?session=${a.ref}&toolset=core`, { "x-team-id": team_id });
    const { tools } = (await known.listTools()) as { tools: Listed[] };
    expect(tools.find(({ name }) => name === "get_session")?.inputSchema).toEqual({ type: "object", properties: {} });
    const { content } = await known.callTool({ name: "read_session_doc", arguments: {} });
    expect((content as { text: string }[])[0]?.text).toMatch(/^doc v0 · /);
    await known.close();
  });

  test("may still name another, and refuses what is no session when it is called", async () => {
    const other = await parley.create("Other");
    const client = await connect(parley, `/mcp?session=${a.ref}&format=json`);
    const answer = await callTool(client, "get_session", { session_id: other.ref, team_id: other.team_id });
    expect(JSON.parse(answer.text).ref).toBe(other.ref);
    const lost = await connect(parley, "/mcp?session=no-such-1");
    expect((await callTool(lost, "join_session", { team_name: "Blue" })).text).toContain("session_not_found");
    expect((await callTool(lost, "list_sessions", {})).isError).toBe(false);
  });

  test.each(["?session=", "?session=%20", "?session=a&session=b"])("is one session: %s is refused", async (query) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    const answer = await fetch(`${parley.url}/mcp${query}`, { method: "POST", body });
    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      { error: { code: "invalid_argument", details: { field: "session" } } },
    ]);
  });
});

test("tools of administrators and runners are listed only when asked for, and are not named before", async () => {
  const own = await startTestServer();
  await connected(own.database.url("parley_owner"), (db) =>
    db.query(
      ["admin", "runner"]
        .map(
          (toolset) => `
        create function parley.as_${toolset}() returns integer language sql stable set search_path = '' as 'select 1';
        grant execute on function parley.as_${toolset} to parley_caller;
        comment on function parley.as_${toolset} is E'@verb GET /${toolset}\\n@who open\\n@toolset ${toolset}\\n@readonly\\nOne.';`,
        )
        .join(""),
    ),
  );
  await until(async () => (await own.get("/admin")).status === 200, "the verbs");
  const [plain, admin] = [await connect(own), await connect(own, "/mcp?toolset=admin,core")];
  const names = (tools: { name: string }[]) => tools.map(({ name }) => name);
  const listed = names((await plain.listTools()).tools);
  expect(listed).toContain("spawn_session");
  expect(listed).not.toContain("as_admin");
  expect(listed).not.toContain("as_runner");
  expect(names((await admin.listTools()).tools)).toContain("as_admin");
  expect(plain.getInstructions()).not.toContain("as_admin");
  expect(await (await fetch(`${own.url}/AGENTS.md`)).text()).not.toContain("as_admin");
  expect((await callTool(plain, "as_admin", {})).text).toBe("value 1");
  await own.stop();
});

test("an argument that few need is taken, though the list does not show it", async () => {
  const client = await connect(parley);
  const { tools } = (await client.listTools()) as { tools: Listed[] };
  const shown = (name: string) => Object.keys(tools.find((tool) => tool.name === name)?.inputSchema.properties ?? {});
  expect(shown("conclude_session")).toEqual(["session_id", "summary_section", "team_id"]);
  expect(shown("create_session")).toEqual(["title", "description", "creator_team_name", "idempotency_key"]);
  const board = JSON.parse((await callTool(client, "create_board", { name: "Taken", format: "json" })).text).board;
  const made = { title: "T", description: "", creator_team_name: "A", board, zone: "Done", format: "json" };
  const { ref, team_id } = JSON.parse((await callTool(client, "create_session", made)).text);
  const told = JSON.parse((await callTool(client, "get_session", { session_id: ref, team_id, format: "json" })).text);
  expect(told).toMatchObject({ board: "taken", zone: "Done" });
  const { paths } = (await parley.get("/openapi.json")).body;
  const schema = paths["/api/sessions"].post.requestBody.content["application/json"].schema;
  expect(schema.properties).toHaveProperty("board");
});
