import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase, rolledBack, type TestDatabase } from "../../testing/postgres.ts";
import { type Lint, lints } from "./lints.ts";

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database?.drop());

function offenders(lint: Lint, change?: string): Promise<string[]> {
  return rolledBack(database.url(), async (client) => {
    if (change) await client.query(`set local role parley_owner; ${change}; reset role`);
    await client.query("set local search_path = pg_catalog");
    return (await client.query<{ offender: string }>(lint.query)).rows.map((row) => row.offender);
  });
}

describe.each(lints)("$rule", (lint) => {
  test("holds", async () => {
    expect(await offenders(lint)).toEqual([]);
  });

  test("is seen to be broken by an offender", async () => {
    expect(await offenders(lint, lint.offender)).toEqual([expect.stringContaining(lint.named)]);
  });
});
