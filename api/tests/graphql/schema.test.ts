import { readFileSync } from "node:fs";
import { buildSchema, type GraphQLInputObjectType, type GraphQLObjectType, getIntrospectionQuery } from "graphql";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connected } from "../../../testing/postgres.ts";
import { exportSchema } from "../../graphql/export-schema.ts";
import { type GraphQLTestServer, startGraphQL } from "./test-client.ts";

let server: GraphQLTestServer;
beforeAll(async () => {
  server = await startGraphQL();
});
afterAll(() => server.stop());

let sdl: string;
let fields: (type: string) => string[];

beforeAll(async () => {
  sdl = await exportSchema(server.parley.database.url("parley_caller"));
  const schema = buildSchema(sdl);
  fields = (type) => Object.keys((schema.getType(type) as GraphQLObjectType).getFields()).sort();
});

test("the mutations are the verbs that write, the settings, and what concerns one person alone", async () => {
  const writing = await connected(server.parley.database.url(), (client) =>
    client.query<{ name: string }>(
      `select proname as name from pg_proc, obj_description(oid, 'pg_proc') as comment
      where pronamespace = 'parley'::regnamespace and comment ~ '@verb' and (comment !~ '@(readonly|blocking)' or comment ~ '\\+mutationField')
      and comment !~ '@behavior -\\*'`,
    ),
  );
  const verbs = writing.rows.map(({ name }) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()));
  expect(verbs.length).toBeGreaterThan(12);
  const ofThePage = ["updateSetting", "archiveSession", "notifyMe", "subscribePush", "unsubscribePush"];
  expect(fields("Mutation")).toEqual([...verbs, ...ofThePage].sort());
});

test("the verbs that read are queries, beside the tables", () => {
  expect(fields("Query")).toEqual(
    expect.arrayContaining([
      "catchUp",
      "getBoard",
      "getDigest",
      "getHistory",
      "getLineage",
      "getMessage",
      "getSession",
      "listBoards",
      "listParticipants",
      "listSessions",
      "readSessionDoc",
      "search",
      "whoami",
    ]),
  );
  expect(fields("Query")).toEqual(
    expect.arrayContaining([
      "session",
      "sessionByRef",
      "sessions",
      "message",
      "settings",
      "sessionDocHistory",
      "boards",
    ]),
  );
});

test("a verb that blocks is not offered", () => {
  expect(sdl).not.toMatch(/waitForMessages|waitForReply|\bsync\b|type (News|Replies|Synced)/);
});

test("what is private has no name in it", () => {
  expect(sdl).not.toMatch(/hash|credential|knownStatus|emptyPolls|versionBeforeClose/i);
  for (const type of ["Session", "Task"]) expect(fields(type)).not.toContain("createdBy");
  expect(sdl).toMatch(/postedBy: Participant\n/);
  expect(sdl).toMatch(/writtenBy: Participant\n/);
  expect(fields("Session")).not.toContain("createdBy");
  expect(fields("MessageCondition")).not.toContain("postedBy");
  expect(sdl).not.toMatch(/POSTED_BY|WRITTEN_BY/);
});

test("the tags of the comments stay out of the descriptions, which are told of fields and arguments", () => {
  expect(sdl).not.toMatch(/@(verb|who|toolset|param|behavior|readonly|optional|cost|schema|clamped)/);
  const schema = buildSchema(sdl);
  const input = schema.getType("JoinSessionInput") as GraphQLInputObjectType;
  expect(schema.getMutationType()?.getFields().postMessage?.description).toBe(
    "Post a message. Whoever waits gets it at once.",
  );
  expect(input.getFields().replayFrom?.description).toBe("Read from here; 0: all.");
  expect(
    schema
      .getQueryType()
      ?.getFields()
      .getHistory?.args.find((arg) => arg.name === "limit")?.description,
  ).toMatch(/At most 500/);
});

test("an argument with a default is optional, one without is not", () => {
  const input = buildSchema(sdl).getType("JoinSessionInput") as GraphQLInputObjectType;
  expect(
    Object.fromEntries(Object.entries(input.getFields()).map(([name, field]) => [name, String(field.type)])),
  ).toMatchObject({
    sessionId: "String!",
    teamName: "String!",
    replayFrom: "Int",
  });
});

test("web/schema.graphql is what the database gives; if not, run npm run schema", () => {
  expect(readFileSync("web/schema.graphql", "utf8")).toBe(sdl);
});

test("anyone may look at the schema", async () => {
  const { status, data } = await server.ask(getIntrospectionQuery());
  expect(status).toBe(200);
  expect(data.__schema.queryType.name).toBe("Query");
});

test("servers of one process show each the verbs, and read the sessions, of its own database", async () => {
  const other = await startGraphQL();
  try {
    const { ref } = await server.createSession("Here");
    const sessions = "{ sessions { nodes { ref } } }";
    expect((await server.ask(sessions)).data.sessions.nodes).toEqual([{ ref }]);
    expect((await other.ask(sessions)).data.sessions.nodes).toEqual([]);
    await other.addVerb("alone", "perform 1");
    expect((await other.ask("{ alone }")).data).toEqual({ alone: "done" });
    expect((await server.ask("{ alone }")).errors?.[0]?.message).toContain("alone");
    expect(await exportSchema(server.parley.database.url("parley_caller"))).toBe(sdl);
  } finally {
    await other.stop();
  }
});
