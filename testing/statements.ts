import pg from "pg";
import { connected, type TestDatabase } from "./postgres.ts";

export interface Statement {
  text: string;
  /** Pages that it looked at. */
  pages: number;
}

interface Named {
  connectionParameters: { application_name: string };
}

let told: Statement[] = [];
const connect = pg.Client.prototype.connect as (this: pg.Client, ...args: unknown[]) => unknown;

pg.Client.prototype.connect = function (this: pg.Client, ...args: unknown[]) {
  this.on("notice", ({ message = "" }) => {
    // What a server does by itself comes and goes.
    if (!/^parley (calls|graphql)$/.test((this as unknown as Named).connectionParameters.application_name)) return;
    const json = /plan:\n(\{.*\})/s.exec(message)?.[1];
    if (!json) return;
    const { "Query Text": text, Plan } = JSON.parse(json);
    // The expression of a function that is nothing else has no text.
    if (text) told.push({ text, pages: Plan["Shared Hit Blocks"] + Plan["Shared Read Blocks"] });
  });
  return connect.apply(this, args);
} as typeof pg.Client.prototype.connect;

/** From now on who connects to the database tells of every statement, those inside of functions among them. */
export const tellStatements = (database: TestDatabase) =>
  connected(database.url(), async (client) => {
    const { rows } = await client.query("select current_database() as name");
    for (const setting of [
      "session_preload_libraries = 'auto_explain'",
      "client_min_messages = 'log'",
      "auto_explain.log_min_duration = 0",
      "auto_explain.log_nested_statements = on",
      "auto_explain.log_analyze = on",
      "auto_explain.log_timing = off",
      "auto_explain.log_buffers = on",
      "auto_explain.log_format = 'json'",
    ])
      await client.query(`alter database ${rows[0].name} set ${setting}`);
  });

/** What the connections of this process have run meanwhile. */
export async function statementsOf(work: () => Promise<unknown>): Promise<Statement[]> {
  told = [];
  await work();
  return told;
}
