import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startOwnPostgres } from "../../../testing/faults.ts";
import { connected } from "../../../testing/postgres.ts";
import { startTestServer } from "../../../testing/server.ts";
import { migrate } from "../../postgres/migrate.ts";

const log = pino({ level: "fatal" });
let postgres: Awaited<ReturnType<typeof startOwnPostgres>>;

beforeAll(async () => {
  postgres = await startOwnPostgres({ fsync: "off" }, { empty: true });
});
afterAll(() => postgres.stop());

test("eight replicas that start at once on one empty cluster all succeed", async () => {
  const url = postgres.database.url();
  await Promise.all(Array.from({ length: 8 }, () => migrate(url, log)));
  const parley = await startTestServer({ database: postgres.database });
  try {
    const alex = await parley.create();
    expect(await parley.say(alex, "it works")).toMatchObject({ cursor: 1 });
    expect((await parley.wait(alex, { since_cursor: 0, include_self: "true" })).body.messages).toHaveLength(1);
  } finally {
    await parley.stop();
  }
});

test("MCP_URL is the first value of the setting, and only that", async () => {
  const url = postgres.database.url();
  const value = async () =>
    (await connected(url, (client) => client.query("select value from parley.settings where name = 'mcp_url'"))).rows[0]
      .value;
  await migrate(url, log, { mcpUrl: "https://first.example.com/mcp" });
  expect(await value()).toBe("https://first.example.com/mcp");
  await migrate(url, log, { mcpUrl: "https://second.example.com/mcp" });
  expect(await value()).toBe("https://first.example.com/mcp");
});

test("a database of other migrations is refused in a sentence, and left as it is", async () => {
  const url = postgres.database.url();
  const rename = (from: string, to: string) =>
    connected(url, (client) =>
      client.query("update graphile_migrate.migrations set hash = $2 where hash = $1 returning filename", [from, to]),
    );
  // The newest: no other one refers to it.
  const { rows } = await connected(url, (client) =>
    client.query("select hash from graphile_migrate.migrations order by filename desc"),
  );
  const [{ hash }] = rows as [{ hash: string }];
  await rename(hash, "sha1:other");
  await expect(migrate(url, log)).rejects.toThrow(/another build of Parley, .* Start with an empty one/);
  await rename("sha1:other", hash);
  await migrate(url, log);
});
