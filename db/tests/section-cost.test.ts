import { afterAll, beforeAll, expect, test } from "vitest";
import { connected, createTestDatabase, type TestDatabase } from "../../testing/postgres.ts";

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database?.drop());

const MEBI = 1_048_576;
const filled = (line: string, size = MEBI) => line.repeat(Math.floor(size / Buffer.byteLength(line)));

/** What it takes to put a text into a section: the best of three, so that a busy machine does not count. */
function cost(doc: string): Promise<number> {
  return connected(database.url("parley_owner"), async (client) => {
    const times: number[] = [];
    await client.query("select set_config('test.doc', $1, false)", [doc]);
    for (let i = 0; i < 3; i++) {
      const start = performance.now();
      await client.query(
        "select length(parley_private.with_text_in_section(current_setting('test.doc'), 'Decisions', '- new'))",
      );
      times.push(performance.now() - start);
    }
    return Math.min(...times);
  });
}

test.each([
  ["hashes", "#\n"],
  ["headings", "## a heading\n"],
  ["headings of that name", "# Decisions\n"],
  ["underlined lines", "a\n=\n"],
  ["lines that are nearly underlined", "a\na\n---\n"],
  ["headings around code", "# a\n\n```sh\nnpm test && echo it is done by now and all is well with the world\n```\n\n"],
])("a section is found among a mebibyte of %s about as fast as in plain text", async (_name, line) => {
  const plain = await cost(filled("plain words that fill a line of the document, as documents have them\n"));
  expect(await cost(filled(line))).toBeLessThan(10 * plain);
});

test("fences take time with their number, not with its square", async () => {
  const few = await cost(filled("```\n~~~\n", MEBI / 8));
  expect(await cost(filled("```\n~~~\n"))).toBeLessThan(3 * 8 * few);
});
