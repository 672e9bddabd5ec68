import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { StartError } from "../../start-error.ts";
import type { Cluster } from "./cluster.ts";
import { discardStaleFiles, isPostmasterOf, runningPostmaster, runsTheseBinaries } from "./orphan.ts";
import { childrenOf, isAlive } from "./processes.ts";
import { commandFor } from "./runner.ts";
import { openServerLog, readTail } from "./server-log.ts";
import { query } from "./socket.ts";

export interface Postmaster {
  readonly pid: number;
  /** Resolves with the reason when the process has ended. */
  readonly exited: Promise<string>;
}

const PROBE_EVERY_MS = 25;
const WATCH_EVERY_MS = 500;
const ADOPTION_MS = 10_000;
// A crash recovery may have a lot to replay.
const START_MS = 120_000;
const STOP_WITHIN_MS = 9_000;
/** How it is asked to stop, and which part of the time it gets for that. */
const STOP_STEPS = [
  ["SIGINT", 0.6],
  ["SIGQUIT", 0.2],
  ["SIGKILL", 0.2],
] as const;

/** Takes over the postmaster that a killed Parley left behind; one that is no longer fit to use is stopped. */
export async function adoptPostmaster(cluster: Cluster): Promise<Postmaster | undefined> {
  const pid = runningPostmaster(cluster);
  if (pid === undefined) return undefined;
  if (runsTheseBinaries(pid, cluster)) {
    const version = await waitUntilReady(cluster, ADOPTION_MS, () => isAlive(pid));
    if (version === cluster.binaries.versionNumber) return { pid, exited: watch(pid) };
  }
  await stopPostmaster(pid, cluster);
  return undefined;
}

/** Starts a postmaster and waits until it answers. */
export async function launchPostmaster(cluster: Cluster, signal: AbortSignal): Promise<Postmaster> {
  signal.throwIfAborted();
  await discardStaleFiles(cluster);
  const { fd, offset } = openServerLog(cluster.logFile);
  const command = commandFor(cluster.runner, cluster.binaries.postgres, cluster.args);
  // Detached: a Ctrl-C in the terminal reaches Parley alone, which ends its work before it stops the database.
  const child = spawn(command.file, command.args, { ...command.options, detached: true, stdio: ["ignore", fd, fd] });
  closeSync(fd);
  child.unref();
  let ended: string | undefined;
  const exited = once(child, "exit").then(
    ([code, killedBy]) => (ended = killedBy ? `it was ended by ${killedBy}` : `it ended with code ${code}`),
    (error: Error) => (ended = error.message),
  );

  const ready = await waitUntilReady(cluster, START_MS, () => ended === undefined && !signal.aborted);
  if (ready !== undefined && child.pid !== undefined) return { pid: child.pid, exited };
  if (child.pid !== undefined && ended === undefined) await stopPostmaster(child.pid, cluster);
  signal.throwIfAborted();
  const reason = ended ?? "it did not answer in time";
  throw new StartError(
    `PostgreSQL did not start: ${reason}. The end of ${cluster.logFile}:\n${readTail(cluster.logFile, offset)}`,
  );
}

/** Fast shutdown first; whatever does not obey in time is ended harder, and recovers at the next start. */
export async function stopPostmaster(pid: number, cluster: Cluster, withinMs = STOP_WITHIN_MS): Promise<void> {
  for (const [signal, part] of STOP_STEPS) {
    if (!isPostmasterOf(pid, cluster)) return;
    // Its children end with it, but not those that are frozen: they would keep the next one from starting.
    const ended = signal === "SIGKILL" ? [pid, ...childrenOf(pid)] : [pid];
    for (const each of ended) signalTo(each, signal);
    for (const deadline = Date.now() + part * withinMs; Date.now() < deadline; await delay(PROBE_EVERY_MS)) {
      if (!isAlive(pid)) return;
    }
  }
  throw new StartError(`PostgreSQL (pid ${pid}) does not stop.`);
}

function signalTo(pid: number, signal: NodeJS.Signals) {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}

/** The version number of the server that answers; undefined when none did in time. */
async function waitUntilReady(
  cluster: Cluster,
  patience: number,
  worthWaiting: () => boolean,
): Promise<number | undefined> {
  for (const deadline = Date.now() + patience; worthWaiting() && Date.now() < deadline; await delay(PROBE_EVERY_MS)) {
    try {
      const [row] = await query<{ server_version_num: string }>(cluster.socketDir, "show server_version_num");
      if (row) return Number(row.server_version_num);
    } catch {
      // Not yet: the socket is missing, or the server is still recovering.
    }
  }
  return undefined;
}

/** Nobody tells us when a process ends that is not our child. */
function watch(pid: number): Promise<string> {
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      if (isAlive(pid)) return;
      clearInterval(timer);
      resolve("its process is gone");
    }, WATCH_EVERY_MS);
    timer.unref();
  });
}
