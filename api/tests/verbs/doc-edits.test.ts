import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestServer, type Team, type TestServer } from "../../../testing/server.ts";

let parley: TestServer;
beforeAll(async () => {
  parley = await startTestServer();
});
afterAll(() => parley.stop());

const refusal = (status: number, code: string, details: object = {}) => ({
  status,
  body: { error: { code, details } },
});
const replace = (team: Team, body: object) => parley.post(`/sessions/${team.ref}/doc/section`, body, team);
const tick = (team: Team, body: object) => parley.post(`/sessions/${team.ref}/doc/tick`, body, team);
const read = async (team: Team) => (await parley.get(`/sessions/${team.ref}/doc`, team)).body;

async function withDoc(content: string): Promise<Team> {
  const team = await parley.create();
  if (content) await parley.post(`/sessions/${team.ref}/doc`, { content, expected_version: 0 }, team);
  return team;
}

const DOC = "# Billing\n\n## Goals\n\n- port it\n\n### Later\n\nprove it\n\n## Notes\n\n- slow\n";

describe("replace_section", () => {
  test.each([
    [
      "puts a text in the place of all that stands there, subsections too",
      DOC,
      "Goals",
      "- done",
      "# Billing\n\n## Goals\n\n- done\n\n## Notes\n\n- slow\n",
    ],
    ["takes the title with its hashes, and in any case", DOC, "## notes ##", "- fast", DOC.replace("- slow", "- fast")],
    [
      "does not double a heading that the text repeats",
      DOC,
      "Notes",
      "## Notes\n\n- fast\n\n",
      DOC.replace("- slow", "- fast"),
    ],
    ["replaces a subsection alone", DOC, "Later", "never", DOC.replace("prove it", "never")],
    ["empties it", DOC, "Goals", "", "# Billing\n\n## Goals\n\n## Notes\n\n- slow\n"],
    ["makes it if there is none", DOC, "Risks", "- none", `${DOC}\n## Risks\n\n- none\n`],
    ["makes it in an empty document", "", "Risks", "- none", "## Risks\n\n- none\n"],
    ["fills one that ends with its heading", "## Goals", "Goals", "x", "## Goals\n\nx\n"],
    [
      "closes a fence that the text leaves open",
      DOC,
      "Goals",
      "```\ncode",
      "# Billing\n\n## Goals\n\n```\ncode\n```\n\n## Notes\n\n- slow\n",
    ],
    ["leaves headings in code alone", "```\n## Goals\n```\n", "Goals", "x", "```\n## Goals\n```\n\n## Goals\n\nx\n"],
    [
      "keeps the line breaks of the document",
      "## Goals\r\n\r\nold\r\n\r\n## Notes\r\n",
      "Goals",
      "new",
      "## Goals\r\n\r\nnew\r\n\r\n## Notes\r\n",
    ],
    [
      "knows underlined headings",
      "Goals\n-----\nold\n\nNotes\n-----\n",
      "Goals",
      "new",
      "Goals\n-----\n\nnew\n\nNotes\n-----\n",
    ],
    ["keeps the indentation of the first line", DOC, "Notes", "\n    code", DOC.replace("- slow", "    code")],
  ])("%s", async (_, doc, section, text, expected) => {
    const team = await withDoc(doc);
    const before = (await read(team)).version;
    const { status, body } = await replace(team, { section, text });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { version: before + 1, updated_at: expect.any(String) },
    });
    expect(await read(team)).toMatchObject({ content: expected, version: before + 1, updated_by: team.handle });
  });

  test("makes no version when nothing changes", async () => {
    const team = await withDoc(DOC);
    const written = await read(team);
    expect((await replace(team, { section: "Notes", text: "- slow" })).body).toMatchObject({
      version: 1,
      updated_at: written.updated_at,
    });
    expect((await read(team)).version).toBe(1);
  });

  test("with expected_version is refused when another has written", async () => {
    const team = await withDoc(DOC);
    const details = { current_version: 1, expected_version: 0, updated_by: team.handle };
    expect(await replace(team, { section: "Notes", text: "x", expected_version: 0 })).toMatchObject(
      refusal(409, "version_conflict", details),
    );
    expect((await replace(team, { section: "Notes", text: "x", expected_version: 1 })).status).toBe(200);
  });

  test("is told in the digest by its section", async () => {
    const team = await withDoc(DOC);
    await replace(team, { section: "Goals", text: "- done" });
    const { doc_changes } = (await parley.get(`/sessions/${team.ref}/digest`, team)).body;
    expect(doc_changes.at(-1)).toMatchObject({ version: 2, sections: ["Goals"] });
  });

  test.each([
    [{ section: " ", text: "x" }, "section"],
    [{ section: "##", text: "x" }, undefined],
    [{ section: "a\nb", text: "x" }, "section"],
    [{ text: "x" }, "section"],
    [{ section: "Goals" }, "text"],
    [{ section: "Goals", text: "x".repeat(100_001) }, "text"],
    [{ section: "Goals", text: `pt_${"x".repeat(43)}` }, "text"],
    [{ section: "Goals", text: "x", expected_version: -1 }, "expected_version"],
  ])("refuses %j", async (body, field) => {
    const team = await withDoc("");
    if (field) expect(await replace(team, body)).toMatchObject(refusal(400, "invalid_argument", { field }));
    else expect((await replace(team, body)).status).toBe(200);
  });
});

