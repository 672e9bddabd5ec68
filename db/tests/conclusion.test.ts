import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../testing/postgres.ts";
import { type Calls, connectCallers } from "./calls.ts";

let database: TestDatabase;
let calls: Calls;

beforeAll(async () => {
  database = await createTestDatabase();
  calls = connectCallers(database.url("parley_caller"));
});

afterAll(async () => {
  await calls?.end();
  await database?.drop();
});

/** The document of a session that held doc and was then concluded, once per summary. */
async function concluded(doc: string, ...summaries: string[]): Promise<string> {
  const team = await calls.create();
  if (doc) await calls.must("update_session_doc", { session_id: team.ref, content: doc, expected_version: 0 }, team);
  for (const summary_section of summaries) {
    await calls.must("conclude_session", { session_id: team.ref, summary_section }, team);
  }
  return (await calls.must("read_session_doc", { session_id: team.ref }, team)).content;
}

const section = (body: string) => `## Conclusion\n\n${body}\n`;
const DONE = section("Done.");

describe("a document without the section gets it at its end", () => {
  test.each([
    ["an empty document", "", DONE],
    ["a document that ends with a line break", "# Notes\n\ntext\n", `# Notes\n\ntext\n\n${DONE}`],
    ["a document that does not", "text", `text\n\n${DONE}`],
    ["trailing blanks and blank lines, which stay", "text  \n\n\n", `text  \n\n\n\n${DONE}`],
    ["nothing but a line break", "\n", `\n\n${DONE}`],
    ["letters beyond ASCII", "Grüße 😀 漢字", `Grüße 😀 漢字\n\n${DONE}`],
  ])("%s", async (_name, doc, expected) => {
    expect(await concluded(doc, "Done.")).toBe(expected);
  });
});

describe("the section that is there is replaced, and nothing around it", () => {
  test.each([
    ["at the end", "# Notes\n\n## Conclusion\n\nold\n", `# Notes\n\n${DONE}`],
    ["as the last line", "# Notes\n## Conclusion", `# Notes\n${DONE}`],
    ["alone", "## Conclusion\nold", DONE],
    ["up to a heading of level 2", "a\n\n## Conclusion\nold\n## Next\nb", `a\n\n${DONE}\n## Next\nb`],
    ["up to a heading of level 1", "a\n\n## Conclusion\nold\n# Next\nb", `a\n\n${DONE}\n# Next\nb`],
    ["up to a heading without text", "a\n\n## Conclusion\nold\n##\nb", `a\n\n${DONE}\n##\nb`],
    ["up to a heading that is indented a little", "## Conclusion\nold\n   ## Next", `${DONE}\n   ## Next`],
    ["with its headings of level 3", "## Conclusion\nold\n### Why\nold\n#### More\nold", DONE],
    ["with what only looks like a heading", "## Conclusion\nold\n##Next\n#hashtag\n    ## code\n####### seven", DONE],
    ["after letters that take several bytes", "ü😀漢\n## Conclusion\nold\n# ü😀漢", `ü😀漢\n${DONE}\n# ü😀漢`],
    ["only the first of two", "## Conclusion\nold\n## Conclusion\nold", `${DONE}\n## Conclusion\nold`],
    ["with blanks around that stay", "a  \n\n\n## Conclusion\nold\n\n\n# Next  \n\n", `a  \n\n\n${DONE}\n# Next  \n\n`],
  ])("%s", async (_name, doc, expected) => {
    expect(await concluded(doc, "Done.")).toBe(expected);
  });

  test.each([
    "## Conclusion",
    "## CONCLUSION",
    "## conclusion ##",
    "##\tConclusion\t",
    "   ## Conclusion",
    "## Conclusion  #",
  ])("when its heading is written %j", async (heading) => {
    expect(await concluded(`a\n${heading}\nold\n# b`, "Done.")).toBe(`a\n${DONE}\n# b`);
  });

  test.each([
    "## Conclusions",
    "## The Conclusion",
    "## Conclusion: done",
    "# Conclusion",
    "### Conclusion",
    "##Conclusion",
    "    ## Conclusion",
    "\t## Conclusion",
    "> ## Conclusion",
    "Conclusion",
  ])("but %j is not its heading", async (line) => {
    expect(await concluded(`a\n\n${line}\n\nkept\n`, "Done.")).toBe(`a\n\n${line}\n\nkept\n\n${DONE}`);
  });
});

