import { afterAll, beforeAll, expect, test } from "vitest";
import { connected } from "../../../testing/postgres.ts";
import { startTestServer, type Team, type TestServer } from "../../../testing/server.ts";

let parley: TestServer;
beforeAll(async () => {
  parley = await startTestServer();
});
afterAll(() => parley.stop());

const say = (team: Team, content: string, more = {}) =>
  parley.post(`/sessions/${team.ref}/messages`, { content, ...more }, team);
const digest = async (team: Team, query = "") => (await parley.get(`/sessions/${team.ref}/digest${query}`, team)).body;
const append = (team: Team, text: string, section?: string) =>
  parley.post(`/sessions/${team.ref}/doc/append`, { text, ...(section && { section }) }, team);

test("each team has its latest status, and is blocked while that says so", async () => {
  const a = await parley.create("Amber");
  const b = await parley.join(a, "Blue");
  await say(b, "Stuck: no fixtures.", { kind: "status" });
  await say(b, "Anyone?");
  await say(a, "I take the exports.");
  const [amber, blue] = (await digest(a)).teams;
  expect(amber).toMatchObject({ you: true, last_message: { cursor: 4, text: "I take the exports." } });
  expect(amber).not.toHaveProperty("last_status");
  expect(blue).toMatchObject({ blocked: true, last_status: { cursor: 2, text: "Stuck: no fixtures." } });
  expect(blue).not.toHaveProperty("you");
  expect(blue).not.toHaveProperty("last_message");

  await say(b, "Going on, with fixtures.", { kind: "status" });
  expect((await digest(a)).teams[1]).not.toHaveProperty("blocked");
  await say(b, "The database is gone.", { kind: "blocker" });
  expect((await digest(a)).teams[1]).toMatchObject({ blocked: true, last_status: { cursor: 6 } });
  expect((await digest(a, "?since_cursor=6")).teams[1]).toMatchObject({ messages: 0, last_cursor: null });
});

test("counts after a cursor are those of the messages after it", async () => {
  const a = await parley.create("Amber");
  const b = await parley.join(a, "Blue");
  const kinds = ["question", "answer", "decision", "status", "message"];
  for (let n = 0; n < 30; n++) await say(n % 3 ? a : b, `${n}`, { kind: kinds[(n * n) % 5], reply_to: 1 });
  const { messages } = (await parley.get(`/sessions/${a.ref}/messages`, a)).body;
  for (const since of [0, 1, 7, 20, 30, 31]) {
    const told = await digest(a, `?since_cursor=${since}`);
    for (const team of [a, b]) {
      const own = messages.filter((m: { handle: string; cursor: number; type: string }) => {
        return m.type === "chat" && m.handle === team.handle && m.cursor > since;
      });
      const of = (kind: string) => own.filter((m: { kind: string }) => m.kind === kind).length;
      expect(told.teams.find(({ handle }: Team) => handle === team.handle)).toMatchObject({
        messages: own.length,
        questions: of("question"),
        answers: of("answer"),
        decisions: of("decision"),
        last_cursor: own.at(-1)?.cursor ?? null,
      });
    }
  }
});

test("a question to several says who has yet to answer", async () => {
  const a = await parley.create("Amber");
  const [b, c] = [await parley.join(a, "Blue"), await parley.join(a, "Red")];
  await say(a, "When?", { kind: "question", to: ["blue", "red"] });
  expect((await digest(a)).open_questions[0]).not.toHaveProperty("waiting_for");
  await say(b, "Now.", { kind: "answer", reply_to: 3 });
  expect((await digest(a)).open_questions).toMatchObject([{ to: ["blue", "red"], waiting_for: ["red"] }]);
  await say(c, "Now.", { kind: "answer", reply_to: 3 });
  expect((await digest(a)).open_questions).toEqual([]);
});

