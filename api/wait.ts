import type pg from "pg";
import type { Logger } from "pino";
import { query } from "./database.ts";
import { ApiError, unavailable } from "./errors.ts";
import type { Events } from "./events.ts";

const FALLBACK_MS = 1_500;
const LOOK_WITHIN_MS = 5_000;
const REMEMBER_MS = 60_000;

interface Wait {
  id: string;
  topic: string;
  seconds: number;
  /** What room.now() said before the database was asked: what was announced since has to be looked at again. */
  since: number;
  signal?: AbortSignal | undefined;
}

interface Held extends Wait {
  timer: NodeJS.Timeout;
  settle: (answer: string | null | Error) => void;
}

/**
 * Where waiting calls sit. Subscribe, read, wait, read: a call notes the time before it reads, so nothing that was
 * announced meanwhile is lost. A held call costs memory only; the database is asked for all that woke up together.
 */
export class WaitRoom {
  #held = new Map<string, Held>();
  #byTopic = new Map<string, Set<string>>();
  #tick = 0;
  #lastSeen = new Map<string, { tick: number; at: number }>();
  #lastWakeAll = 0;
  #due = new Set<string>();
  #over = new Set<string>();
  #gone = new Set<string>();
  #busy = false;
  #flushing: Promise<void> = Promise.resolve();
  #fallback: NodeJS.Timeout;
  #unsubscribe: () => void;
  #closed = false;
  #pool: pg.Pool;
  #log: Logger;

  constructor(pool: pg.Pool, events: Events, log: Logger) {
    this.#pool = pool;
    this.#log = log;
    this.#unsubscribe = events.onAny((topic) => (topic === null ? this.#wakeAll() : this.#wake(topic)));
    this.#fallback = setInterval(() => this.#lookAtEverything(), FALLBACK_MS);
  }

  get size(): number {
    return this.#held.size;
  }

  now(): number {
    return ++this.#tick;
  }

  /** The answer, or null when the database has lost the lease. */
  wait(wait: Wait): Promise<string | null> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#giveUp(wait.id), wait.seconds * 1_000);
      const abandon = () => this.#abandon(wait.id);
      const settle = (answer: string | null | Error) => {
        clearTimeout(timer);
        wait.signal?.removeEventListener("abort", abandon);
        this.#forget(wait);
        if (answer instanceof Error) reject(answer);
        else resolve(answer);
      };
      this.#held.set(wait.id, { ...wait, timer, settle });
      const ids = this.#byTopic.get(wait.topic) ?? new Set();
      this.#byTopic.set(wait.topic, ids.add(wait.id));

      if (wait.signal?.aborted) return abandon();
      wait.signal?.addEventListener("abort", abandon, { once: true });
      if (this.#closed) return this.#giveUp(wait.id);
      const announced = Math.max(this.#lastSeen.get(wait.topic)?.tick ?? 0, this.#lastWakeAll);
      if (announced > wait.since) this.#lookAt([wait.id]);
    });
  }

  /** The server stops: every call is answered now, with nothing new and the cursor it came with. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#fallback);
    this.#unsubscribe();
    for (const id of this.#held.keys()) this.#over.add(id);
    this.#flush();
    await this.#flushing;
  }

  #wake(topic: string) {
    this.#lastSeen.set(topic, { tick: ++this.#tick, at: Date.now() });
    this.#lookAt(this.#byTopic.get(topic) ?? []);
  }

  #wakeAll() {
    this.#lastWakeAll = ++this.#tick;
    this.#lookAt(this.#held.keys());
  }

  #lookAtEverything() {
    const old = Date.now() - REMEMBER_MS;
    for (const [topic, { at }] of this.#lastSeen) if (at < old) this.#lastSeen.delete(topic);
    this.#lookAt(this.#held.keys());
  }

  #lookAt(ids: Iterable<string>) {
    for (const id of ids) this.#due.add(id);
    this.#flush();
  }

  #giveUp(id: string) {
    this.#over.add(id);
    this.#flush();
  }

  #abandon(id: string) {
    this.#gone.add(id);
    this.#held.get(id)?.settle(new ApiError(499, "client_gone", "The client has gone."));
    this.#flush();
  }

  #forget({ id, topic }: Wait) {
    this.#held.delete(id);
    this.#due.delete(id);
    this.#over.delete(id);
    const ids = this.#byTopic.get(topic);
    ids?.delete(id);
    if (ids?.size === 0) this.#byTopic.delete(topic);
  }

  /** One round at a time: what wakes up during a round shares the next one. */
  #flush() {
    if (!this.#busy) this.#flushing = this.#rounds();
  }

  async #rounds() {
    this.#busy = true;
    while (this.#due.size + this.#over.size + this.#gone.size > 0) {
      await this.#answer(take(this.#due), false);
      await this.#answer(take(this.#over), true);
      const gone = take(this.#gone);
      if (gone.length > 0) {
        await query(this.#pool, {
          name: "abandon_waits",
          text: "select parley_private.abandon_waits($1)",
          values: [gone],
        }).catch((err) => this.#log.warn({ err, waits: gone.length }, "leases of gone clients were left to expire"));
      }
    }
    this.#busy = false;
  }

  async #answer(ids: string[], giveUp: boolean) {
    if (ids.length === 0) return;
    try {
      const rows = await query<{ wait_ids: string[]; answer: string | null }>(this.#pool, {
        name: "answer_waits",
        text: "select wait_ids, answer::text as answer from parley_private.answer_waits($1, $2)",
        values: [ids, giveUp],
        query_timeout: LOOK_WITHIN_MS,
      });
      for (const { wait_ids, answer } of rows) for (const id of wait_ids) this.#held.get(id)?.settle(answer);
    } catch (err) {
      this.#log.warn({ err, waits: ids.length }, "waiting calls could not be looked at");
    }
    // Out of time and still not answered: the database is away.
    if (giveUp) for (const id of ids) this.#held.get(id)?.settle(unavailable());
  }
}

function take(ids: Set<string>): string[] {
  const taken = [...ids];
  ids.clear();
  return taken;
}
