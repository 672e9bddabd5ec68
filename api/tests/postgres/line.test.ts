import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { createTestDatabase } from "../../../testing/postgres.ts";
import { runBatch } from "../../postgres/batch.ts";
import { createPool } from "../../postgres/database.ts";
import { Line } from "../../postgres/line.ts";

const statement = (text: string) => [{ name: text, text }];

async function openLine() {
  const database = await createTestDatabase();
  const pool = createPool(database.url(), pino({ level: "silent" }));
  onTestFinished(async () => {
    await pool.end();
    await database.drop();
  });
  const line = new Line(pool);
  return { pool, line, ask: (text: string) => line.use((client) => runBatch(client, statement(text))) };
}

test("what is sent behind another gets its own answer, also when the other is refused", async () => {
  const { pool, ask } = await openLine();
  for (let round = 0; round < 200; round++) {
    const answers = await Promise.allSettled([
      ask("select 'first'"),
      ask(round % 2 ? "select 1 / 0" : "select 'second'"),
      ask("select 'third'"),
      ask("select 1 / 0"),
      ask("select 'last'"),
    ]);
    expect(answers.map((each) => (each.status === "fulfilled" ? each.value[0]?.[0]?.[0] : each.reason.code))).toEqual([
      "first",
      round % 2 ? "22012" : "second",
      "third",
      "22012",
      "last",
    ]);
  }
  expect([pool.totalCount, pool.idleCount]).toEqual([1, 1]);
});

test("when the connection is lost all who are on it are told, nobody else goes there, and it is not used again", async () => {
  const { pool, line, ask } = await openLine();
  const { promise: leaving, resolve: leave } = Promise.withResolvers<void>();
  const last = line.use(() => leaving);
  // Who reads it sees the farewell, who still writes that nobody reads any more.
  const lost = expect.objectContaining({ message: expect.stringMatching(/terminat|EPIPE|ECONNRESET/) });
  expect(
    await Promise.allSettled([ask("select pg_terminate_backend(pg_backend_pid())"), ask("select 'behind'")]),
  ).toEqual([
    { status: "rejected", reason: lost },
    { status: "rejected", reason: lost },
  ]);
  expect(line.broken).toBe(true);
  leave();
  await last;
  expect(line.broken).toBe(false);
  expect(await ask("select 'again'")).toEqual([[["again"]]]);
  expect([pool.totalCount, pool.idleCount]).toEqual([1, 1]);
});
