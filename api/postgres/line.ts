import type pg from "pg";
import { cutOff, isRefusal } from "./database.ts";

/** A connection that several use at once, each sending behind the others; the last of them gives it back. */
export class Line {
  #pool: pg.Pool;
  #client: Promise<pg.PoolClient> | undefined;
  #users = 0;
  #broken: Error | undefined;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Whoever comes now comes too late: the connection is gone, and is given back by those who were on it. */
  get broken(): boolean {
    return this.#broken !== undefined;
  }

  async use<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    this.#users++;
    this.#client ??= this.#pool.connect();
    let client: pg.PoolClient | undefined;
    try {
      client = await this.#client;
      return await work(client);
    } catch (error) {
      if (client && !isRefusal(error)) {
        this.#broken ??= error as Error;
        // Who comes behind would take what is still answered for its own.
        cutOff(client);
      }
      throw error;
    } finally {
      if (--this.#users === 0) {
        this.#client = undefined;
        client?.release(this.#broken);
        this.#broken = undefined;
      }
    }
  }
}
