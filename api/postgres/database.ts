import pg, { DatabaseError } from "pg";
import type { Logger } from "pino";

/** The same connection string, but everything runs as the given role from the first statement on. */
export function asRole(connectionString: string, role: string, settings: Record<string, string> = {}): string {
  const url = new URL(connectionString);
  const options = Object.entries({ role, timezone: "UTC", ...settings }).map(([name, value]) => `-c ${name}=${value}`);
  const own = url.searchParams.get("options");
  url.searchParams.set("options", [own, ...options].filter(Boolean).join(" "));
  // pg-connection-string reads "+" as a plus sign, not as a space.
  url.search = url.search.replaceAll("+", "%20");
  return url.href;
}

/** Nothing waits for ever on a socket that has fallen silent, whoever uses the pool. */
const PATIENCE = { connectionTimeoutMillis: 15_000, query_timeout: 20_000, keepAlive: true };

export function createPool(connectionString: string, log: Logger, config: pg.PoolConfig = {}): pg.Pool {
  const pool = new pg.Pool({ connectionString, ...PATIENCE, ...config });
  // Without these a connection that breaks while idle would end the process.
  pool.on("error", (err) => log.debug({ err }, "an idle database connection broke"));
  pool.on("connect", (client) => client.on("error", (err) => log.debug({ err }, "a database connection broke")));
  return pool;
}

/** Lets what is under way finish for a moment; a database that does not answer cannot hold it longer. */
export async function closePool(pool: pg.Pool, withinMs = 1_000): Promise<void> {
  const open = pool as unknown as { _clients: pg.Client[] };
  const cut = setInterval(() => open._clients.forEach(cutOff), withinMs);
  await pool.end().finally(() => clearInterval(cut));
}

/** Without the polite goodbye, which a black-holed socket would never finish. */
export function cutOff(client: pg.ClientBase): void {
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}

/** A refusal leaves the connection as it was; pool.query would throw it away, and with it the plans it has prepared. */
export async function withConnection<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    return await work(client);
  } catch (error) {
    if (!isRefusal(error)) broken = error as Error;
    throw error;
  } finally {
    client.release(broken);
  }
}

export const query = async <Row extends pg.QueryResultRow>(pool: pg.Pool, config: Query): Promise<Row[]> =>
  (await withConnection(pool, (client) => client.query<Row>(config))).rows;

/** The database has said no, and the connection lives on. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof DatabaseError && !/^(08|57P)/.test(error.code ?? "");

/** Sent under a name, so that it is planned once per connection; given up after a time, even on a silent socket. */
export interface Query {
  name: string;
  text: string;
  values?: unknown[];
  query_timeout?: number;
}
