import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Logger } from "pino";
import { query } from "../postgres/database.ts";
import { survive } from "../survive.ts";
import { ApiError, unavailable } from "../verbs/errors.ts";
import { answerWaits, type Heard } from "./answer-waits.ts";
import type { Events } from "./events.ts";

const FALLBACK_MS = 1_500;
const REMEMBER_MS = 60_000;
const SLOW_MS = 500;
/** The team of a wait may be locked for a moment: looked at again after these times, then with everybody else. */
const COME_BACK_MS = [60, 240];
/** As long as the lease outlives its wait: for so long a locked team is asked again after the time is over. */
const GRACE_MS = 5_000;
const CLOSE_WITHIN_MS = 2_500;

interface Wait {
  id: string;
  topic: string;
  seconds: number;
  /** What room.now() said before the database was asked: what was announced since has to be looked at again. */
  since: number;
  signal?: AbortSignal | undefined;
  /** What writes its answer as lines, given as "answer" in SQL. */
  writer?: string | undefined;
}

interface Held extends Wait {
  timer: NodeJS.Timeout;
  settle: (answer: Heard | null | Error) => void;
  /** When its time was over. */
  overSince?: number;
}

/** The waits of one topic, and what is to be done for them. */
interface Corner {
  topic: string;
  held: Set<string>;
  due: Set<string>;
  over: Set<string>;
  gone: Set<string>;
  /** How often those that were not answered have been looked at again. */
  lookedAgain: number;
  busy: boolean;
  /** Its last round was slow or failed: the next one is its own. */
  apart: boolean;
}

/**
 * Where waiting calls sit. Subscribe, read, wait, read: a call notes the time before it reads, so nothing that was
 * announced meanwhile is lost. A held call costs memory only; the database is asked for all that woke up together,
 * in as many rounds at a time as there are connections, so that a session whose round is slow stops no other.
 */
export class WaitRoom {
  #held = new Map<string, Held>();
  #corners = new Map<string, Corner>();
  #ready = new Set<Corner>();
  #rounds = 0;
  #roundsApart = 0;
  #tick = 0;
  #lastSeen = new Map<string, { tick: number; at: number }>();
  #lastWakeAll = 0;
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

  /** The server stops: nobody is kept any more. */
  get closed(): boolean {
    return this.#closed;
  }

  now(): number {
    return ++this.#tick;
  }

  /** The answer, or null when the database has lost the lease. */
  wait(wait: Wait): Promise<Heard | null> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#giveUp([wait.id]), wait.seconds * 1_000);
      const abandon = () => this.#abandon(wait.id);
      const settle = (answer: Heard | null | Error) => {
        clearTimeout(timer);
        wait.signal?.removeEventListener("abort", abandon);
        this.#forget(wait);
        if (answer instanceof Error) reject(answer);
        else resolve(answer);
      };
      this.#held.set(wait.id, { ...wait, timer, settle });
      this.#corner(wait.topic).held.add(wait.id);

