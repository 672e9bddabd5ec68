import pg from "pg";
import type { Config } from "../config.ts";
import { asRole } from "../postgres/database.ts";
import { findRunning } from "../scripts/workbench.ts";
import type { Finding } from "./configuration.ts";

const PATIENCE_MS = 5_000;
/** The sweep comes every five seconds, if anybody works. */
const WORKED = `select exists (
  select from graphile_worker.jobs where key = 'sweep_presence' and run_at > now() - interval '30 seconds'
) as working`;

/** What only the database can tell. */
export async function checkDatabase({ databaseUrl, dataDir, worker }: Config): Promise<Finding[]> {
  const url = databaseUrl ?? (await findRunning(dataDir));
  if (!url) return [{ safe: undefined, text: `not looked at: the database in ${dataDir} is not running` }];
  const client = new pg.Client({
    connectionString: asRole(url, "parley_worker"),
    application_name: "parley check",
    connectionTimeoutMillis: PATIENCE_MS,
    query_timeout: PATIENCE_MS,
  });
  client.on("error", () => undefined);
  try {
    await client.connect();
    const { rows: off } = await client.query<{ name: string }>(
      "select name from pg_settings where name in ('fsync', 'full_page_writes', 'synchronous_commit') and setting = 'off'",
    );
    const findings = off.map(
      ({ name }): Finding => ({
        safe: false,
        text: `${name} is off: acknowledged messages may be lost in a crash`,
        todo: `Switch it on: alter system set ${name} = on`,
      }),
    );
    if (findings.length === 0) findings.push({ safe: true, text: "what is acknowledged is on disk" });
    if (!worker) findings.push(toldByJobs((await client.query(WORKED)).rows[0].working));
    return findings;
  } catch (error) {
    return [
      {
        safe: false,
        text: `the database cannot be asked (${(error as Error).message})`,
        todo: "Start this server once, or mend DATABASE_URL",
      },
    ];
  } finally {
    await client.end().catch(() => undefined);
  }
}

const toldByJobs = (working: boolean): Finding =>
  working
    ? { safe: true, text: "no worker here, and another server has one" }
    : {
        safe: false,
        text: "no worker: PARLEY_WORKER is off here, and no other server does its work, so nobody falls silent and nothing is indexed",
        todo: "Leave PARLEY_WORKER on in one of them",
      };