test("a change of the document names the sections that it stands in and brings along", async () => {
  const a = await parley.create("Amber");
  const sections = async () => (await digest(a)).doc_changes.at(-1).sections;
  const replace = async (from: string, to: string) => {
    const { content, version } = (await parley.get(`/sessions/${a.ref}/doc`, a)).body;
    expect(content).toContain(from);
    await parley.post(`/sessions/${a.ref}/doc`, { content: content.replace(from, to), expected_version: version }, a);
    return sections();
  };
  await append(a, "a word of greeting");
  expect(await sections()).toBeUndefined();
  await append(a, "## Ziele für März\n\n- eins\n\n## Risks\n- r");
  expect(await sections()).toEqual(["Ziele für März", "Risks"]);
  await append(a, "- another");
  expect(await sections()).toEqual(["Risks"]);
  await append(a, "- decided", "Decisions");
  expect(await sections()).toEqual(["Decisions"]);
  expect(await replace("- eins", "- èins")).toEqual(["Ziele für März"]);
  await append(a, "```\n# not a heading\n```");
  expect(await sections()).toEqual(["Decisions"]);
  expect(await replace("- r\n", "- r\n\n### Small\n\nmore\n")).toEqual(["Small"]);
  expect(await replace("- r\n", "- r or s\n\n### Smaller\n")).toEqual(["Risks", "Smaller"]);
  expect(await replace("## Risks", "## Dangers")).toEqual(["Dangers"]);
  expect(await replace("# not a heading", "# still none")).toEqual(["Decisions"]);
  await append(a, "1\n# 1\n# 2\n# 3\n# 4\n# 5\n# 6");
  expect(await sections()).toEqual(["Decisions", "1", "2", "3", "6"]);
});

test("with a limit the lists hold so many, and the totals tell how many there are", async () => {
  const a = await parley.create("Amber");
  await parley.join(a, "Blue");
  for (let n = 0; n < 4; n++) await say(a, `We do ${n}.`, { kind: "decision" });
  await append(a, "x");
  const told = await digest(a, "?limit=1");
  expect(told).toMatchObject({
    decisions: [{ cursor: 5 }],
    omitted: 3,
    totals: { open_questions: 0, decisions: 4, doc_changes: 1, events: 1 },
  });
  expect(await digest(a)).not.toHaveProperty("totals");
  expect(await parley.get(`/sessions/${a.ref}/digest?limit=0`, a)).toMatchObject({
    status: 400,
    body: { error: { code: "invalid_argument", details: { field: "limit" } } },
  });
});

test("reads no more rows of a long feed and a long document than of short ones", async () => {
  const rowsRead = async (size: number, since: number) => {
    const a = await parley.create("Amber");
    for (const name of ["Blue", "Red", "Green"]) await parley.join(a, name);
    return connected(parley.database.url(), async (client) => {
      await client.query("begin");
      await client.query("set local session_replication_role = replica");
      await client.query(
        `insert into parley.messages (session_id, sequence, posted_by, type, content, kind, nth_of_author, nth_of_kind)
        select $1, 3 + n, 1 + n % 4, 'chat', '{"text": "So it is."}', kind, row_number() over (partition by n % 4 order by n),
          case when kind <> 'message' then row_number() over (partition by n % 4, kind order by n) end
        from generate_series(1, $2::integer) n
        cross join lateral (select (array['status', 'decision', 'message', 'message'])[1 + n / 4 % 4]) as k (kind)`,
        [a.session_id, size],
      );
      await client.query(
        `insert into parley.session_doc_history (session_id, version, written_by, size, after_cursor, nth_of_author)
        select $1, n, 1 + n % 4, n, n, row_number() over (partition by n % 4 order by n) from generate_series(1, $2::integer) n`,
        [a.session_id, size],
      );
      await client.query("update parley.sessions set last_sequence = $2 + 3, session_doc_version = $2 where id = $1", [
        a.session_id,
        size,
      ]);
      await client.query("analyze parley.messages, parley.session_doc_history");
      await client.query("set local session_replication_role = origin");
      const read = `select relname, (seq_tup_read + idx_tup_fetch)::integer as rows from pg_stat_xact_user_tables
        where relname in ('messages', 'session_doc_history') order by relname`;
      const before = (await client.query(read)).rows;
      const { rows } = await client.query(
        "select (d).messages, (d).omitted from (select parley_private.digest(s, $2, 0, 1) as d from parley.sessions s where s.id = $1) x",
        [a.session_id, since],
      );
      expect(rows).toEqual([{ messages: size - since + (since && 3), omitted: expect.any(Number) }]);
      const after = (await client.query(read)).rows;
      await client.query("rollback");
      return after.map((row, n) => row.rows - before[n].rows);
    });
  };
  for (const [short, long] of [
    [await rowsRead(1_000, 0), await rowsRead(8_000, 0)],
    [await rowsRead(1_000, 500), await rowsRead(8_000, 4_000)],
  ]) {
    expect(long?.[0]).toBeLessThanOrEqual((short?.[0] ?? 0) + 20);
    expect(long?.[1]).toBeLessThanOrEqual((short?.[1] ?? 0) + 20);
  }
});
