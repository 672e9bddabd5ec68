import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { pino } from "pino";
import type { Browser } from "playwright-core";
import { startEmbeddedPostgres } from "../api/postgres/embedded/index.ts";
import { migrate } from "../api/postgres/migrate.ts";
import { startServer } from "../api/server.ts";
import { NO_RULES } from "../testing/no-rules.ts";
import { launchBrowser } from "./browser.ts";

const log = pino({ level: "error" });

/** A Parley and a browser for a script that is no test: everything is gone when the work is done. */
export async function withThrowawayParley(
  work: (url: string, browser: Browser, sql: pg.Client) => Promise<void>,
): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), "parley-throwaway-"));
  const postgres = await startEmbeddedPostgres({ dataDir, log });
  await migrate(postgres.url(), log, { settings: NO_RULES });
  const databaseUrl = postgres.url("parley_server");
  const server = await startServer({ databaseUrl, host: "127.0.0.1", port: 0, worker: true, graphiql: false, log });
  const sql = new pg.Client({ connectionString: postgres.url() });
  await sql.connect();
  const browser = await launchBrowser();
  try {
    await work(`http://127.0.0.1:${server.port}`, browser, sql);
  } finally {
    await browser.close();
    await sql.end();
    await server.stop();
    await postgres.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}
