import type pg from "pg";
import { doneBefore, runBatch } from "../postgres/batch.ts";
import { isRefusal, type Query, withConnection } from "../postgres/database.ts";
import { answersOfMany, type OneOfMany, pickMany, statementOfMany } from "./at-once.ts";
import { clientGone, type Lanes, type Turn } from "./lanes.ts";
import type { Ran } from "./statement.ts";

const MOST_CALLS = 32;
/** Batches that are under way together: while one waits for the disk, the next is worked on. */
const MOST_BATCHES = 2;
/** A lock that is not had within this time is somebody else's for longer: then its session goes apart. */
const PATIENCE_MS = 100;

const SHORT_LOCKS: Query = {
  name: "short_locks",
  text: "select set_config('lock_timeout', $1, true)",
  values: [`${PATIENCE_MS}ms`],
};

/** Whoever may wait for several locks waits for none of them long. */
const beforeLocking = (jobs: { key: string }[]) => (jobs.some(({ key }) => key !== jobs[0]?.key) ? [SHORT_LOCKS] : []);

interface Job {
  key: string;
  statement: Query;
  one: OneOfMany | undefined;
  settled: boolean;
  signal: AbortSignal | undefined;
  resolve: (ran: Ran) => void;
  reject: (error: unknown) => void;
}

interface Ready {
  key: string;
  job: Job;
  turn: Turn;
}

/**
 * Group commit. Calls that arrive while others are being committed go together, in one transaction, sorted by session;
 * nobody is waited for, so a call that is alone goes at once. When one of them fails, all of them are undone, and
 * done again without it; the one that failed runs again by itself, and what it is then told is its answer. So a call
 * gets the same answer whether it went alone or with others.
 *
 * A session whose lock is not had soon keeps to itself until it is had again: it holds back nobody else.
 */
export class Together {
  #pool: pg.Pool;
  #lanes: Lanes;
  #announce: (topics: string[]) => void;
  #ready: Ready[] = [];
  #stuck = new Set<string>();
  #underWay = 0;
  /** How many began the batches that are under way. */
  #leading = 0;
  #scheduled = false;

  constructor(pool: pg.Pool, lanes: Lanes, announce: (topics: string[]) => void) {
    this.#pool = pool;
    this.#lanes = lanes;
    this.#announce = announce;
  }

  run(key: string, statement: Query, signal?: AbortSignal, one?: OneOfMany): Promise<Ran> {
    const { promise, resolve, reject } = Promise.withResolvers<Ran>();
    const job: Job = { key, statement, one, settled: false, signal, resolve, reject };
    const begin = (turn: Turn | undefined) => {
      if (turn) this.#enqueue({ key, job, turn });
      return promise;
    };
    return this.#lanes.enter(key, begin, signal, job);
  }

  #enqueue(ready: Ready) {
    if (this.#stuck.has(ready.key)) return void this.#go([ready]);
    this.#ready.push(ready);
    if (this.#scheduled || !this.#mayGo()) return;
    this.#scheduled = true;
    // Behind everything that has arrived in the same moment.
    setImmediate(() => {
      this.#scheduled = false;
      this.#flush();
    });
  }

  /** Beside another batch only one that is as large: a smaller one costs less a moment later, together with who comes meanwhile. */
  #mayGo(): boolean {
    return this.#underWay === 0 || (this.#underWay < MOST_BATCHES && this.#ready.length >= this.#leading);
  }

