import type pg from "pg";
import type { Logger } from "pino";
import type { Caller } from "../http/caller.ts";
import { query } from "../postgres/database.ts";
import { survive } from "../survive.ts";
import type { Events } from "./events.ts";

/** A key expires without a word, and a notification may be lost: nobody stays longer than two seconds for that. */
const LOOK_EVERY_MS = 1_500;

interface Held {
  shown: string;
  close: () => void;
}

/**
 * Whoever holds a connection open and has shown a key, a cookie or a team: when that has ended, so does the connection. SQL says
 * which, for all of them in one question.
 */
export class Doors {
  #held = new Set<Held>();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #again = false;
  #pool: pg.Pool;
  #log: Logger;

  constructor(pool: pg.Pool, events: Events, log: Logger) {
    this.#pool = pool;
    this.#log = log;
    events.subscribe("doors", () => this.#look());
  }

  /** Calls back when the doors of this caller have closed; until it is told that nobody waits any more. */
  watch({ teamHash: team, keyHash: key, cookieHash: cookie }: Caller, close: () => void): () => void {
    if (!team && !key && !cookie) return () => undefined;
    const held = { shown: JSON.stringify({ team, key, cookie }), close };
    this.#held.add(held);
    this.#timer ??= setInterval(() => this.#look(), LOOK_EVERY_MS);
    return () => {
      this.#held.delete(held);
      if (this.#held.size === 0) this.stop();
    };
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** One look at a time; what is announced meanwhile is looked for right after. */
  #look(): void {
    this.#again = true;
    this.#looking ??= this.#lookWhileAsked().finally(() => {
      this.#looking = undefined;
    });
  }

  async #lookWhileAsked() {
    while (this.#again && this.#held.size > 0) {
      this.#again = false;
      try {
        await this.#closeWhatHasEnded();
      } catch (err) {
        survive(this.#log, "doors", err, "open connections were not looked at; they are looked at again", "warn");
        return;
      }
    }
  }

  async #closeWhatHasEnded() {
    const shown = [...new Set([...this.#held].map((held) => held.shown))];
    const rows = await query<{ closed: number[] }>(this.#pool, {
      name: "closed_doors",
      text: "select parley_private.closed_doors($1) as closed",
      values: [`[${shown}]`],
    });
    const closed = new Set(rows[0]?.closed.map((n) => shown[n - 1]));
    if (closed.size === 0) return;
    for (const held of this.#held) if (closed.has(held.shown)) held.close();
  }
}
