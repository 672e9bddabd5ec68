import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../../../testing/server.ts";

let parley: TestServer;
beforeAll(async () => {
  parley = await startTestServer();
});
afterAll(() => parley.stop());

const MEBI = 1_048_576;
const filled = (unit: string) => unit.repeat(Math.floor((MEBI - 1_000) / Buffer.byteLength(unit)));

/** What takes time with the square of the size would be cut off by the server after 15 seconds, with a 5xx. */
const documents: [string, string][] = [
  ["headings", filled("## a heading\n")],
  ["headings of every level, with letters of several bytes", filled("# ü🦦\n## b\n### c\n#### d\n##### e\n###### f\n")],
  ["fences", filled("```\n~~~\n")],
  ["one line", filled("word ")],
  ["one long mark of a fence", "`".repeat(MEBI / 3)],
  ["blanks in lines", filled(" \n")],
  ["a heading that ends in hashes", `# ${filled(" #")}`],
  ["blank lines in a section that goes on", `## Decisions\n${filled("\r\n")}x`],
];

test("a search finds its word among half a million headings about as fast as in plain text", async () => {
  const took = async (line: string) => {
    const team = await parley.create();
    const content = `${filled(line)}\nneedle\n`;
    await parley.post(`/sessions/${team.ref}/doc`, { content, expected_version: 0 }, team);
    const start = performance.now();
    const { body } = await parley.get(`/sessions/${team.ref}/search?query=needle`, team);
    expect(body.hits[0].snippet).toContain("needle");
    return performance.now() - start;
  };
  const plain = await took("plain words that fill a line of the document, as documents have them\n");
  for (const line of ["#\n", "a\n=\n", " \n"]) expect(await took(line)).toBeLessThan(6 * plain);
});

test("a search that names a word many times is answered, however often the word was said", async () => {
  const team = await parley.create();
  for (let i = 0; i < 8; i++) await parley.say(team, "1. ".repeat(21_000));
  const search = (query: string) =>
    parley.get(`/sessions/${team.ref}/search?limit=100&query=${encodeURIComponent(query)}`, team);
  for (const query of ["1. ".repeat(66), `"${"1. ".repeat(66)}"`, "1. or ".repeat(33)]) {
    const { status, body } = await search(query);
    expect([status, body.hits?.length]).toEqual([200, 8]);
    expect(body.hits[0].snippet).toContain("1. 1.");
  }
});

describe.each(documents)("a document of nothing but %s", (_name, content) => {
  test("can be searched, added to, concluded and resumed", { timeout: 120_000 }, async () => {
    const team = await parley.create();
    const at = `/sessions/${team.ref}`;
    const statuses = [
      await parley.post(`${at}/doc`, { content, expected_version: 0 }, team),
      await parley.get(`${at}/search?query=decisions+a`, team),
      await parley.post(`${at}/doc/append`, { text: "- new", section: "Decisions" }, team),
      await parley.post(`${at}/conclude`, { summary_section: "Done." }, team),
      await parley.post(`${at}/resume`, { team_name: "Next" }),
    ].map(({ status, body }) => (status === 200 ? 200 : body));
    expect(statuses).toEqual([200, 200, 200, 200, 200]);
    expect((await parley.get(`${at}/doc`, team)).body.content.slice(-60)).toMatch(
      /- new(\r?\n){2}## Conclusion(\r?\n){2}Done\.\r?\n$/,
    );
  });
});
