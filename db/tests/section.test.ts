import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connected, createTestDatabase, type TestDatabase } from "../../testing/postgres.ts";

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database?.drop());

const line = fc.constantFrom(
  "text",
  "ü😀漢 text",
  "- a list",
  "",
  "  ",
  "# Decisions",
  "## Decisions",
  "### decisions ##",
  "## Notes",
  "# Ünten 🦦",
  "###### deep",
  "#no heading",
  "    ## code",
  "```",
  "```sh",
  "~~~~",
  "~~~",
  "``` `inline`",
  "Decisions",
  "Notes",
  "===",
  "---",
  "> quoted",
);
const documents = fc
  .record({ lines: fc.array(line, { maxLength: 14 }), br: fc.constantFrom("\n", "\r\n"), ends: fc.boolean() })
  .map(({ lines, br, ends }) => lines.join(br) + (ends && lines.length > 0 ? br : ""));
const sections = fc.constantFrom("Decisions", "Notes", "Ünten 🦦", "deep", "C#", "New 😀", "a `b` ~~~");

const linesOf = (doc: string) => doc.split(/\r?\n/).filter((text) => text.trim() !== "");

/** What b has beside the lines of a, which have to be there in their order; undefined if they are not. */
function beside(a: string[], b: string[]): string[] | undefined {
  let next = 0;
  const rest = b.filter((text) => {
    if (text.trimEnd() !== a[next]?.trimEnd()) return true;
    next++;
    return false;
  });
  return next === a.length ? rest : undefined;
}

test("an append to a section keeps every line, adds one text, and finds its section again", async () => {
  await connected(database.url(), async (client) => {
    const append = async (doc: string, section: string, text: string): Promise<string> => {
      const { rows } = await client.query("select parley_private.with_text_in_section($1, $2, $3) as doc", [
        doc,
        section,
        text,
      ]);
      return rows[0].doc;
    };
    const outline = async (doc: string, section: string) => {
      const { rows } = await client.query(
        `select o.level, convert_from(substring(convert_to($1, 'UTF8') from o.at_byte + 1), 'UTF8') as text
         from parley_private.doc_outline($1) o where lower(o.title) = lower($2)`,
        [doc, section],
      );
      return rows as { level: number; text: string }[];
    };
    const find = async (doc: string, section: string) => {
      const { rows } = await client.query(
        `select s.level, substr($1, s.starts) as text, substr($1, s.body_starts, s.ends - s.body_starts) as body
         from parley_private.find_section($1, $2) s`,
        [doc, section],
      );
      return rows[0] as { level: number | null; text: string; body: string };
    };
    await fc.assert(
      fc.asyncProperty(documents, sections, async (doc, section) => {
        const before = await outline(doc, section);
        const once = await append(doc, section, "+ first");
        const added = beside(linesOf(doc), linesOf(once));
        const heading = before.length === 0 ? [`## ${section}`] : [];
        expect(added?.filter((text) => !/^[`~]{3,}$/.test(text))).toEqual([...heading, "+ first"]);

        const twice = await append(once, section, "+ second");
        expect(beside(linesOf(once), linesOf(twice))).toEqual(["+ second"]);
        const found = await outline(twice, section);
        expect(found).toHaveLength(Math.max(before.length, 1));
        const { level, text, body } = await find(twice, section);
        expect({ level, text }).toEqual(found.find((heading) => heading.level === 2) ?? found[0]);
        expect(body).toMatch(/\+ first\r?\n\+ second\r?\n/);
        expect(twice.includes("\r\n") && /[^\r]\n/.test(twice)).toBe(false);
      }),
      { numRuns: 600 },
    );
  });
});
