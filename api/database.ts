import pg from "pg";
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

export function createPool(connectionString: string, log: Logger, config: pg.PoolConfig = {}): pg.Pool {
  const pool = new pg.Pool({ connectionString, connectionTimeoutMillis: 5_000, ...config });
  // Without these a connection that breaks while idle would end the process.
  pool.on("error", (err) => log.debug({ err }, "an idle database connection broke"));
  pool.on("connect", (client) => client.on("error", (err) => log.debug({ err }, "a database connection broke")));
  return pool;
}
