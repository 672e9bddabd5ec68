import { type Runner, run, type TaskList } from "graphile-worker";
import type pg from "pg";
import type { Logger } from "pino";
import { workerLogger } from "./migrate.ts";

const SWEEP = "sweep_presence";
const SWEEP_SECONDS = 5;
const REARM_MS = 30_000;

/** Job key: however many replicas arm it, there is one sweep per database. */
const arm = (seconds: number) => ({ jobKey: SWEEP, maxAttempts: 1, runAt: new Date(Date.now() + seconds * 1_000) });

const tasks: TaskList = {
  // The next sweep is written before this one runs, so that a failure does not end the chain.
  [SWEEP]: async (_payload, { addJob, query, logger }) => {
    await addJob(SWEEP, {}, arm(SWEEP_SECONDS));
    const { rows } = await query<{ changed: number }>("select parley_private.sweep_presence() as changed");
    logger.debug(`presence swept, ${rows[0]?.changed} changed`);
  },
};

export interface Worker {
  stop(): Promise<void>;
}

export async function startWorker(pool: pg.Pool, log: Logger): Promise<Worker> {
  const runner: Runner = await run({
    pgPool: pool,
    taskList: tasks,
    concurrency: 1,
    pollInterval: 1_000,
    noHandleSignals: true,
    noPreparedStatements: false,
    logger: workerLogger(log),
  });
  runner.promise.catch((err) => log.error({ err }, "the worker has stopped"));
  // A job that a killed server had locked stays locked for hours: a fresh one takes its place.
  const rearm = () =>
    runner
      .addJob(SWEEP, {}, { ...arm(0), jobKeyMode: "preserve_run_at" })
      .catch((err) => log.warn({ err }, "the sweep could not be armed"));
  await rearm();
  const timer = setInterval(rearm, REARM_MS);
  return {
    async stop() {
      clearInterval(timer);
      await runner.stop();
    },
  };
}
