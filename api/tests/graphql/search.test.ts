import { afterAll, beforeAll, expect, test } from "vitest";
import type { Team, TestServer } from "../../../testing/server.ts";
import { type GraphQLTestServer, startGraphQL } from "./test-client.ts";

let server: GraphQLTestServer;
let parley: TestServer;
beforeAll(async () => {
  server = await startGraphQL();
  parley = server.parley;
});
afterAll(() => server.stop());

interface Place {
  place: string;
  ref: string;
  cursor: number | null;
  teamName: string | null;
  section: string | null;
  snippet: string[];
}
const SEARCH = `query ($search: String!) {
  searchEverywhere(search: $search) { nodes { id place ref cursor teamName section snippet } }
}`;
const search = async (words: string): Promise<Place[]> =>
  (await server.ask(SEARCH, { search: words })).data.searchEverywhere.nodes;
const write = (team: Team, text: string) => parley.post(`/sessions/${team.ref}/doc/append`, { text }, team);
const index = () =>
  Promise.all([server.sql("select parley_private.index_words()"), server.sql("select parley_private.index_docs()")]);

test("words are found in the feeds and documents of all sessions, before and after they are indexed, with what stands around them", async () => {
  const [one, other] = [await parley.create("Amber", "One"), await parley.create("Blue", "Other")];
  await parley.say(one, "The carousel\nturns too fast on phones");
  await parley.say(other, "Nothing of interest");
  await parley.say(other, "src/carousels/index.ts is the place");
  await write(other, "# Plan\n\nnothing yet\n\n## Findings\n\nThe carousel ignores reduced motion.\n");
  const expected = [
    expect.objectContaining({ place: "message", ref: other.ref, cursor: 2, teamName: "Blue" }),
    expect.objectContaining({
      place: "message",
      ref: one.ref,
      cursor: 1,
      snippet: ["The ", "carousel", " turns too fast on phones"],
    }),
    expect.objectContaining({ place: "doc", ref: other.ref, cursor: null, section: "Findings" }),
  ];
  expect(await search("carousels")).toEqual(expected);
  await index();
  expect(await search("carousels")).toEqual(expected);
  // The last word may be half typed.
  expect((await search("carou")).map(({ place }) => place)).toEqual(["message", "message", "doc"]);
  expect((await search("reduced caro")).map(({ section }) => section)).toEqual(["Findings"]);
  expect((await search("carousel -phones")).map(({ place }) => place)).toEqual(["message", "doc"]);
  for (const nothing of ["the", "zeppelin", '"', "-", "!!!", "&|<->", "a"]) expect(await search(nothing)).toEqual([]);
});

test("what was taken out of a document is no longer found in it", async () => {
  const team = await parley.create();
  await write(team, "## Notes\n\nA zebra crossing.\n");
  await index();
  expect((await search("zebra")).map(({ section }) => section)).toEqual(["Notes"]);
  await parley.post(`/sessions/${team.ref}/doc`, { content: "", expected_version: 1 }, team);
  expect(await search("zebra")).toEqual([]);
  await index();
  expect(await search("zebra")).toEqual([]);
});

test("a word that is everywhere is found where it was said last", async () => {
  const old = await parley.create("Amber", "Old");
  await server.sql(
    `insert into parley.messages (session_id, sequence, posted_by, type, content, posted_at)
     select $1, n, 1, 'chat', '{"text": "ubiquitous"}', now() - interval '1 day' from generate_series(1, 3000) n`,
    [old.session_id],
  );
  await server.sql(
    "update parley.sessions set last_sequence = 3000, active_minute = now() - interval '1 day' where id = $1",
    [old.session_id],
  );
  await index();
  const team = await parley.create("Blue", "New");
  await parley.say(team, "ubiquitous, once more");
  await index();
  const found = await search("ubiquitous");
  expect(found[0]).toMatchObject({ ref: team.ref, cursor: 1 });
  expect(found.length).toBeLessThanOrEqual(8);
});

test("what is too long to look for is refused", async () => {
  const { errors } = await server.ask(SEARCH, { search: "x".repeat(201) });
  expect(errors?.[0]?.extensions).toMatchObject({ code: "invalid_argument", details: { field: "search" } });
});
