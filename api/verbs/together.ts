import type pg from "pg";
import type { Query } from "../postgres/database.ts";
import { Line } from "../postgres/line.ts";
import type { OneOfMany } from "./at-once.ts";
import { type Apart, GroupCommit, isOfOne, type Job, PATIENCE_MS } from "./group-commit.ts";
import { clientGone, type Lanes, type Turn } from "./lanes.ts";
import type { Ran } from "./statement.ts";

const MOST_CALLS = 32;
/** One would do, were it not for batches of a single session: they may wait for its lock for long, and so may who is behind them. */
const MOST_FLOWS = 2;

interface Ready {
  key: string;
  job: Job;
  turn: Turn;
}

/** A session whose turn it is, and how many batches under way have calls of it. */
interface Seat {
  turn: Turn;
  batches: number;
  apart: boolean;
}

/** What is under way on one connection: a batch, and perhaps another one behind it. */
interface Flow {
  line: Line;
  /** Of a single session, which may wait for its lock for long: nobody else goes here. */
  patient: boolean;
  batches: Job[][];
  seats: Map<string, Seat>;
  late?: NodeJS.Timeout;
}

/**
 * Group commit. Calls that arrive while others are being committed go together, in one transaction, sorted by session;
 * nobody is waited for, so a call that is alone goes at once. Half of those who are here are sent behind the other half,
 * on the same connection: while those are committed and answered, the database works on these.
 *
 * A session whose lock is not had soon keeps to itself until it is had again: it holds back nobody else.
 */
export class Together {
  #pool: pg.Pool;
  #lanes: Lanes;
  #commit: GroupCommit;
  /** Sessions whose turn it is, and that nobody has taken along yet. */
  #ready: Ready[] = [];
  #flows = new Set<Flow>();
  /** Calls that are in no batch yet. */
  #waiting = 0;
  /** How many have lately been here at once. */
  #usual = 0;
  #scheduled = false;

  constructor(pool: pg.Pool, lanes: Lanes, announce: (topics: string[]) => void) {
    this.#pool = pool;
    this.#lanes = lanes;
    this.#commit = new GroupCommit(announce);
  }

  async run(key: string, statement: Query, signal?: AbortSignal, one?: OneOfMany): Promise<Ran> {
    const { promise, resolve, reject } = Promise.withResolvers<Ran>();
    const job: Job = { key, statement, one, settled: false, signal, resolve, reject };
    let begun = false;
    const begin = (turn: Turn | undefined) => {
      begun = true;
      if (turn) this.#arrive({ key, job, turn });
      return promise;
    };
    this.#waiting++;
    try {
      const ran = this.#lanes.enter(key, begin, signal, job);
      // It may stand behind one that is under way, and can be sent behind that.
      this.#look();
      return await ran;
    } finally {
      if (!begun) this.#waiting--;
    }
  }

