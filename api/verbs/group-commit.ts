import type pg from "pg";
import { doneBefore, runBatch } from "../postgres/batch.ts";
import { isRefusal, type Query } from "../postgres/database.ts";
import { answersOfMany, type OneOfMany, pickMany, statementOfMany } from "./at-once.ts";
import type { Ran } from "./statement.ts";

/** A lock that is not had within this time is somebody else's for longer: then its session goes apart. */
export const PATIENCE_MS = 100;

const SHORT_LOCKS: Query = {
  name: "short_locks",
  text: "select set_config('lock_timeout', $1, true)",
  values: [`${PATIENCE_MS}ms`],
};

/** Whoever may wait for several locks waits for none of them long. */
const beforeLocking = (jobs: Job[]) => (isOfOne(jobs) ? [] : [SHORT_LOCKS]);

export const isOfOne = (jobs: Job[]) => jobs.every(({ key }) => key === jobs[0]?.key);

/** A call, and the session that it is of. */
export interface Job {
  key: string;
  statement: Query;
  one: OneOfMany | undefined;
  settled: boolean;
  signal: AbortSignal | undefined;
  resolve: (ran: Ran) => void;
  reject: (error: unknown) => void;
}

/** By their session, those whose lock was not had. */
export type Apart = Map<string, Job[]>;

/**
 * Calls that are one transaction. When one of them fails, all of them are undone, and done again without it; the one
 * that failed runs again by itself, and what it is then told is its answer. So a call gets the same answer whether it
 * went alone or with others.
 */
export class GroupCommit {
  #announce: (topics: string[]) => void;
  /** Sessions whose lock somebody else holds, until it is had again. */
  readonly stuck = new Set<string>();

  constructor(announce: (topics: string[]) => void) {
    this.#announce = announce;
  }

  /** Answers who has to be done apart; rejects where nobody knows what has become of them. */
  async run(client: pg.PoolClient, jobs: Job[]): Promise<Apart> {
    const apart: Apart = new Map();
    await this.#all(client, jobs, apart);
    return apart;
  }

  /** In one statement who can be done so; after them, each in its own, who cannot. */
  async #all(client: pg.PoolClient, jobs: Job[], apart: Apart): Promise<void> {
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

  async #inTheirOwn(client: pg.PoolClient, jobs: Job[], error: pg.DatabaseError, apart: Apart) {
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
      this.stuck.add(job.key);
      job.reject(error);
    }
  }

  async #run(client: pg.PoolClient, jobs: Job[], apart: Apart): Promise<void> {
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
  async #withoutTheRefused(client: pg.PoolClient, jobs: Job[], place: number, error: pg.DatabaseError, apart: Apart) {
    const refused = jobs[place];
    const own = jobs.filter(({ key }) => key === refused?.key);
    if (error.code === "55P03") this.stuck.add((refused ?? jobs[0])?.key ?? "");
    else if (jobs.length === 1) for (const { key } of jobs) this.stuck.delete(key);

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
      this.stuck.delete(job.key);
      job.settled = true;
      job.resolve(rows[i] as Ran);
    }
  }
}
