import { afterEach, expect, test } from "vitest";
import { connected, createTestDatabase, rolledBack, type TestDatabase } from "../postgres.ts";

const databases: TestDatabase[] = [];

afterEach(async () => {
  await Promise.all(databases.splice(0).map((database) => database.drop()));
});

async function createDatabases(count: number): Promise<TestDatabase[]> {
  databases.push(...(await Promise.all(Array.from({ length: count }, createTestDatabase))));
  return databases;
}

test("databases are cloned at the same time, migrated, and apart from each other", async () => {
  const [first, second] = await createDatabases(8);
  const titles = async (database: TestDatabase | undefined) =>
    connected(database?.url() ?? "", async (client) => (await client.query("select title from parley.sessions")).rows);

  await connected(first?.url("parley_owner") ?? "", (client) =>
    client.query("insert into parley.sessions (ref, title, description) values ('here-1', 'Here', '')"),
  );
  expect(await titles(first)).toEqual([{ title: "Here" }]);
  expect(await titles(second)).toEqual([]);
});

test("a connection runs as the role that was asked for", async () => {
  const [database] = await createDatabases(1);
  for (const role of ["parley_owner", "parley_caller", "parley_worker", "parley_server"] as const) {
    const { rows } = await connected(database?.url(role) ?? "", (client) =>
      client.query("select current_user as role, current_setting('is_superuser') as superuser"),
    );
    expect(rows).toEqual([{ role, superuser: "off" }]);
  }
});

test("work that is rolled back leaves nothing behind", async () => {
  const [database] = await createDatabases(1);
  const url = database?.url("parley_owner") ?? "";
  await rolledBack(url, (client) =>
    client.query("insert into parley.sessions (ref, title, description) values ('gone-1', 'Gone', '')"),
  );
  const { rowCount } = await connected(url, (client) => client.query("select from parley.sessions"));
  expect(rowCount).toBe(0);
});
