import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { connected } from "../../../testing/postgres.ts";
import { type Answer, startTestServer, type Team, type TestServer } from "../../../testing/server.ts";

let parley: TestServer;
let a: Team;
let b: Team;
beforeAll(async () => {
  parley = await startTestServer();
  a = await parley.create();
  b = await parley.join(a);
  // As much as a team may say in 60 messages: about 3.9 MB.
  for (let i = 0; i < 60; i++) await parley.say(a, "x".repeat(65_536));
});
afterEach(() => set("default_value"));
afterAll(() => parley.stop());

const MiB = 1_048_576;
const LAST = 61;
const set = (value: string) =>
  connected(parley.database.url("parley_owner"), (client) =>
    client.query(`update parley.settings set value = ${value} where name = 'page_max_bytes'`),
  );
const cursors = ({ body }: Answer) => body.messages.map((m: { cursor: number }) => m.cursor);
const size = ({ body }: Answer) => Buffer.byteLength(JSON.stringify(body));
const through = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i);
const history = (query: string) => parley.get(`/sessions/${b.ref}/messages?${query}`, b);

describe("a page holds about a mebibyte, whoever asks for how much", () => {
  const forwards: [string, (since: number) => Promise<Answer>][] = [
    ["wait", (since_cursor) => parley.wait(b, { since_cursor, full: "true", timeout: 0 })],
    [
      "sync",
      (since_cursor) =>
        parley.post(`/sessions/${b.ref}/sync`, { since_cursor, full: true, max_items: 500, auto_advance: false }, b),
    ],
  ];
  test.each(forwards)("%s, with nothing missed and nothing twice", async (_verb, read) => {
    const read_so_far: number[] = [];
    let pages = 0;
    for (let since = 1, more = true; more; pages++) {
      const page = await read(since);
      expect(size(page)).toBeLessThan(1.1 * MiB);
      expect(page.body.unread).toBe(0 + (page.body.has_more ? LAST - page.body.next_cursor : 0));
      read_so_far.push(...cursors(page));
      ({ has_more: more, next_cursor: since } = page.body);
      expect(since).toBe(read_so_far.at(-1));
    }
    expect(read_so_far).toEqual(through(2, LAST));
    expect(pages).toBe(4);
    await connected(parley.database.url("parley_owner"), (client) =>
      client.query("update parley.participants set cursor = 1, handed_cursor = 1 where id = 2"),
    );
  });

  test("get_history, backwards", async () => {
    const read_so_far: number[] = [];
    let pages = 0;
    for (let before: number | null = LAST + 1; before !== null; pages++) {
      const page: Answer = await history(`full=true&limit=500&before_cursor=${before}`);
      expect(size(page)).toBeLessThan(1.1 * MiB);
      expect(page.body.has_more).toBe(page.body.next_cursor !== null);
      read_so_far.unshift(...cursors(page));
      before = page.body.next_cursor;
    }
    expect(read_so_far).toEqual(through(1, LAST));
    expect(pages).toBe(4);
  });

  test("cut texts count as what is left of them", async () => {
    expect(cursors(await history("limit=500"))).toEqual(through(1, LAST));
    expect(cursors(await parley.wait(b, { since_cursor: 1, timeout: 0 }))).toEqual(through(2, LAST));
  });

  test("one message always comes, however large", async () => {
    await set("'1024'");
    expect(cursors(await history("full=true"))).toEqual([LAST]);
    expect((await history("full=true")).body.next_cursor).toBe(LAST);
    expect(cursors(await history("full=true&before_cursor=2"))).toEqual([1]);
    for (const [, read] of forwards) expect(cursors(await read(7))).toEqual([8]);
  });

  test("metadata counts, too", async () => {
    await set("'10000'");
    const c = await parley.create();
    const d = await parley.join(c);
    const metadata = { large: "y".repeat(4_000) };
    for (let i = 0; i < 5; i++) await parley.post(`/sessions/${c.ref}/messages`, { content: "small", metadata }, c);
    expect(cursors(await parley.wait(d))).toEqual([2, 3]);
  });
});
