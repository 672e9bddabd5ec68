import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connected } from "../../../testing/postgres.ts";
import { startTestServer, type Team, type TestServer, until } from "../../../testing/server.ts";
import { replaceSources } from "../../postgres/migrate.ts";
import { readSources, type SourceFile, sourceFile } from "../../postgres/sources.ts";

const log = pino({ level: "fatal" });
let parley: TestServer;
let alex: Team;
beforeAll(async () => {
  parley = await startTestServer();
  alex = await parley.create();
});
afterAll(() => parley.stop());

/** The sources as a next version would bring them. */
const changed = (which: RegExp, mark: string): SourceFile[] =>
  readSources().map((file) => (which.test(file.name) ? sourceFile(file.name, `${file.text}\n-- ${mark}\n`) : file));
const apply = (sources: SourceFile[]) => replaceSources(parley.database.url(), log, { sources });

/** Posts of several teams, without a pause, until told to stop; how each was answered. */
function keepPosting() {
  const statuses: number[] = [];
  let stopping = false;
  const writers = Array.from({ length: 4 }, async (_, writer) => {
    const team = await parley.create(`Writer ${writer}`);
    while (!stopping) {
      const { status } = await parley.post(`/sessions/${team.ref}/messages`, { content: "news" }, team);
      statuses.push(status);
      await parley.get(`/sessions/${team.ref}/messages/wait?timeout=0&since_cursor=0`, team);
    }
  });
  const stop = async () => {
    stopping = true;
    await Promise.all(writers);
    return statuses;
  };
  return { statuses, stop };
}

test("functions alone are applied without waiting for anybody who writes to a table", async () => {
  await connected(parley.database.url(), async (client) => {
    await client.query("begin; lock table parley.messages in share row exclusive mode");
    await apply(changed(/^(functions|private|lines|mcp|graphql)\//, "without tables"));
    await client.query("rollback");
  });
});

test("while teams post, functions, triggers and policies are applied again and again, and no post fails", async () => {
  const posting = keepPosting();
  for (let round = 1; round <= 2; round++) {
    const seen = posting.statuses.length;
    await apply(changed(round % 2 ? /^(functions|private)\// : /^tables\/(messages|sessions)/, `round ${round}`));
    await until(() => posting.statuses.length > seen + 5, "posts between two rounds");
  }
  const statuses = await posting.stop();
  expect(statuses.filter((status) => status !== 200)).toEqual([]);
}, 90_000);

test("a table that somebody holds is waited for, and meanwhile posts go on", async () => {
  await connected(parley.database.url(), async (client) => {
    await client.query("begin; lock table parley.messages in share update exclusive mode");
    const state = { done: false };
    const applied = apply(changed(/^tables\/messages/, "held")).finally(() => Object.assign(state, { done: true }));
    const tries = () =>
      client.query(
        "select from pg_locks where locktype = 'relation' and relation = 'parley.messages'::regclass and not granted",
      );
    for (let times = 0; times < 3; times++) {
      await until(async () => (await tries()).rowCount, "the lock to be asked for");
      expect(await parley.say(alex, "meanwhile")).toMatchObject({ cursor: expect.any(Number) });
    }
    expect(state.done).toBe(false);
    await client.query("rollback");
    await applied;
  });
}, 90_000);

test("many servers that start at once with new sources apply them once", async () => {
  const sources = changed(/^functions\//, "many");
  const version = () =>
    connected(parley.database.url(), (client) =>
      client.query("select ctid::text from pg_proc where oid = 'parley.post_message'::regproc"),
    );
  await apply(sources);
  const { rows } = await version();
  await Promise.all(Array.from({ length: 6 }, () => apply(sources)));
  expect((await version()).rows).toEqual(rows);
  // Half of them are of the version before: they may be first, but never last.
  const next = changed(/^functions\//, "more");
  await Promise.all(Array.from({ length: 6 }, (_, n) => apply(n % 2 ? sources : next)));
  const { rows: newest } = await connected(parley.database.url(), (client) =>
    client.query(
      "select files ->> 'functions/search.sql' as hash from parley_private.applied_sources order by applied_at desc",
    ),
  );
  expect(newest[0].hash).toBe(next.find(({ name }) => name === "functions/search.sql")?.hash);
}, 90_000);
