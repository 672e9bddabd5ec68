import type { Logger } from "pino";
import type { Access, DEFAULT_POOLS } from "../config.ts";
import { asRole, closePool, createPool } from "./database.ts";

export type PoolSizes = typeof DEFAULT_POOLS;

const SERVICE = 2;

export type Pools = ReturnType<typeof createPools>;

interface PoolOptions {
  access?: Access | undefined;
  sizes: PoolSizes;
  log: Logger;
}

/** Who waits for whom is decided here: calls that are stuck hold back neither wake-ups nor health nor the page. */
export function createPools(databaseUrl: string, { access = "open", sizes, log }: PoolOptions) {
  // Said on every connection, so that no surface can forget it.
  const asCaller = (settings: Record<string, string>) =>
    asRole(databaseUrl, "parley_caller", { "parley.access": access, ...settings });
  const callerUrl = asCaller({ statement_timeout: "15s" });
  // Verbs look rows up by their keys: one plan fits every call, and making a new one each time costs more than running it.
  const planned = { plan_cache_mode: "force_generic_plan" };
  // A plan is kept that was made when the table was small: it must not read it from end to end when it is not. What has to
  // be read whole still is, and without compiling what the planner then takes for dear.
  const byIndex = { enable_seqscan: "off", jit: "off" };
  const open = (name: string, url: string, max: number, query_timeout: number, connectionTimeoutMillis?: number) =>
    createPool(url, log, {
      max,
      application_name: `parley ${name}`,
      query_timeout,
      ...(connectionTimeoutMillis && { connectionTimeoutMillis }),
    });

  const calls = asCaller({ statement_timeout: "15s", lock_timeout: "5s", ...planned, ...byIndex });
  // Shorter than the time-out of the query: a statement that is slow is told from a connection that is dead.
  const waits = asCaller({ statement_timeout: "4s", lock_timeout: "1s", ...planned, ...byIndex });
  const graphql = asCaller({ statement_timeout: "15s", lock_timeout: "3s", ...byIndex });
  const pools = {
    calls: open("calls", calls, sizes.calls, 20_000),
    waits: open("waits", waits, sizes.waits, 5_000, 5_000),
    service: open("service", callerUrl, SERVICE, 5_000, 5_000),
    graphql: open("graphql", graphql, sizes.graphql, 20_000),
    worker: open("worker", asRole(databaseUrl, "parley_worker", { lock_timeout: "5s" }), sizes.worker, 30_000),
  };
  return {
    ...pools,
    /** For the one connection that listens, and notifies: what it says need not be on disk. */
    listenerUrl: asCaller({ statement_timeout: "15s", synchronous_commit: "off" }),
    close: () => Promise.all(Object.values(pools).map((pool) => closePool(pool))),
  };
}
