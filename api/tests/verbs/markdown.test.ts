import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestServer, type Team, type TestServer } from "../../../testing/server.ts";

let parley: TestServer;
beforeAll(async () => {
  parley = await startTestServer();
});
afterAll(() => parley.stop());

const append = (team: Team, body: object) => parley.post(`/sessions/${team.ref}/doc/append`, body, team);
const read = async (team: Team) => (await parley.get(`/sessions/${team.ref}/doc`, team)).body.content as string;
const conclude = (team: Team, summary_section: string) =>
  parley.post(`/sessions/${team.ref}/conclude`, { summary_section }, team);

async function withDoc(content: string): Promise<Team> {
  const team = await parley.create();
  if (content) await parley.post(`/sessions/${team.ref}/doc`, { content, expected_version: 0 }, team);
  return team;
}

describe("appended text stands on its own, at the end and in a section", () => {
  test.each([
    ["a paragraph after a list", "- one\n", "text", "- one\n\ntext"],
    ["an item after a list goes on with it", "- one\n", "- two", "- one\n- two"],
    ["a numbered item after a list", "1. one", "2. two", "1. one\n2. two"],
    ["what is indented goes on with the item", "- one\n", "  more", "- one\n  more"],
    ["an item after more of an item", "- one\n  more\n", "- two", "- one\n  more\n- two"],
    ["a paragraph after more of an item", "- one\n  more\n", "text", "- one\n  more\n\ntext"],
    ["a heading after a list", "- one\n", "### Next", "- one\n\n### Next"],
    ["a paragraph after a quote", "> said\n", "text", "> said\n\ntext"],
    ["a quote after a quote goes on with it", "> said", "> more", "> said\n> more"],
    ["a line after a line", "one", "two", "one\ntwo"],
    ["a list after the line that announces it", "these:\n", "- one", "these:\n- one"],
    ["a number that would be read on", "text\n", "7. seven", "text\n\n7. seven"],
    ["dashes that would make a heading of it", "text\n", "---\nmore", "text\n\n---\nmore"],
    ["a row after a table", "| a |\n|---|\n| 1 |\n", "| 2 |", "| a |\n|---|\n| 1 |\n| 2 |"],
    ["a paragraph after a table", "| a |\n|---|\n| 1 |\n", "text", "| a |\n|---|\n| 1 |\n\ntext"],
    ["after a heading", "### Notes\n", "text", "### Notes\ntext"],
    ["after code", "```\nx\n```\n", "text", "```\nx\n```\ntext"],
    ["after a blank line there is no second one", "- one\n\n", "text", "- one\n\ntext"],
    ["what begins with a blank line gets no second one", "- one\n", "\ntext", "- one\n\ntext"],
  ])("%s", async (_name, doc, text, expected) => {
    const team = await withDoc(doc);
    await append(team, { text });
    expect(await read(team)).toBe(expected);

    const sections = await withDoc(`# T\n\n## Here\n${doc}\n# Next\n`);
    await append(sections, { text, section: "Here" });
    expect((await read(sections)).replace(/\n{3}/g, "\n\n")).toBe(`# T\n\n## Here\n${expected}\n\n# Next\n`);
  });

  test("whatever was written last in the middle of the document", async () => {
    const team = await withDoc("## A\n\na\n\n## B\n\n- b\n");
    await append(team, { text: "more", section: "A" });
    await append(team, { text: "end" });
    expect(await read(team)).toBe("## A\n\na\nmore\n\n## B\n\n- b\n\nend");
  });

  test("with line breaks as the document has them", async () => {
    const team = await withDoc("# T\r\n\r\n- one\r\n");
    await append(team, { text: "text" });
    expect(await read(team)).toBe("# T\r\n\r\n- one\r\n\r\ntext");
  });
});

describe("an underlined line is a heading", () => {
  test.each([
    ["a section by =", "Decisions\n=====\n\n- old\n", "Decisions\n=====\n\n- old\n- new\n"],
    ["a section by -", "Decisions\n-\n- old\n", "Decisions\n-\n- old\n- new\n"],
    ["it ends a section", "## Decisions\n- old\n\nNext\n----\nx\n", "## Decisions\n- old\n- new\n\nNext\n----\nx\n"],
    ["right below another", "Title\n===\nDecisions\n---\n- old", "Title\n===\nDecisions\n---\n- old\n- new\n"],
    [
      "level 2 does not end level 1",
      "# Decisions\n\nSub\n---\nx\n\nTop\n===\n",
      "# Decisions\n\nSub\n---\nx\n- new\n\nTop\n===\n",
    ],
    ["with CRLF", "Decisions\r\n---\r\n- old\r\n", "Decisions\r\n---\r\n- old\r\n- new\r\n"],
  ])("%s", async (_name, doc, expected) => {
    const team = await withDoc(doc);
    await append(team, { text: "- new", section: "Decisions" });
    expect(await read(team)).toBe(expected);
  });

  test.each([
    ["in code", "```\nDecisions\n---\n```\n"],
    ["a list above a rule", "- Decisions\n---\n"],
    ["a quote above a rule", "> Decisions\n---\n"],
    ["the last line of a paragraph", "some words\nDecisions\n---\n"],
    ["too far in", "    Decisions\n---\n"],
    ["with a blank line between", "Decisions\n\n---\n"],
  ])("but not %s", async (_name, doc) => {
    const team = await withDoc(doc);
    await append(team, { text: "- new", section: "Decisions" });
    expect(await read(team)).toBe(`${doc}\n## Decisions\n\n- new\n`);
  });

  test("for a conclusion: it is replaced, and ends at the next one", async () => {
    const team = await withDoc("a\n\nConclusion\n----------\n\nold\n\nNext\n====\n\nkept\n");
    await conclude(team, "Conclusion\n---\n\nDone.");
    expect(await read(team)).toBe("a\n\n## Conclusion\n\nDone.\n\nNext\n====\n\nkept\n");
  });

  test("is the section of what a search finds below it", async () => {
    const team = await withDoc("Zoo\n===\n\notters\n\nFish\n----\n\ntrout\n");
    const { hits } = (await parley.get(`/sessions/${team.ref}/search?query=trout`, team)).body;
    expect(hits).toMatchObject([{ section: "Fish" }]);
  });
});

describe("a conclusion", () => {
  test("that leaves a fence open does not swallow what follows", async () => {
    const team = await withDoc("## Conclusion\n\nold\n\n# Next\n\nkept\n");
    await conclude(team, "Run:\n\n~~~~sh\nnpm test");
    expect(await read(team)).toBe("## Conclusion\n\nRun:\n\n~~~~sh\nnpm test\n~~~~\n\n# Next\n\nkept\n");
  });

  test("cannot push the document over its limit, yet a full document can be concluded", async () => {
    const team = await withDoc("x".repeat(1_048_576));
    expect(await conclude(team, "s".repeat(5_000))).toMatchObject({
      status: 400,
      body: { error: { code: "invalid_argument", details: { field: "summary_section", hint: expect.any(String) } } },
    });
    expect((await parley.get(`/sessions/${team.ref}`, team)).body).toMatchObject({ status: "active" });
    expect((await conclude(team, "s".repeat(4_000))).status).toBe(200);
    expect((await conclude(team, "s".repeat(5_000))).status).toBe(400);
  });
});
