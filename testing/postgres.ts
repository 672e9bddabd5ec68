import { randomBytes } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";
import { asRole } from "../api/postgres/database.ts";

export type Role = "parley_owner" | "parley_caller" | "parley_worker" | "parley_server";

export interface TestDatabase {
  /** Connection string of the superuser, or of a role: parley_server logs in itself, the others cannot. */
  url(role?: Role): string;
  drop(): Promise<void>;
}

/** A migrated database of one's own, for tests that commit. */
export function createTestDatabase(): Promise<TestDatabase> {
  return createDatabase(inject("templateDatabase"));
}

/** A database without Parley. */
export function createEmptyDatabase(): Promise<TestDatabase> {
  return createDatabase("template0");
}

async function createDatabase(template: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString("hex")}`;
  const url = new URL(inject("superuserUrl"));
  url.pathname = `/${name}`;
  await connected(inject("superuserUrl"), async (client) => {
    // Copying files takes a checkpoint, which costs nothing without fsync; the other way writes every page to the WAL as well.
    await client.query(`create database ${name} template ${template} strategy file_copy`);
    // What roles.sql grants on the database itself is not cloned.
    await client.query(`grant create on database ${name} to parley_owner, parley_worker`);
  });
  return {
    url: (role) => urlOf(url, role),
    drop: async () => {
      await connected(inject("superuserUrl"), (client) => client.query(`drop database if exists ${name} with (force)`));
    },
  };
}

function urlOf(superuser: URL, role: Role | undefined): string {
  if (!role) return superuser.href;
  if (role !== "parley_server") return asRole(superuser.href, role);
  const url = new URL(superuser);
  url.username = role;
  return url.href;
}

/** Runs the work on a connection of its own. */
export async function connected<T>(connectionString: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Runs the work in a transaction that leaves nothing behind. */
export function rolledBack<T>(connectionString: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  return connected(connectionString, async (client) => {
    await client.query("begin");
    try {
      return await work(client);
    } finally {
      await client.query("rollback");
    }
  });
}