      if (wait.signal?.aborted) return abandon();
      wait.signal?.addEventListener("abort", abandon, { once: true });
      if (this.#closed) return this.#giveUp([wait.id]);
      const announced = Math.max(this.#lastSeen.get(wait.topic)?.tick ?? 0, this.#lastWakeAll);
      if (announced > wait.since) this.#lookAt([wait.id]);
    });
  }

  /** The server stops: every call is answered now, with nothing new and the cursor it came with. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#fallback);
    this.#unsubscribe();
    this.#giveUp(this.#held.keys());
    for (const deadline = Date.now() + CLOSE_WITHIN_MS; this.#held.size + this.#rounds > 0; await sleep(10)) {
      if (Date.now() > deadline) break;
    }
    for (const { settle } of [...this.#held.values()]) settle(unavailable());
  }

  #wake(topic: string) {
    this.#lastSeen.set(topic, { tick: ++this.#tick, at: Date.now() });
    const corner = this.#corners.get(topic);
    if (!corner) return;
    corner.lookedAgain = 0;
    this.#lookAt(corner.held);
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
    for (const id of ids) this.#note(id, "due");
    this.#flush();
  }

  #giveUp(ids: Iterable<string>) {
    for (const id of ids) {
      const held = this.#held.get(id);
      if (held) held.overSince ??= Date.now();
      this.#note(id, "over");
    }
    this.#flush();
  }

  #abandon(id: string) {
    this.#note(id, "gone");
    this.#held.get(id)?.settle(new ApiError(499, "client_gone", "The client has gone."));
    this.#flush();
  }

  #note(id: string, what: "due" | "over" | "gone") {
    const held = this.#held.get(id);
    if (!held) return;
    const corner = this.#corner(held.topic);
    corner[what].add(id);
    if (!corner.busy) this.#ready.add(corner);
  }

  #corner(topic: string): Corner {
    let corner = this.#corners.get(topic);
    if (!corner) {
      const [held, due, over, gone] = [new Set<string>(), new Set<string>(), new Set<string>(), new Set<string>()];
      corner = { topic, held, due, over, gone, lookedAgain: COME_BACK_MS.length, busy: false, apart: false };
      this.#corners.set(topic, corner);
    }
    return corner;
  }

  #forget({ id, topic }: Wait) {
    this.#held.delete(id);
    const corner = this.#corners.get(topic);
    for (const ids of [corner?.held, corner?.due, corner?.over]) ids?.delete(id);
    if (corner) this.#leave(corner);
  }

  #leave(corner: Corner) {
    if (corner.held.size + corner.gone.size === 0 && !corner.busy) {
      this.#corners.delete(corner.topic);
      this.#ready.delete(corner);
    }
  }

  /** What is ready is spread over the connections that are free; one is always left to those who made no trouble. */
  #flush() {
    const most = this.#pool.options.max;
    if (this.#rounds >= most) return;
    for (const corner of [...this.#ready].filter(({ apart }) => apart)) {
      if (this.#rounds < most && this.#roundsApart < most - 1) void this.#round([corner], 1);
    }
    const ready = [...this.#ready].filter(({ apart }) => !apart);
    const share = Math.ceil(ready.length / (most - this.#rounds));
    while (ready.length > 0 && this.#rounds < most) void this.#round(ready.splice(0, share));
  }

  async #round(corners: Corner[], apart = 0) {
    this.#rounds++;
    this.#roundsApart += apart;
    for (const corner of corners) {
      corner.busy = true;
      this.#ready.delete(corner);
    }
    const started = performance.now();
    const noted = (what: "due" | "over" | "gone") => corners.flatMap((corner) => take(corner[what]));
    const [due, over, gone] = [noted("due"), noted("over"), noted("gone")];
    const failed = [await this.#answer(due, false), await this.#answer(over, true), await this.#leases(gone)];
    this.#comeBack(corners, over);
    const troubled = failed.includes(true) || performance.now() - started > SLOW_MS;
    for (const corner of corners) {
      corner.busy = false;
      corner.apart = troubled;
      if (corner.due.size + corner.over.size + corner.gone.size > 0) this.#ready.add(corner);
      else this.#leave(corner);
    }
    this.#rounds--;
    this.#roundsApart -= apart;
    this.#flush();
  }

  /** True when the database itself refused or stopped it, so that it is this round that is ill and not the connection. */
  async #answer(ids: string[], giveUp: boolean): Promise<boolean> {
    let failed = false;
    for (const [writer, alike] of Map.groupBy(ids, (id) => this.#held.get(id)?.writer))
      failed = (await this.#answerAlike(alike, giveUp, writer)) || failed;
    return failed;
  }

  async #answerAlike(ids: string[], giveUp: boolean, writer: string | undefined): Promise<boolean> {
    try {
      for (const answered of await answerWaits(this.#pool, ids, giveUp, writer))
        for (const id of answered.ids) this.#held.get(id)?.settle(answered.heard);
      return false;
    } catch (err) {
      survive(this.#log, "waits", err, "waiting calls could not be looked at", "warn");
      const locked = err instanceof pg.DatabaseError && err.code === "55P03";
      // Out of time and still not answered: the database is away.
      if (giveUp && !locked) for (const id of ids) this.#held.get(id)?.settle(unavailable());
      return err instanceof pg.DatabaseError;
    }
  }

  async #leases(gone: string[]): Promise<boolean> {
    if (gone.length === 0) return false;
    try {
      await query(this.#pool, {
        name: "abandon_waits",
        text: "select parley_private.abandon_waits($1)",
        values: [gone],
      });
      return false;
    } catch (err) {
      survive(this.#log, "waits", err, "leases of gone clients were left to expire", "warn");
      return err instanceof pg.DatabaseError;
    }
  }

  /** Those that got no answer, because their team was locked just then: soon again, but not for ever. */
  #comeBack(corners: Corner[], over: string[]) {
    const now = Date.now();
    const locked = over.filter((id) => this.#held.has(id));
    for (const id of locked) {
      const held = this.#held.get(id);
      if (held && now - (held.overSince ?? now) > GRACE_MS) held.settle(unavailable());
    }
    if (locked.length > 0) setTimeout(() => this.#giveUp(locked), COME_BACK_MS[0]).unref();
    for (const corner of corners) {
      const after = COME_BACK_MS[corner.lookedAgain++];
      if (after !== undefined && corner.held.size > 0) setTimeout(() => this.#lookAt(corner.held), after).unref();
    }
  }
}

function take(ids: Set<string>): string[] {
  const taken = [...ids];
  ids.clear();
  return taken;
}