describe("what stands in a code fence is text", () => {
  const F = "```";
  test.each([
    ["a heading in backticks", `${F}\n## Conclusion\n${F}\n`, `${F}\n## Conclusion\n${F}\n\n${DONE}`],
    ["a heading in tildes", "~~~\n## Conclusion\n~~~\n", `~~~\n## Conclusion\n~~~\n\n${DONE}`],
    [
      "with an info string",
      `${F}md title="a"\n## Conclusion\n${F}\n`,
      `${F}md title="a"\n## Conclusion\n${F}\n\n${DONE}`,
    ],
    [
      "backticks in the info string of tildes",
      "~~~ `a`\n## Conclusion\n~~~\n",
      `~~~ \`a\`\n## Conclusion\n~~~\n\n${DONE}`,
    ],
    ["a longer fence", `\`${F}\n${F}\n## Conclusion\n\`${F}\n`, `\`${F}\n${F}\n## Conclusion\n\`${F}\n\n${DONE}`],
    ["closed by a longer one", `${F}\nx\n${F}${F}  \n## Conclusion\nold`, `${F}\nx\n${F}${F}  \n${DONE}`],
    ["not closed by the other kind", `${F}\n~~~\n## Conclusion\n${F}\n`, `${F}\n~~~\n## Conclusion\n${F}\n\n${DONE}`],
    [
      "not closed by one with a word",
      `${F}\n${F}js\n## Conclusion\n${F}\n`,
      `${F}\n${F}js\n## Conclusion\n${F}\n\n${DONE}`,
    ],
    [
      "not closed by one indented by four",
      `${F}\n    ${F}\n## Conclusion\n${F}\n`,
      `${F}\n    ${F}\n## Conclusion\n${F}\n\n${DONE}`,
    ],
    ["indented a little", `   ${F}\n## Conclusion\n  ${F}\n`, `   ${F}\n## Conclusion\n  ${F}\n\n${DONE}`],
    ["inside the section", `## Conclusion\n${F}\n# no end\n${F}\nold\n# Next`, `${DONE}\n# Next`],
    ["open to the end of the section", `a\n## Conclusion\n${F}\n# no end`, `a\n${DONE}`],
    ["code in a line opens nothing", `${F} x ${F}\n## Conclusion\nold\n# b`, `${F} x ${F}\n${DONE}\n# b`],
    ["two backticks open nothing", "``\n## Conclusion\nold", `\`\`\n${DONE}`],
    ["four blanks open nothing", `    ${F}\n## Conclusion\nold`, `    ${F}\n${DONE}`],
  ])("%s", async (_name, doc, expected) => {
    expect(await concluded(doc, "Done.")).toBe(expected);
  });

  test.each(["```js\nopen", "~~~~\nopen", "```\n## Conclusion\nopen"])(
    "a fence left open in %j is closed first",
    async (doc) => {
      const fence = /^(`+|~+)/.exec(doc)?.[0];
      expect(await concluded(doc, "Done.")).toBe(`${doc}\n${fence}\n\n${DONE}`);
    },
  );
});

describe("the summary stands as it was sent", () => {
  test.each([
    ["## Conclusion\n\nDone.", "Done."],
    ["# Conclusion\nDone.", "Done."],
    ["### conclusion\nDone.", "Done."],
    ["## conclusion ##\n\nDone.", "Done."],
    ["\n\n## Conclusion  \r\n\r\nDone.", "Done."],
    ["## Conclusion", ""],
    ["## Conclusions\n\nDone.", "## Conclusions\n\nDone."],
    ["## Conclusion of part 1\n\nDone.", "## Conclusion of part 1\n\nDone."],
    ["Done.\n\n## Conclusion\n\nReally.", "Done.\n\n## Conclusion\n\nReally."],
    ["  indented\n\n\n    code\n", "  indented\n\n\n    code"],
    ["\n\n    code first\n\n", "    code first"],
    ["- \\1 & \\& $1 %s 'quoted' \\n", "- \\1 & \\& $1 %s 'quoted' \\n"],
    ["Grüße 😀 漢字 \u{200d}", "Grüße 😀 漢字 \u{200d}"],
  ])("%j", async (summary, body) => {
    expect(await concluded("", summary)).toBe(section(body));
    expect(await concluded("# Notes\n\n## Conclusion\nold\n# Next\n", summary)).toBe(
      `# Notes\n\n${section(body)}\n# Next\n`,
    );
  });
});

