import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connected, createTestDatabase, type TestDatabase } from "../../../testing/postgres.ts";
import { DEFAULT_POOLS } from "../../config.ts";
import { createPools, type Pools } from "../../postgres/pools.ts";

let database: TestDatabase;
let pools: Pools;

beforeAll(async () => {
  database = await createTestDatabase();
  pools = createPools(database.url("parley_server"), { sizes: DEFAULT_POOLS, log: pino({ level: "silent" }) });
  await connected(database.url(), async (client) => {
    await client.query(`
      insert into parley.sessions (ref, title, description) values ('calm-otter-17', 'S', '');
      insert into parley.participants (session_id, id, handle, team_name) select id, 1, 'a', 'A' from parley.sessions;
      insert into parley.messages (session_id, sequence, posted_by, type, content)
        select id, n, 1, 'chat', '{"text": "x"}' from parley.sessions, generate_series(1, 3) n;
      analyze`);
  });
});

afterAll(async () => {
  await pools?.close();
  await database?.drop();
});

test.each(["calls", "waits", "graphql"] as const)(
  "a plan of %s that was made when a table held three rows reads by an index",
  async (name) => {
    const client = await pools[name].connect();
    try {
      for (const [table, column] of [
        ["messages", "sequence"],
        ["participants", "id"],
      ]) {
        await client.query(
          `prepare small (uuid, integer) as select * from parley.${table} where session_id = $1 and ${column} = $2`,
        );
        const { rows } = await client.query("explain execute small (gen_random_uuid(), 1)");
        await client.query("deallocate small");
        expect(rows.map((row) => row["QUERY PLAN"]).join("\n")).toMatch(/^Index Scan/);
      }
    } finally {
      client.release();
    }
  },
);
