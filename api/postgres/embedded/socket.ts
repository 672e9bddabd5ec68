import { createHash } from "node:crypto";
import { chmodSync, lstatSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { StartError } from "../../start-error.ts";

export const PORT = 5432;

// The kernel takes about 104 bytes, of which the socket's own name needs 14.
const LONGEST = 85;
// The server's setting is a comma-separated list: unusual names are not worth its quoting rules.
const PLAIN = /^[\w./-]+$/;

/** The private folder of the server's socket: its mode is what keeps others out, as there is no password. */
export function prepareSocketDir(dataDir: string, owners: readonly (number | undefined)[]): string {
  const dir = chooseSocketDir(dataDir);
  mkdirSync(dir, { mode: 0o700, recursive: true });
  const found = lstatSync(dir);
  if (!found.isDirectory() || (process.getuid && !owners.includes(found.uid))) {
    throw new StartError(`${dir} belongs to somebody else: remove it, or set PARLEY_DATA to another folder.`);
  }
  if ((found.mode & 0o777) !== 0o700) chmodSync(dir, 0o700);
  return dir;
}

function chooseSocketDir(dataDir: string): string {
  const name = `parley-${createHash("sha256").update(dataDir).digest("hex").slice(0, 16)}`;
  const candidates = [join(dataDir, "socket"), join(tmpdir(), name)];
  return candidates.find((dir) => Buffer.byteLength(dir) <= LONGEST && PLAIN.test(dir)) ?? join("/tmp", name);
}

export function connectionUrl(socketDir: string, role: string, database: string): string {
  const [user, name, host] = [role, database, socketDir].map(encodeURIComponent);
  return `postgres://${user}@localhost:${PORT}/${name}?host=${host}`;
}

/** Runs one statement as the superuser, in a connection of its own. */
export async function query<Row>(socketDir: string, sql: string, timeoutMs = 2_000): Promise<Row[]> {
  const client = new Client({
    host: socketDir,
    port: PORT,
    user: "postgres",
    database: "postgres",
    ssl: false,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
  });
  client.on("error", () => {});
  try {
    await client.connect();
    return (await client.query(sql)).rows as Row[];
  } finally {
    await client.end().catch(() => {});
  }
}