describe("a repeated conclusion leaves nothing of the earlier one", () => {
  const unruly = "Done.\n\n## Decisions\n\nx\n\n# Part 2\n\n## Conclusion\n\ny\n\n```\nopen";
  test.each([
    ["in an empty document", ""],
    ["at the end", "# Notes\n"],
    ["in the middle", "# Notes\n\n## Conclusion\n\nold\n\n# Next\n"],
    ["after an open fence", "```\nopen"],
    ["in a document with CRLF", "# Notes\r\n\r\n## Conclusion\r\nold\r\n# Next\r\n"],
  ])("%s", async (_name, doc) => {
    expect(await concluded(doc, unruly, "Short.")).toBe(await concluded(doc, "Short."));
    expect(await concluded(doc, unruly, "Short.", unruly)).toBe(await concluded(doc, unruly));
  });
});

describe("a document with CRLF keeps it", () => {
  test.each([
    ["at the end", "# Notes\r\ntext\r\n", "# Notes\r\ntext\r\n\r\n## Conclusion\r\n\r\nDone.\r\n"],
    ["without a last break", "a\r\nb", "a\r\nb\r\n\r\n## Conclusion\r\n\r\nDone.\r\n"],
    ["in the middle", "a\r\n## Conclusion\r\nold\r\n# b\r\n", "a\r\n## Conclusion\r\n\r\nDone.\r\n\r\n# b\r\n"],
    ["up to a heading without text", "## Conclusion\r\nold\r\n##\r\nb", "## Conclusion\r\n\r\nDone.\r\n\r\n##\r\nb"],
    [
      "with a fence",
      "```js\r\n## Conclusion\r\n```\r\n## Conclusion\r\nold",
      "```js\r\n## Conclusion\r\n```\r\n## Conclusion\r\n\r\nDone.\r\n",
    ],
    ["with a fence left open", "a\r\n```\r\nb", "a\r\n```\r\nb\r\n```\r\n\r\n## Conclusion\r\n\r\nDone.\r\n"],
  ])("%s", async (_name, doc, expected) => {
    expect(await concluded(doc, "Done.")).toBe(expected);
    expect(await concluded(doc, "## Conclusion\r\n\r\nDone.\r\n")).toBe(expected);
  });
});

const line = fc.constantFrom(
  ..."|text|ü😀|# One|## Two|### Three|## Conclusion|## conclusion ##|## Conclusions|```|```js|````|~~~|~~~ x|  ```|    ```|``` a ```|    ## Conclusion".split(
    "|",
  ),
);
const documents = fc
  .tuple(fc.array(line, { maxLength: 12 }), fc.constantFrom("\n", "\r\n"), fc.boolean())
  .map(([lines, br, last]) => lines.join(br) + (last ? br : ""));

test("whatever the document, one section is replaced or added, and all other bytes are kept", async () => {
  // Asked of the function itself, by somebody who may: two thousand sessions would take too long.
  const withConclusion = async (doc: string, summary: string): Promise<string> => {
    const { rows } = await owner.pool.query("select parley_private.with_conclusion($1, $2) as doc", [doc, summary]);
    return rows[0].doc;
  };
  const owner = connectCallers(database.url(), 1, "parley_owner");
  try {
    await fc.assert(
      fc.asyncProperty(documents, async (doc) => {
        const result = await withConclusion(doc, "The summary.");
        const at = result.indexOf("The summary.");
        const [before, after] = [result.slice(0, at), result.slice(at + "The summary.".length)];
        const br = doc.includes("\r\n") ? "\r\n" : "\n";
        const heading = `## Conclusion${br}${br}`;
        expect(before.endsWith(heading)).toBe(true);
        expect(after.startsWith(br)).toBe(true);
        const rest = after.slice(br.length);
        if (rest) {
          expect(rest).toMatch(/^\r?\n {0,3}##?(\s|$)/);
          expect(doc.endsWith(rest.slice(br.length))).toBe(true);
        }
        const head = before.slice(0, -heading.length);
        expect(doc.startsWith(head) || head.startsWith(doc)).toBe(true);
        expect(await withConclusion(result, "Another one.")).toBe(await withConclusion(doc, "Another one."));
      }),
      { numRuns: 1000 },
    );
  } finally {
    await owner.end();
  }
});
