import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestServer, type Team, type TestServer } from "../../../testing/server.ts";

let parley: TestServer;
beforeAll(async () => {
  parley = await startTestServer();
});
afterAll(() => parley.stop());

const append = (team: Team, body: object) => parley.post(`/sessions/${team.ref}/doc/append`, body, team);
const read = async (team: Team) => (await parley.get(`/sessions/${team.ref}/doc`, team)).body;
const refusal = (status: number, code: string, details: object = {}) => ({
  status,
  body: { error: { code, details } },
});

/** The document after a text was added to the section Decisions of another. */
async function added(doc: string, text = "- new", section = "Decisions"): Promise<string> {
  const team = await parley.create();
  if (doc) await parley.post(`/sessions/${team.ref}/doc`, { content: doc, expected_version: 0 }, team);
  const answer = await append(team, { text, section });
  expect(answer).toMatchObject({ status: 200, body: { version: doc ? 2 : 1, unread: 0 } });
  return (await read(team)).content;
}

describe("text goes to the end of its section", () => {
  test.each([
    [
      "between others",
      "# T\n\n## Decisions\n\n- old\n\n## Notes\n\nn\n",
      "# T\n\n## Decisions\n\n- old\n- new\n\n## Notes\n\nn\n",
    ],
    ["that is the last", "## Decisions\n- old\n", "## Decisions\n- old\n- new\n"],
    ["that ends without a line break", "## Decisions\n- old", "## Decisions\n- old\n- new\n"],
    ["that is a heading and nothing else", "## Decisions", "## Decisions\n\n- new\n"],
    ["that is empty", "## Decisions\n\n## Notes\n", "## Decisions\n\n- new\n\n## Notes\n"],
    ["whatever its case", "## DECISIONS\n- old\n", "## DECISIONS\n- old\n- new\n"],
    ["whatever its level", "# Decisions\n- old\n# Notes\n", "# Decisions\n- old\n- new\n\n# Notes\n"],
    [
      "after its deeper headings",
      "## Decisions\n### API\n- old\n## Notes\n",
      "## Decisions\n### API\n- old\n- new\n\n## Notes\n",
    ],
    ["closed by hashes", "## Decisions ##\n- old\n", "## Decisions ##\n- old\n- new\n"],
    [
      "and not to a heading in a fence",
      "```\n## Decisions\n```\n## Decisions\n- old\n",
      "```\n## Decisions\n```\n## Decisions\n- old\n- new\n",
    ],
    [
      "past a heading in a fence",
      "## Decisions\n```\n# no\n```\n- old\n## N\n",
      "## Decisions\n```\n# no\n```\n- old\n- new\n\n## N\n",
    ],
    [
      "with line breaks as the document has them",
      "## Decisions\r\n- old\r\n\r\n## N\r\n",
      "## Decisions\r\n- old\r\n- new\r\n\r\n## N\r\n",
    ],
    [
      "after letters that take several bytes",
      "ü😀漢\n## Decisions\n- 漢😀\n# ü😀漢",
      "ü😀漢\n## Decisions\n- 漢😀\n- new\n\n# ü😀漢",
    ],
  ])("%s", async (_name, doc, expected) => {
    expect(await added(doc)).toBe(expected);
  });

  test("of two sections of that name, the one of level 2", async () => {
    expect(await added("# Decisions\n\nWhat we decided.\n\n## Decisions\n- old\n")).toBe(
      "# Decisions\n\nWhat we decided.\n\n## Decisions\n- old\n- new\n",
    );
  });
});

describe("a section that is missing is made at the end", () => {
  test.each([
    ["of nothing", "", "## Decisions\n\n- new\n"],
    ["of a text", "text", "text\n\n## Decisions\n\n- new\n"],
    ["of other sections", "## Notes\nn\n", "## Notes\nn\n\n## Decisions\n\n- new\n"],
    [
      "of a text that only looks like it",
      "##Decisions\nDecisions\n",
      "##Decisions\nDecisions\n\n## Decisions\n\n- new\n",
    ],
    [
      "of a fence that was left open, which is closed",
      "```sh\n## Decisions\n",
      "```sh\n## Decisions\n\n```\n\n## Decisions\n\n- new\n",
    ],
    ["with line breaks as the document has them", "a\r\nb\r\n", "a\r\nb\r\n\r\n## Decisions\r\n\r\n- new\r\n"],
  ])("%s", async (_name, doc, expected) => {
    expect(await added(doc)).toBe(expected);
  });
});

