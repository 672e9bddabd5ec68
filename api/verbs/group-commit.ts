import type pg from "pg";
import { doneBefore, runBatch } from "../postgres/batch.ts";
import { isRefusal, type Query } from "../postgres/database.ts";
import { answersOfMany, type OneOfMany, pickMany, statementOfMany } from "./at-once.ts";
import type { Ran } from "./statement.ts";

/** A lock that is not had within this time is somebody else's for longer: then its session goes apart. */
export const PATIENCE_MS = 100;

const LOCKED = "55P03";
const SHORT_LOCKS: Query = {
  name: "short_locks",
  text: "select set_config('lock_timeout', $1, true)",
  values: [`${PATIENCE_MS}ms`],
};

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

/** Where calls are done, and whether they may wait for a lock as long as it takes: where others wait for them they may not. */
interface Place {
  client: pg.PoolClient;
  patient: boolean;
  apart: Apart;
}

const beforeLocking = ({ patient }: Place) => (patient ? [] : [SHORT_LOCKS]);

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

  /** Answers who has to be done apart, if these may not be patient; rejects where nobody knows what has become of them. */
  async run(client: pg.PoolClient, jobs: Job[], patient: boolean): Promise<Apart> {
    const apart: Apart = new Map();
    await this.#all({ client, patient, apart }, jobs);
    return apart;
  }

  /** In one statement who can be done so; after them, each in its own, who cannot. */
  async #all(place: Place, jobs: Job[]): Promise<void> {
    const many = pickMany(jobs);
    if (many.length < 2) return this.#run(place, jobs);
    const picked = many.map(({ job }) => job);
    const before = beforeLocking(place);
    try {
      const answers = await runBatch(place.client, [...before, statementOfMany(many)]);
      this.#settleMany(picked, answersOfMany(answers[before.length] ?? [], many.length));
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return this.#inTheirOwn(place, jobs, error as pg.DatabaseError);
    }
    await this.#run(
      place,
      jobs.filter(({ settled }) => !settled),
    );
  }

  async #inTheirOwn(place: Place, jobs: Job[], error: pg.DatabaseError) {
    if (error.code !== LOCKED) {
      // One of them has caused it, whichever.
      for (const job of jobs) await this.#run(place, [job]);
    } else if (place.patient) {
      this.#refuseLocked(jobs, error);
    } else {
      // Somebody else has a lock: statements of their own tell which.
      await this.#run(place, jobs);
    }
  }

  #refuseLocked(jobs: Job[], error: pg.DatabaseError) {
    for (const job of jobs) {
      this.stuck.add(job.key);
      job.reject(error);
    }
  }

  async #run(place: Place, jobs: Job[]): Promise<void> {
    if (jobs.length === 0) return;
    const before = beforeLocking(place);
    try {
      const answers = await runBatch(place.client, [...before, ...jobs.map(({ statement }) => statement)]);
      this.#settle(
        jobs,
        answers.slice(before.length).map(([ran]) => ran as Ran),
      );
    } catch (error) {
      if (!isRefusal(error)) throw error;
      const refusal = error as pg.DatabaseError;
      await this.#withoutTheRefused(place, jobs, jobs[doneBefore(refusal) - before.length], refusal);
    }
  }

  /** On the same connection: that it lives on is the proof that everything was undone. */
  async #withoutTheRefused(place: Place, jobs: Job[], refused: Job | undefined, error: pg.DatabaseError) {
    if (error.code === LOCKED && place.patient) {
      this.#refuseLocked(jobs, error);
    } else if (error.code === LOCKED && refused) {
      const own = jobs.filter(({ key }) => key === refused.key);
      this.stuck.add(refused.key);
      place.apart.set(refused.key, [...(place.apart.get(refused.key) ?? []), ...own]);
      await this.#run(
        place,
        jobs.filter(({ key }) => key !== refused.key),
      );
    } else if (jobs.length === 1) {
      for (const { key, reject } of jobs) {
        this.stuck.delete(key);
        reject(error);
      }
    } else if (!refused) {
      // The commit itself was refused, and nobody knows on whose account.
      for (const job of jobs) await this.#run(place, [job]);
    } else {
      const at = jobs.indexOf(refused);
      await this.#run(place, jobs.slice(0, at));
      await this.#run(place, [refused]);
      await this.#run(place, jobs.slice(at + 1));
    }
  }

  #settleMany(jobs: Job[], rows: (Ran | undefined)[]) {
    this.#settle(
      jobs.filter((_, i) => rows[i]),
      rows.filter((ran) => ran !== undefined),
    );
  }

  #settle(jobs: Job[], rows: Ran[]) {
    const changed = new Set<string>();
    for (const [, topics] of rows) if (topics !== null) for (const topic of topics.split(",")) changed.add(topic);
    if (changed.size > 0) this.#announce([...changed]);
    for (const [i, job] of jobs.entries()) {
      this.stuck.delete(job.key);
      job.settled = true;
      job.resolve(rows[i] as Ran);
    }
  }
}