  #arrive(ready: Ready) {
    if (this.#commit.stuck.has(ready.key)) {
      this.#begin([ready]);
    } else {
      this.#ready.push(ready);
      this.#look();
    }
  }

  #look() {
    if (this.#scheduled) return;
    this.#scheduled = true;
    // Behind everything that has arrived in the same moment.
    setImmediate(() => {
      this.#scheduled = false;
      this.#flush();
    });
  }

  #flush() {
    while (this.#behind() || this.#beside());
  }

  /** Behind a batch go half of all: fewer cost less a moment later, together with who comes meanwhile. */
  #behind(): boolean {
    for (const flow of this.#flows) {
      const [first, second] = flow.batches;
      if (!first || second || flow.line.broken || (flow.patient && this.#ready.length > 0)) continue;
      const all = this.#waiting + sum(this.#flows, ({ batches }) => sum(batches, ({ length }) => length));
      if (this.#waiting < Math.min(MOST_CALLS, Math.floor(Math.max(all, this.#usual) / 2))) continue;
      const jobs = this.#take(flow, this.#ready, Math.min(MOST_CALLS, Math.ceil(all / 2)));
      if (jobs.length === 0) continue;
      this.#usual = Math.max(all, this.#usual);
      this.#send(flow, jobs);
      return true;
    }
    return false;
  }

  /** On a connection of their own go those who are of as many sessions as all that are under way. */
  #beside(): boolean {
    const sessions = sum(this.#flows, ({ seats }) => seats.size);
    if (this.#ready.length === 0 || this.#ready.length < sessions || this.#flows.size >= MOST_FLOWS) return false;
    this.#flows.add(this.#begin(this.#ready));
    // Who have gone for good, or call more rarely now, are waited for ever less.
    this.#usual *= 7 / 8;
    return true;
  }

  #begin(ready: Ready[]): Flow {
    const flow: Flow = { line: new Line(this.#pool), patient: false, batches: [], seats: new Map() };
    const jobs = this.#take(flow, ready, MOST_CALLS);
    flow.patient = isOfOne(jobs);
    this.#send(flow, jobs);
    return flow;
  }

  /** Those whose turn has come, and who stands behind them and behind those under way. */
  #take(flow: Flow, ready: Ready[], most: number): Job[] {
    const jobs: Job[] = [];
    for (const { key, job, turn } of ready.splice(0, most)) {
      flow.seats.set(key, { turn, batches: 0, apart: false });
      jobs.push(job);
    }
    for (const { turn, apart } of flow.seats.values())
      if (!apart && jobs.length < most) jobs.push(...(turn.takeAlong(most - jobs.length) as Job[]));
    this.#waiting -= jobs.length;
    return jobs;
  }

  #send(flow: Flow, jobs: Job[]) {
    flow.batches.push(jobs);
    if (flow.batches.length === 1) this.#watch(flow);
    void this.#go(flow, jobs).then(() => {
      flow.batches.splice(flow.batches.indexOf(jobs), 1);
      this.#watch(flow);
      this.#flush();
    });
  }

  /** Others go without a batch that takes long. */
  #watch(flow: Flow) {
    clearTimeout(flow.late);
    const [first] = flow.batches;
    if (!first) return void this.#flows.delete(flow);
    flow.late = setTimeout(() => {
      if (isOfOne(first)) for (const { key } of first) this.#commit.stuck.add(key);
      this.#flows.delete(flow);
      this.#flush();
    }, PATIENCE_MS);
  }

  /** Never rejects: whatever happens is told to the calls. */
  async #go(flow: Flow, jobs: Job[]) {
    const keys = new Set(jobs.map(({ key }) => key));
    for (const key of keys) (flow.seats.get(key) as Seat).batches++;
    const staying = jobs.filter((job) => {
      if (job.signal?.aborted) job.reject(clientGone());
      return !job.signal?.aborted;
    });
    // Whoever locks several sessions locks them in the same order as all others.
    staying.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
    const apart = await this.#commitOn(flow.line, staying, flow.patient);
    for (const key of keys) {
      const locked = apart.get(key);
      if (!locked) {
        this.#leave(flow, key);
        continue;
      }
      (flow.seats.get(key) as Seat).apart = true;
      void this.#commitOn(new Line(this.#pool), locked, true).then(() => this.#leave(flow, key));
    }
  }

  #leave(flow: Flow, key: string) {
    const seat = flow.seats.get(key) as Seat;
    if (--seat.batches > 0) return;
    flow.seats.delete(key);
    seat.turn.leave();
  }

  /** Gives back those whose session is locked, to be done apart. */
  async #commitOn(line: Line, jobs: Job[], patient: boolean): Promise<Apart> {
    if (jobs.length === 0) return new Map();
    return line
      .use((client) => this.#commit.run(client, jobs, patient))
      .catch((error): Apart => {
        // Nobody knows what has become of them: none of them is done twice.
        for (const job of jobs) job.reject(error);
        return new Map();
      });
  }
}

function sum<T>(items: Iterable<T>, of: (item: T) => number): number {
  let total = 0;
  for (const item of items) total += of(item);
  return total;
}