test("a fence left open in the section is closed first: what is added is text, not code", async () => {
  expect(await added("## Decisions\n- old\n```sh\nnpm test\n")).toBe(
    "## Decisions\n- old\n```sh\nnpm test\n```\n- new\n",
  );
});

test.each(["Decisions", "## Decisions", "  ### decisions  ", "# Decisions ##"])(
  "the section may be named %j",
  async (section) => {
    expect(await added("## Decisions\n- old\n", "- new", section)).toBe("## Decisions\n- old\n- new\n");
  },
);

test("sections keep their places however the teams take turns", async () => {
  const team = await parley.create();
  for (const [section, text] of ["Goals a", "Decisions b", "Goals c", "Notes d", "Decisions e", "goals f"].map((s) =>
    s.split(" "),
  ))
    await append(team, { section, text });
  expect((await read(team)).content).toBe("## Goals\n\na\nc\nf\n\n## Decisions\n\nb\ne\n\n## Notes\n\nd\n");
});

test.each([
  [{ text: "x", section: "" }, "section"],
  [{ text: "x", section: "  " }, "section"],
  [{ text: "x", section: "## " }, "section"],
  [{ text: "x", section: "two\nlines" }, "section"],
  [{ text: "x", section: "s".repeat(201) }, "section"],
  [{ text: "x", section: 7 }, "section"],
  [{ text: " ", section: "Notes" }, "text"],
  [{ text: "x", idempotency_key: "" }, "idempotency_key"],
  [{ text: "x", idempotency_key: "k".repeat(201) }, "idempotency_key"],
])("refuses %j", async (body, field) => {
  const team = await parley.create();
  expect(await append(team, body)).toMatchObject(refusal(400, "invalid_argument", { field }));
  expect((await read(team)).version).toBe(0);
});

test("a section cannot push the document over its limit", async () => {
  const team = await parley.create();
  const content = "x".repeat(1_048_560);
  await parley.post(`/sessions/${team.ref}/doc`, { content, expected_version: 0 }, team);
  expect(await append(team, { text: "more", section: "Notes" })).toMatchObject(
    refusal(400, "invalid_argument", { field: "text" }),
  );
  expect((await read(team)).version).toBe(1);
});

describe("an append with an idempotency_key", () => {
  test("is written once, and answered with the version it made", async () => {
    const a = await parley.create();
    const body = { text: "- one", section: "Notes", idempotency_key: "k" };
    const first = await append(a, body);
    await append(a, { text: "between" });
    for (const again of [body, { ...body, section: "## Notes" }])
      expect((await append(a, again)).body).toEqual(first.body);
    expect(await read(a)).toMatchObject({ version: 2, content: "## Notes\n\n- one\n\nbetween" });
  });

  test.each([
    ["text", { text: "- two" }],
    ["section", { section: "Goals" }],
    ["place", { section: undefined }],
  ])("is refused with another %s", async (_what, change) => {
    const a = await parley.create();
    const body = { text: "- one", section: "Notes", idempotency_key: "k" };
    await append(a, body);
    expect(await append(a, { ...body, ...change })).toMatchObject(
      refusal(409, "idempotency_conflict", { field: "idempotency_key", idempotency_key: "k", version: 1 }),
    );
    expect((await read(a)).version).toBe(1);
  });

  test("is a key of its team, and known after the close", async () => {
    const a = await parley.create();
    const b = await parley.join(a);
    const body = { text: "- one", idempotency_key: "k" };
    expect((await append(a, body)).body.version).toBe(1);
    expect((await append(b, body)).body.version).toBe(2);
    await parley.post(`/sessions/${a.ref}/conclude`, { summary_section: "Done." }, a);
    expect((await append(b, body)).body.version).toBe(2);
    expect(await append(b, { ...body, idempotency_key: "new" })).toMatchObject(refusal(403, "session_closed"));
    expect((await read(a)).version).toBe(3);
  });
});