  #flush() {
    while (this.#ready.length > 0 && this.#mayGo()) {
      const leaders = this.#ready.splice(0, MOST_CALLS);
      const { length } = leaders;
      this.#underWay++;
      this.#leading += length;
      let holds = true;
      const makeRoom = () => {
        if (holds) {
          this.#underWay--;
          this.#leading -= length;
        }
        holds = false;
        this.#flush();
      };
      const late = setTimeout(() => {
        if (leaders.length === 1) for (const { key } of leaders) this.#stuck.add(key);
        makeRoom();
      }, PATIENCE_MS);
      void this.#go(leaders).then(() => {
        clearTimeout(late);
        makeRoom();
      });
    }
  }

  /** Never rejects: whatever happens is told to the calls. */
  async #go(leaders: Ready[]) {
    const jobs = leaders.map(({ job }) => job);
    for (const { turn } of leaders) jobs.push(...(turn.takeAlong(MOST_CALLS - jobs.length) as Job[]));
    const staying = jobs.filter((job) => {
      if (job.signal?.aborted) job.reject(clientGone());
      return !job.signal?.aborted;
    });
    // Whoever locks several sessions locks them in the same order as all others.
    staying.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
    const apart = await this.#onConnection(staying);
    for (const { key, turn } of leaders) if (!apart.has(key)) turn.leave();
    for (const [key, locked] of apart) {
      const { turn } = leaders.find((leader) => leader.key === key) as Ready;
      void this.#onConnection(locked).then(() => turn.leave());
    }
  }

  /** Gives back those whose session is locked, to be done apart. */
  async #onConnection(jobs: Job[]): Promise<Map<string, Job[]>> {
    const apart = new Map<string, Job[]>();
    if (jobs.length === 0) return apart;
    await withConnection(this.#pool, (client) => this.#all(client, jobs, apart)).catch((error) => {
      // Nobody knows what has become of them: none of them is done twice.
      for (const job of jobs) job.reject(error);
    });
    return apart;
  }

  /** In one statement who can be done so; after them, each in its own, who cannot. */
  async #all(client: pg.PoolClient, jobs: Job[], apart: Map<string, Job[]>): Promise<void> {
    const many = pickMany(jobs);
    if (many.length < 2) return this.#run(client, jobs, apart);
    const picked = many.map(({ job }) => job);
    const before = beforeLocking(picked);
    try {
      const answers = await runBatch(client, [...before, statementOfMany(many)]);
      this.#settleMany(picked, answersOfMany(answers[before.length] ?? [], many.length));
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return this.#inTheirOwn(client, jobs, error as pg.DatabaseError, apart);
    }
    await this.#run(
      client,
      jobs.filter(({ settled }) => !settled),
      apart,
    );
  }

  async #inTheirOwn(client: pg.PoolClient, jobs: Job[], error: pg.DatabaseError, apart: Map<string, Job[]>) {
    if (error.code !== "55P03") {
      // One of them has caused it, whichever.
      for (const job of jobs) await this.#run(client, [job], apart);
    } else if (beforeLocking(jobs).length > 0) {
      // Somebody else has a lock: statements of their own tell which.
      await this.#run(client, jobs, apart);
    } else {
      this.#refuseLocked(jobs, error);
    }
  }

  #refuseLocked(jobs: Job[], error: pg.DatabaseError) {
    for (const job of jobs) {
      this.#stuck.add(job.key);
      job.reject(error);
    }
  }

  async #run(client: pg.PoolClient, jobs: Job[], apart: Map<string, Job[]>): Promise<void> {
    if (jobs.length === 0) return;
    const before = beforeLocking(jobs);
    try {
      const answers = await runBatch(client, [...before, ...jobs.map(({ statement }) => statement)]);
      this.#settle(
        jobs,
        answers.slice(before.length).map(([ran]) => ran as Ran),
      );
    } catch (error) {
      if (!isRefusal(error)) throw error;
      const refused = error as pg.DatabaseError;
      await this.#withoutTheRefused(client, jobs, doneBefore(refused) - before.length, refused, apart);
    }
  }

  /** On the same connection: that it lives on is the proof that everything was undone. */
  async #withoutTheRefused(
    client: pg.PoolClient,
    jobs: Job[],
    place: number,
    error: pg.DatabaseError,
    apart: Map<string, Job[]>,
  ) {
    const refused = jobs[place];
    const own = jobs.filter(({ key }) => key === refused?.key);
    if (error.code === "55P03") this.#stuck.add((refused ?? jobs[0])?.key ?? "");
    else if (jobs.length === 1) for (const { key } of jobs) this.#stuck.delete(key);

    if (jobs.length === 1 || (error.code === "55P03" && own.length === jobs.length)) {
      for (const job of jobs) job.reject(error);
    } else if (!refused) {
      // The commit itself was refused, and nobody knows on whose account.
      for (const job of jobs) await this.#run(client, [job], apart);
    } else if (error.code === "55P03") {
      apart.set(refused.key, own);
      await this.#run(
        client,
        jobs.filter(({ key }) => key !== refused.key),
        apart,
      );
    } else {
      await this.#run(client, jobs.slice(0, place), apart);
      await this.#run(client, [refused], apart);
      await this.#run(client, jobs.slice(place + 1), apart);
    }
  }

  #settleMany(jobs: Job[], rows: (Ran | undefined)[]) {
    this.#settle(
      jobs.filter((_, i) => rows[i]),
      rows.filter((ran) => ran !== undefined),
    );
  }

  #settle(jobs: Job[], rows: Ran[]) {
    const topics = new Set(rows.flatMap(([, changed]) => changed?.split(",") ?? []));
    if (topics.size > 0) this.#announce([...topics]);
    for (const [i, job] of jobs.entries()) {
      this.#stuck.delete(job.key);
      job.settled = true;
      job.resolve(rows[i] as Ran);
    }
  }
}
