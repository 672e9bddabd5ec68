import { afterAll, beforeAll, expect, test } from "vitest";
import { type GraphQLTestServer, startGraphQL } from "./test-client.ts";

let server: GraphQLTestServer;
beforeAll(async () => {
  server = await startGraphQL();
});
afterAll(() => server.stop());

const refused = async (query: string, variables: Record<string, unknown> = {}) => {
  const { status, errors, data } = await server.ask(query, variables);
  expect([status, errors?.[0]?.extensions.code, data]).toEqual([400, "invalid_argument", undefined]);
  return errors?.[0]?.message;
};
const nested = (levels: number) =>
  `{ sessions(first: 1) { nodes { ${"participants(first: 1) { nodes { session { ".repeat(levels)} id ${"} } }".repeat(levels)} } } }`;

test("a query that is nested too deeply is refused", async () => {
  expect((await server.ask(nested(3))).status).toBe(200);
  expect(await refused(nested(4))).toMatch(/deeper than 12/);
});

test("too many aliases are refused, also when fragments hide them", async () => {
  const aliased = (count: number) => Array.from({ length: count }, (_, i) => `a${i}: __typename`).join(" ");
  expect((await server.ask(`{ ${aliased(30)} }`)).status).toBe(200);
  expect(await refused(`{ ${aliased(31)} }`)).toMatch(/30 aliases/);
  expect(await refused(`{ ...a ...b } fragment a on Query { ${aliased(20)} } fragment b on Query { ...a }`)).toMatch(
    /30 aliases/,
  );
});

test("fragments that spread each other by the thousand are refused quickly", async () => {
  const fragments = Array.from({ length: 30 }, (_, i) => `fragment f${i} on Query { ...f${i + 1} ...f${i + 1} }`).join(
    " ",
  );
  expect(await refused(`{ ...f0 } ${fragments} fragment f30 on Query { __typename }`)).toMatch(/2000 fields/);
});

test("a query that reads too much is refused before it is run, whether the sizes are written or variables", async () => {
  const query = `query ($n: Int) { sessions(first: $n) { nodes { participants(first: $n) { nodes { postedMessages(first: $n) { nodes { id } } } } } } }`;
  expect(await refused(query, { n: 60 })).toMatch(/too much/);
  expect(await refused(query)).toMatch(/too much/);
  expect((await server.ask(query, { n: 5 })).status).toBe(200);
});

test("a page has a largest size", async () => {
  expect(await refused("{ sessions(first: 501) { nodes { id } } }")).toBe("first must be from 0 to 500.");
  expect(await refused("query ($n: Int) { sessions(last: $n) { nodes { id } } }", { n: 501 })).toBe(
    "last must be from 0 to 500.",
  );
  expect(await refused("{ sessions(first: -1) { nodes { id } } }")).toBe("first must be from 0 to 500.");
  expect(await refused("{ sessions(first: 1, last: 1) { nodes { id } } }")).toMatch(/from one end/);
  expect(await refused(`{ sessions(first: 1, before: "x") { nodes { id } } }`)).toMatch(/from one end/);
  expect((await server.ask("{ sessions(first: 500) { nodes { id } } }")).status).toBe(200);
});

test("a query text has a longest size", async () => {
  expect(await refused(`{ ${"__typename ".repeat(2_001)} }`)).toMatch(/2000 words/);
  expect(await refused(`{ sessionByRef(ref: "${"x".repeat(50_000)}") { id } }`)).toMatch(/50000 characters/);
});

test("a field costs what the comment of its function says", async () => {
  await server.sql(`comment on function parley.session_doc_history_content is E'@cost 500\\nThe whole document.'`);
  await server.addVerb("reloads", "null");
  const query = (first: number) => `{ sessionDocHistories(first: ${first}) { nodes { content } } }`;
  expect(await refused(query(100))).toMatch(/too much/);
  expect((await server.ask(query(50))).status).toBe(200);
});

test("what reads a whole feed to find a text costs more than its page", async () => {
  const query = (first: number) =>
    `{ sessions(first: ${first}) { nodes { findMessages(search: "x", first: 1) { nodes { id } } } } }`;
  expect(await refused(query(50))).toMatch(/too much/);
  expect((await server.ask(query(40))).status).toBe(200);
  const lists = (count: number) =>
    `{ ${Array.from({ length: count }, (_, n) => `a${n}: findSessions(search: "x", first: 1) { nodes { findMessages(first: 1) { nodes { id } } } }`).join(" ")} }`;
  expect((await server.ask(lists(20))).status).toBe(200);
});
