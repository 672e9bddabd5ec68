import { setTimeout as sleep } from "node:timers/promises";
import { type Runner, run, type TaskList } from "graphile-worker";
import type pg from "pg";
import type { Logger } from "pino";
import type { Events } from "./live/events.ts";
import { indexWords } from "./live/words.ts";
import { query } from "./postgres/database.ts";
import { workerLogger } from "./postgres/migrate.ts";
import { pushKeys } from "./push/send.ts";
import { Sender } from "./push/sender.ts";
import { survive } from "./survive.ts";

const SWEEP = "sweep_presence";
const SWEEP_SECONDS = 5;
/** As many as sweep_presence() changes in one go: there may be more. */
const SWEEP_AT_ONCE = 1_000;
/** Old sessions per sweep: whoever lowers the setting should not feel it. */
const REMOVE_AT_ONCE = 10;
/** As many sessions as sweep_claims() looks at in one go. */
const CLAIMS_AT_ONCE = 20;
/** As many runs as sweep_runs() ends in one go. */
const RUNS_AT_ONCE = 20;
const REARM_MS = 30_000;
const MAX_BACKOFF_MS = 10_000;
const STOP_WITHIN_MS = 2_000;

/** Job key: however many replicas arm it, there is one sweep per database. By the database's clock, as the worker reads it. */
const ARM = `select graphile_worker.add_job('${SWEEP}', run_at => now() + $1 * interval '1 second', job_key => '${SWEEP}',
  job_key_mode => $2, max_attempts => 1)`;

const tasksWith = (pushes: Sender): TaskList => ({
  // The next sweep is written before this one runs, so that a failure does not end the chain.
  [SWEEP]: async (_payload, { query, logger }) => {
    await query(ARM, [SWEEP_SECONDS, "replace"]);
    for (let changed = SWEEP_AT_ONCE; changed >= SWEEP_AT_ONCE; ) {
      const { rows } = await query<{ changed: number }>("select parley_private.sweep_presence() as changed");
      changed = rows[0]?.changed ?? 0;
      logger.debug(`presence swept, ${changed} changed`);
    }
    for (let swept = CLAIMS_AT_ONCE; swept >= CLAIMS_AT_ONCE; ) {
      const { rows } = await query<{ swept: number }>("select parley_private.sweep_claims() as swept");
      swept = rows[0]?.swept ?? 0;
    }
    await query("select parley_private.spare_runs()");
    for (let swept = RUNS_AT_ONCE; swept >= RUNS_AT_ONCE; ) {
      const { rows } = await query<{ swept: number }>("select parley_private.sweep_runs() as swept");
      swept = rows[0]?.swept ?? 0;
    }
    await query("select parley_private.sweep_asks()");
    await query("select parley_private.analyze_new_tables()");
    await query("select parley_private.index_words()");
    await query("select parley_private.index_docs()");
    for (let removed = 0; removed < REMOVE_AT_ONCE; removed++) {
      const { rows } = await query<{ one: boolean }>("select parley_private.remove_an_old_session() as one");
      if (!rows[0]?.one) break;
    }
    await query("select parley_private.sweep_counters()");
    await query("select parley_private.forget_old()");
    pushes.begin();
  },
});

export interface Worker {
  stop(): Promise<void>;
}

interface WorkerOptions {
  /** Tells what cannot wait for the next sweep. */
  events?: Events;
  rearmMs?: number;
  /** For tests, whose push service is on this machine. */
  pushesReachLoopback?: boolean;
}

/** Runs the jobs until it is stopped, whatever becomes of the database meanwhile. */
export async function startWorker(
  pool: pg.Pool,
  log: Logger,
  { events, rearmMs = REARM_MS, pushesReachLoopback = false }: WorkerOptions = {},
): Promise<Worker> {
  const ask = async <T extends object>(text: string, values: unknown[] = []) => ({
    rows: await query<T>(pool, { name: text.slice(0, 60), text, values }),
  });
  const pushes = new Sender(ask, log, pushesReachLoopback);
  const words = events && indexWords(ask, events, log);
  const stopped = new AbortController();
  const { signal } = stopped;
  let runner: Runner | undefined;
  const working = (async () => {
    for (let backoff = 100; !signal.aborted; backoff = Math.min(backoff * 2, MAX_BACKOFF_MS)) {
      const since = Date.now();
      try {
        runner = await runJobs(pool, log, pushes);
        if (signal.aborted) break;
        await runner.promise;
        if (!signal.aborted) throw new Error("the worker ended by itself");
      } catch (err) {
        if (signal.aborted) break;
        survive(log, "worker", err, "the worker has stopped; it is started again");
      }
      if (Date.now() - since > MAX_BACKOFF_MS) backoff = 100;
      await sleep(backoff, undefined, { signal }).catch(() => undefined);
    }
  })();

  const rearm = () =>
    arm(pool).catch((err) => survive(log, "worker", err, "the sweep could not be armed; it is tried again", "warn"));
  await rearm();
  await pushKeys(ask).catch((err) => survive(log, "worker", err, "there are no keys for notifications yet", "warn"));
  const timer = setInterval(rearm, rearmMs);
  return {
    async stop() {
      clearInterval(timer);
      stopped.abort();
      const ended = (async () => {
        await Promise.all([runner?.stop().catch(() => undefined), pushes.stop(), words?.stop()]);
        await working;
      })();
      // A job on a database that does not answer is cut off with its connection.
      await Promise.race([ended, sleep(STOP_WITHIN_MS, undefined, { ref: false })]);
    },
  };
}

const runJobs = (pool: pg.Pool, log: Logger, pushes: Sender) =>
  run({
    pgPool: pool,
    taskList: tasksWith(pushes),
    concurrency: 1,
    pollInterval: 1_000,
    noHandleSignals: true,
    noPreparedStatements: false,
    logger: workerLogger(log),
    // Otherwise the end of a job is written by a promise that nobody waits for: when it fails, the process would end.
    preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
  });

/**
 * A job that a killed server had locked stays locked for hours: a fresh one takes its place. One that waits keeps its time,
 * unless that is far off, as it is after the clock was set back.
 */
const arm = (pool: pg.Pool) =>
  query(pool, {
    name: "arm",
    text: `with far as (
      select from graphile_worker.jobs where key = '${SWEEP}' and run_at > now() + interval '1 minute'
    )
    ${ARM.replace("$1", "0").replace("$2", "case when exists (select from far) then 'replace' else 'preserve_run_at' end")}`,
    query_timeout: 5_000,
  });
