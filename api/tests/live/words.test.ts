import { expect, test } from "vitest";
import { connected } from "../../../testing/postgres.ts";
import { startTestServer, until } from "../../../testing/server.ts";

test("the words of a session that much is said in are indexed before the next sweep, also after that failed once", async () => {
  const server = await startTestServer({ worker: true });
  const sql = (text: string, values: unknown[] = []) =>
    connected(server.database.url(), async (client) => (await client.query(text, values)).rows);
  try {
    // The sweep does nothing: whatever is indexed was told of.
    await sql(`create or replace function parley_private.index_words(at_most integer default 5000) returns integer
      language sql as 'select 0'`);
    const team = await server.create();
    const outbox = Array.from({ length: 20 }, (_, i) => `message ${i}`);
    const say = async () => {
      const { status } = await server.post(`/sessions/${team.ref}/sync`, { outbox, timeout: 0 }, team);
      expect(status).toBe(200);
    };
    const indexed = async () =>
      (await sql("select parley_private.indexed_through($1) as n", [team.session_id]))[0].n as number;
    const indexedFrom = async (through: number) => {
      await say();
      return (await indexed()) >= through;
    };
    for (let i = 0; i < 100; i++) await say();
    expect(await indexed()).toBe(0);
    await until(() => indexedFrom(1_000), "the first words");

    await sql("alter function parley_private.index_words_in rename to away");
    for (let i = 0; i < 110; i++) await say();
    await sql("alter function parley_private.away rename to index_words_in");
    const before = await indexed();
    await until(() => indexedFrom(before + 2_000), "the words that could not be indexed");
  } finally {
    await server.stop();
  }
});