const LIST = `## Tasks

- [ ] port invoices
- [x] port refunds
* [ ] port "exports" [draft]
> 1. [ ] prove it (100%)

\`\`\`
* [ ] in code
- [ ] port nothing
\`\`\`
`;

describe("tick", () => {
  test.each([
    ["invoices", undefined, "- [ ] port invoices", "- [x] port invoices"],
    ['"exports" [draft]', true, '* [ ] port "exports" [draft]', '* [x] port "exports" [draft]'],
    ["prove it", undefined, "> 1. [ ] prove it", "> 1. [x] prove it"],
    ["port refunds", false, "- [x] port refunds", "- [ ] port refunds"],
    ["[ ] port invoices", true, "- [ ] port invoices", "- [x] port invoices"],
  ])("ticks the one checkbox whose line holds the text: %s, done %s", async (text, done, from, to) => {
    const team = await withDoc(LIST);
    expect(await tick(team, { text, done })).toMatchObject({ status: 200, body: { version: 2 } });
    expect((await read(team)).content).toBe(LIST.replace(from, to));
  });

  test("again changes nothing", async () => {
    const team = await withDoc(LIST);
    expect((await tick(team, { text: "refunds" })).body.version).toBe(1);
    expect((await tick(team, { text: "invoices", done: false })).body.version).toBe(1);
  });

  test.each([
    ["none", "nowhere", /^No checkbox/, /read_session_doc/],
    ["none in code", "in code", /^No checkbox/, /./],
    ["none but prose", "Tasks", /^No checkbox/, /./],
    ["several", "port", /^3 checkboxes/, /"- \[ \] port invoices", "- \[x\] port refunds"/],
  ])("refuses %s", async (_, text, message, hint) => {
    const team = await withDoc(LIST);
    const { status, body } = await tick(team, { text });
    expect({ status, code: body.error.code, field: body.error.details.field }).toEqual({
      status: 400,
      code: "invalid_argument",
      field: "text",
    });
    expect(body.error.message).toMatch(message);
    expect(body.error.details.hint).toMatch(hint);
    expect((await read(team)).version).toBe(1);
  });

  test.each([[{}], [{ text: " " }], [{ text: "a\nb" }], [{ text: "x".repeat(1_001) }]])("refuses %j", async (body) => {
    expect(await tick(await withDoc(LIST), body)).toMatchObject(refusal(400, "invalid_argument", { field: "text" }));
  });

  test("reads a mebibyte of checkboxes in good time", async () => {
    const team = await withDoc("- [ ] a\n".repeat(130_000));
    expect((await tick(team, { text: "a" })).body.error.message).toBe(
      "More than five checkboxes have this text on their line.",
    );
    expect((await tick(team, { text: "b" })).status).toBe(400);
  });
});

test.each([
  ["/doc/section", { section: "Goals", text: "x" }],
  ["/doc/tick", { text: "invoices" }],
])("a stranger, a reader of a later session and whoever comes too late write nothing: %s", async (path, body) => {
  const team = await withDoc(LIST);
  const other = await parley.create();
  const edit = (by?: Team) => parley.post(`/sessions/${team.ref}${path}`, body, by);
  for (const by of [undefined, other]) expect(await edit(by)).toMatchObject(refusal(401, "unauthorized"));
  await parley.post(`/sessions/${team.ref}/conclude`, { summary_section: "Done." }, team);
  expect(await edit(team)).toMatchObject(refusal(403, "session_closed"));
  const next: Team = (await parley.post(`/sessions/${team.ref}/resume`, { team_name: "Next" })).body;
  expect(await edit(next)).toMatchObject(refusal(401, "unauthorized"));
  expect((await read(team)).version).toBe(2);
});
