import { randomUUID } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Logger } from "pino";
import { cutOff, query } from "../postgres/database.ts";
import { survive } from "../survive.ts";

const CHANNEL = "parley";
const ANSWER_WITHIN_MS = 1_500;
const MAX_BACKOFF_MS = 2_000;
const LAST_WORDS_MS = 1_000;
/** What a server says that has just begun to listen: it is told of changes from then on. */
const HERE = "here";

/**
 * Whether anybody else may listen on this database: nobody can be asked that, but whose connections they are is known.
 * Those that are called "parley …" listen only if they are called so; whoever else is there may.
 */
const MAY_BE_HEARD = `select exists (
  select from pg_stat_get_activity(null) a
  where a.datid = (select d.oid from pg_database d where d.datname = current_database())
    and a.pid <> pg_backend_pid()
    and (a.application_name !~ '^parley ' or a.application_name = 'parley events')
) as may_be_heard`;

/** Told the topic; nothing when anything may have changed. */
type Listener = (topic?: string) => void;

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
  #connected = false;
  /** The connection that listens, while it does. */
  #client: pg.Client | undefined;
  #mayBeHeard = true;
  #hangUp = () => {};
  #running: Promise<void> | undefined;
  #announced: Promise<void> | undefined;
  #connectionString: string;
  #pool: pg.Pool;
  #log: Logger;
  #me = randomUUID();
  #unannounced = new Set<string>();
  /** What was announced since the last look while nobody was there to hear it. */
  #unheard = new Set<string>();
  #heartbeatMs: number;

  constructor(connectionString: string, pool: pg.Pool, log: Logger, heartbeatMs = 1_000) {
    this.#connectionString = connectionString;
    this.#pool = pool;
    this.#log = log;
    this.#heartbeatMs = heartbeatMs;
  }

  get connected(): boolean {
    return this.#connected;
  }

  /** Resolves when the first LISTEN is in place. */
  async start(): Promise<void> {
    const ready = once(this.#emitter, "connected", { signal: this.#stopped.signal });
    this.#running = this.#run();
    await ready;
  }

  /** Ends at once whatever it is doing; only the last announcements get a moment. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#hangUp();
    await this.#running;
    await Promise.race([this.#announced, sleep(LAST_WORDS_MS, undefined, { ref: false })]);
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

  /** A call of this process has committed a change: here at once, to the other processes, if there are any, by NOTIFY. */
  announce(topics: string[]): void {
    for (const topic of topics) {
      this.#publish(topic);
      (this.#mayBeHeard ? this.#unannounced : this.#unheard).add(topic);
    }
    if (this.#mayBeHeard) this.#announced ??= this.#notifyOthers();
  }

  /** Whoever has begun to listen since the last look hears, a little late, what was announced since. */
  #nowHeard(mayBeHeard: boolean) {
    this.#mayBeHeard = mayBeHeard;
    const missed = [...this.#unheard];
    this.#unheard.clear();
    if (!mayBeHeard || missed.length === 0) return;
    for (const topic of missed) this.#unannounced.add(topic);
    this.#announced ??= this.#notifyOthers();
  }

  /** One NOTIFY at a time: what changes meanwhile goes together with the next, and what failed is sent again. */
  async #notifyOthers() {
    let backoff = 50;
    while (this.#unannounced.size > 0) {
      const topics = [...this.#unannounced];
      this.#unannounced.clear();
      try {
        await this.#notify(topics);
        backoff = 50;
      } catch (err) {
        survive(this.#log, "notify", err, "other servers were not told yet; they are told again", "warn");
        if (this.#stopped.signal.aborted) break;
        for (const topic of topics) this.#unannounced.add(topic);
        await this.#pause(backoff);
        backoff = Math.min(backoff * 2, MAX_BACKOFF_MS);
      }
    }
    this.#announced = undefined;
  }

  /** The connection that listens costs the calls nothing; while it is away, another does it. */
  async #notify(topics: string[]) {
    const statement = {
      name: "notify",
      text: `select pg_notify('${CHANNEL}', topic || '@' || $2) from unnest($1::text[]) as topic`,
      values: [topics, this.#me],
    };
    await (this.#client ? this.#client.query(statement) : query(this.#pool, statement));
  }

  #pause(ms: number) {
    return sleep(ms, undefined, { signal: this.#stopped.signal }).catch(() => undefined);
  }

  #receive(payload: string) {
    const [topic, from] = payload.split("@");
    if (!topic || from === this.#me) return;
    if (topic === HERE) this.#nowHeard(true);
    else this.#publish(topic);
  }

  #publish(topic: string) {
    for (const listener of this.#any) this.#tell(() => listener(topic));
    for (const listener of this.#listeners.get(topic) ?? []) this.#tell(() => listener(topic));
    if (!topic.includes(" ")) return;
    for (const listener of this.#listeners.get(topic.replace(/ .*/, " *")) ?? []) this.#tell(() => listener(topic));
  }

  #wakeAll() {
    for (const listener of this.#any) this.#tell(() => listener(null));
    for (const listeners of [...this.#listeners.values()]) for (const listener of [...listeners]) this.#tell(listener);
  }

  /** A listener that fails stops neither the others nor the call whose news it was told. */
  #tell(listener: Listener) {
    try {
      listener();
    } catch (err) {
      survive(this.#log, "listener", err, "a listener failed");
    }
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
        survive(this.#log, "events", error, "lost the listening connection, reconnecting", "warn");
        await this.#pause(backoff);
        backoff = Math.min(backoff * 2, MAX_BACKOFF_MS);
      }
    }
  }

  async #listenUntilBroken(onConnected: () => void) {
    const client = new pg.Client({
      connectionString: this.#connectionString,
      application_name: "parley events",
      connectionTimeoutMillis: MAX_BACKOFF_MS,
      query_timeout: ANSWER_WITHIN_MS,
      keepAlive: true,
      // Heartbeats and notifications do not wait for each other.
      pipeline: true,
    });
    // Whoever waits for an answer is told by the client itself; this ends the rest between two heartbeats.
    const broken = new AbortController();
    client.on("error", (error) => broken.abort(error));
    client.once("end", () => broken.abort(new Error("the connection ended")));
    client.on("notification", ({ payload }) => payload && this.#receive(payload));
    this.#hangUp = () => {
      broken.abort();
      cutOff(client);
    };

    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
      this.#client = client;
      await this.#notify([HERE]);
      this.#connected = true;
      onConnected();
      this.#emitter.emit("connected");
      this.#wakeAll();
      while (!broken.signal.aborted) {
        const { rows } = await client.query<{ may_be_heard: boolean }>({ name: "may be heard", text: MAY_BE_HEARD });
        this.#nowHeard(rows[0]?.may_be_heard ?? true);
        await sleep(this.#heartbeatMs, undefined, { signal: broken.signal });
      }
    } catch (error) {
      throw broken.signal.aborted ? broken.signal.reason : error;
    } finally {
      this.#connected = false;
      this.#client = undefined;
      this.#mayBeHeard = true;
      cutOff(client);
    }
  }
}
