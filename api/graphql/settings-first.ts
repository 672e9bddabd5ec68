import { createHash } from "node:crypto";
import pg from "pg";
import type { PgClientQuery } from "postgraphile/@dataplan/pg";

export type Settings = Record<string, string | undefined>;

interface Prepared {
  name: string;
  values: string[];
}

interface Connection {
  parsedStatements: Record<string, string>;
  stream: { cork(): void; uncork(): void; destroy(): void };
  bind(config: { statement: string; values: unknown[] }): void;
  execute(config: object): void;
  close(config: { type: "S"; name: string }): void;
}

/** Statements that a connection keeps; callers may make up any number of them. */
const MOST_STATEMENTS = 100;
const kept = new WeakMap<Connection, Set<string>>();

/**
 * The statement that applies these settings until the end of the transaction; a connection learns it with its first use. What the
 * caller sees is found out here, not when a policy meets the first row: whether there is one to hide must not be told by the time.
 */
export async function prepareSettings(client: pg.ClientBase, settings: [string, string][]): Promise<Prepared> {
  const names = settings.map(([name]) => name);
  const { name, text } = statements.get(String(names)) ?? compose(names);
  const values = settings.map(([, value]) => value);
  if (!connectionOf(client).parsedStatements[name]) await client.query({ name, text, values });
  return { name, values };
}

/** By the names of their settings, of which there are few sorts. */
const statements = new Map<string, { name: string; text: string }>();

function compose(names: string[]) {
  const calls = names.map((name, i) => `set_config(${pg.escapeLiteral(name)}, $${i + 1}, true)`);
  if (names.includes("parley.shown")) calls.push("parley_private.sees_all()");
  const text = `select ${calls}`;
  const statement = { name: createHash("sha1").update(text).digest("base64url"), text };
  statements.set(String(names), statement);
  return statement;
}

const connectionOf = (client: pg.ClientBase) => (client as unknown as { connection: Connection }).connection;

/** A statement of which the settings go ahead, in the same transaction and round trip. */
export function queryUnder(client: pg.ClientBase, settings: Prepared, statement: PgClientQuery) {
  return new Promise<pg.QueryResult>((resolve, reject) => {
    const callback: Callback = (error, result) => (error ? reject(error) : resolve(result));
    client.query(new SettingsFirst(settings, statement, callback) as unknown as pg.Submittable);
  });
}

type Callback = (error: Error | null, result: pg.QueryResult) => void;

/** What pg asks of a query, of which the types say little. */
interface QueryClass {
  new (
    config: object,
    callback: Callback,
  ): {
    submit(connection: Connection): Error | null;
    handleDataRow(row: unknown): void;
    handleCommandComplete(message: unknown, connection: Connection): void;
  };
}

class SettingsFirst extends (pg.Query as unknown as QueryClass) {
  #settings: Prepared;
  #name: string | undefined;
  #applied = false;

  constructor(settings: Prepared, { text, values = [], name, arrayMode }: PgClientQuery, callback: Callback) {
    super({ text, values, name, queryMode: "extended", ...(arrayMode && { rowMode: "array" }) }, callback);
    this.#settings = settings;
    this.#name = name;
  }

  override submit(connection: Connection) {
    connection.stream.cork();
    try {
      if (this.#name) makeRoom(connection, this.#name);
      connection.bind({ statement: this.#settings.name, values: this.#settings.values });
      connection.execute({});
      const refused = super.submit(connection);
      // What went ahead waits for an end that does not come.
      if (refused) connection.stream.destroy();
      return refused;
    } finally {
      connection.stream.uncork();
    }
  }

  override handleDataRow(row: unknown) {
    if (this.#applied) super.handleDataRow(row);
  }

  override handleCommandComplete(message: unknown, connection: Connection) {
    if (this.#applied) super.handleCommandComplete(message, connection);
    this.#applied = true;
  }
}

/** The one that was not used for the longest goes. */
function makeRoom(connection: Connection, name: string) {
  const names = kept.get(connection) ?? new Set<string>();
  kept.set(connection, names);
  names.delete(name);
  names.add(name);
  const [oldest] = names;
  if (names.size <= MOST_STATEMENTS || oldest === undefined) return;
  names.delete(oldest);
  connection.close({ type: "S", name: oldest });
  delete connection.parsedStatements[oldest];
}
