import { randomUUID } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Logger } from "pino";
import { query } from "./database.ts";

const CHANNEL = "parley";
const HEARTBEAT_MS = 1_000;
const ANSWER_WITHIN_MS = 1_500;
const MAX_BACKOFF_MS = 2_000;

type Listener = () => void;

/**
 * The one LISTEN of this process. Topics are "<kind> <session uuid>" ("feed …", "roster …", "doc …", "session …")
 * and "settings"; "<kind> *" hears every session. A notification says only that something changed.
 * After a reconnect everyone is called, since nobody knows what was missed.
 */
export class Events {
  #listeners = new Map<string, Set<Listener>>();
  #any = new Set<(topic: string | null) => void>();
  #emitter = new EventEmitter();
  #stopped = new AbortController();
  #client: pg.Client | undefined;
  #running: Promise<void> | undefined;
  #connectionString: string;
  #pool: pg.Pool;
  #log: Logger;
  #me = randomUUID();
  #unannounced = new Set<string>();
  #announcing = false;

  constructor(connectionString: string, pool: pg.Pool, log: Logger) {
    this.#connectionString = connectionString;
    this.#pool = pool;
    this.#log = log;
  }

  get connected(): boolean {
    return this.#client !== undefined;
  }

  /** Resolves when the first LISTEN is in place. */
  async start(): Promise<void> {
    const ready = once(this.#emitter, "connected", { signal: this.#stopped.signal });
    this.#running = this.#run();
    await ready;
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#client?.end().catch(() => undefined);
    await this.#running;
  }

  subscribe(topic: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(topic) ?? new Set();
    this.#listeners.set(topic, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(topic) === listeners) this.#listeners.delete(topic);
    };
  }

  /** Hears every topic, and null for "anything may have changed". */
  onAny(listener: (topic: string | null) => void): () => void {
    this.#any.add(listener);
    return () => this.#any.delete(listener);
  }

  /** A call of this process has committed a change: here at once, to the other processes by NOTIFY. */
  announce(topics: string[]): void {
    for (const topic of topics) {
      this.#publish(topic);
      this.#unannounced.add(topic);
    }
    if (!this.#announcing) void this.#notifyOthers();
  }

  /** One NOTIFY at a time: what changes meanwhile goes together with the next. */
  async #notifyOthers() {
    this.#announcing = true;
    while (this.#unannounced.size > 0) {
      const topics = [...this.#unannounced];
      this.#unannounced.clear();
      await query(this.#pool, {
        name: "notify",
        text: `select pg_notify('${CHANNEL}', topic || '@' || $2) from unnest($1::text[]) as topic`,
        values: [topics, this.#me],
      }).catch((err) => this.#log.warn({ err }, "other servers were not told, and will look by themselves"));
    }
    this.#announcing = false;
  }

  #receive(payload: string) {
    const [topic, from] = payload.split("@");
    if (topic && from !== this.#me) this.#publish(topic);
  }

  #publish(topic: string) {
    for (const listener of this.#any) listener(topic);
    for (const listener of this.#listeners.get(topic) ?? []) listener();
    if (topic.includes(" ")) for (const listener of this.#listeners.get(topic.replace(/ .*/, " *")) ?? []) listener();
  }

  #wakeAll() {
    for (const listener of this.#any) listener(null);
    for (const listeners of [...this.#listeners.values()]) for (const listener of [...listeners]) listener();
  }

  async #run() {
    let backoff = 50;
    while (!this.#stopped.signal.aborted) {
      try {
        await this.#listenUntilBroken(() => {
          backoff = 50;
        });
      } catch (error) {
        if (this.#stopped.signal.aborted) return;
        this.#log.warn({ err: error }, "lost the listening connection, reconnecting");
        await sleep(backoff, undefined, { signal: this.#stopped.signal }).catch(() => undefined);
        backoff = Math.min(backoff * 2, MAX_BACKOFF_MS);
      }
    }
  }

  async #listenUntilBroken(onConnected: () => void) {
    const client = new pg.Client({
      connectionString: this.#connectionString,
      application_name: "parley events",
      connectionTimeoutMillis: MAX_BACKOFF_MS,
      keepAlive: true,
    });
    const broken = new Promise<never>((_, reject) => {
      client.on("error", reject);
      client.once("end", () => reject(new Error("the connection ended")));
    });
    broken.catch(() => undefined);
    client.on("notification", ({ payload }) => payload && this.#receive(payload));

    try {
      await client.connect();
      await Promise.race([client.query(`listen ${CHANNEL}`), broken]);
      this.#client = client;
      onConnected();
      this.#emitter.emit("connected");
      this.#wakeAll();
      while (true) {
        await Promise.race([sleep(HEARTBEAT_MS), broken]);
        await Promise.race([client.query("select 1"), broken, deadline(ANSWER_WITHIN_MS)]);
      }
    } finally {
      this.#client = undefined;
      // A black-holed socket would never finish a polite goodbye.
      (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
    }
  }
}

async function deadline(ms: number): Promise<never> {
  await sleep(ms, undefined, { ref: false });
  throw new Error("the database did not answer the heartbeat");
}
