import pg from "pg";
import type { Query } from "./database.ts";

interface Connection {
  parsedStatements: Record<string, string>;
  stream: { writable: boolean; cork(): void; uncork(): void };
  bind(config: { statement: string; values: unknown[]; valueMapper: (value: unknown) => unknown }): void;
  parse(config: { name: string; text: string }): void;
  close(config: { type: "S"; name: string }): void;
  execute(config: object): void;
  sync(): void;
}

type Row = (string | null)[];

const done = new WeakMap<object, number>();

/** How many statements of its batch had been done when this error ended it. */
export const doneBefore = (error: object): number => done.get(error) ?? 0;

const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): unknown } }).utils;

/**
 * Statements that are sent in one go with one Sync behind them: they are one transaction, one round trip and one commit.
 * Each answers with its rows, as text. When one fails, none of them has happened.
 */
export function runBatch(client: pg.ClientBase, statements: Query[]): Promise<Row[][]> {
  return new Promise((resolve, reject) => {
    const batch = new Batch(statements, resolve, reject);
    client.query(batch);
    batch.send((client as unknown as { connection: Connection }).connection);
  });
}

/** What pg sends and tells about what comes back; see its own Query. */
class Batch {
  #answers: Row[][] = [];
  #rows: Row[] = [];
  #statements: Query[];
  #done = 0;
  #sent = false;
  #parsed: Record<string, string> = {};
  #parsing = new Set<string>();
  #resolve: ((answers: Row[][]) => void) | undefined;
  #reject: ((error: Error) => void) | undefined;
  callback: (error: Error | null) => void;

  constructor(statements: Query[], resolve: (answers: Row[][]) => void, reject: (error: Error) => void) {
    this.#statements = statements;
    this.#resolve = resolve;
    this.#reject = reject;
    this.callback = this.#end.bind(this);
  }

  /** Lets go of everything: pg keeps what it calls back until the whole heap is collected, and a call hangs on it. */
  #end(error: Error | null) {
    const [answers, resolve, reject] = [this.#answers, this.#resolve, this.#reject];
    if (error) done.set(error, this.#done);
    // Some may have been closed and not made again.
    if (error) for (const name of this.#parsing) delete this.#parsed[name];
    this.#answers = this.#rows = this.#statements = [];
    this.#resolve = this.#reject = undefined;
    if (error) reject?.(error);
    else resolve?.(answers);
  }

  /** Behind the batches that are under way on the connection: the database goes on with it as soon as it is done with them. */
  send(connection: Connection) {
    if (this.#sent || !connection.stream.writable) return;
    this.#sent = true;
    const parsed = connection.parsedStatements;
    this.#parsed = parsed;
    connection.stream.cork();
    try {
      for (const { name, text, values = [] } of this.#statements) {
        if (parsed[name] === undefined && !this.#parsing.has(name)) {
          // It may be there all the same, from a batch that failed behind it.
          connection.close({ type: "S", name });
          connection.parse({ name, text });
          this.#parsing.add(name);
        }
        connection.bind({ statement: name, values, valueMapper: prepareValue });
        connection.execute({});
      }
      connection.sync();
    } finally {
      connection.stream.uncork();
    }
  }

  /** Called by pg when its turn to be answered has come. */
  submit(connection: unknown) {
    this.send(connection as Connection);
    return null;
  }

  handleDataRow({ fields }: { fields: Row }) {
    this.#rows.push(fields);
  }

  handleCommandComplete() {
    const { name, text } = this.#statements[this.#done++] as Query;
    this.#answers.push(this.#rows);
    this.#rows = [];
    this.#parsed[name] ??= text;
  }

  handleError(error: Error) {
    this.callback(error);
  }

  handleReadyForQuery() {
    this.callback(null);
  }
}
