import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { join } from "node:path";
import { StartError } from "../../start-error.ts";
import type { Cluster } from "./cluster.ts";
import { commandLine, isExecutableGone } from "./processes.ts";
import { PORT } from "./socket.ts";

/** The pid of a live postmaster of this cluster. The pid file alone proves nothing: pids are used again. */
export function runningPostmaster(cluster: Cluster): number | undefined {
  const pid = Number.parseInt(readPidFile(cluster) ?? "", 10);
  return pid > 0 && isPostmasterOf(pid, cluster) ? pid : undefined;
}

export function isPostmasterOf(pid: number, { dir }: Cluster): boolean {
  return `${commandLine(pid)} `.includes(`postgres -D ${dir} `);
}

/** Whether it was started exactly as we would start it now, from files that are still there. */
export function runsTheseBinaries(pid: number, { binaries, args }: Cluster): boolean {
  return commandLine(pid) === [binaries.postgres, ...args].join(" ").trim() && !isExecutableGone(pid);
}

/** Clears the way for a new postmaster. To be called only when no postmaster of this cluster is running here. */
export async function discardStaleFiles(cluster: Cluster): Promise<void> {
  const socket = join(cluster.socketDir, `.s.PGSQL.${PORT}`);
  if (await answers(socket)) {
    throw new StartError(
      `A PostgreSQL that cannot be seen from here, perhaps in another container, is using ${cluster.dir}: ` +
        "stop it, or set PARLEY_DATA to another folder.",
    );
  }
  rmSync(`${socket}.lock`, { force: true });
  const content = readPidFile(cluster);
  if (content === undefined) return;
  // A power cut can leave the file empty, which PostgreSQL refuses as well.
  if (!/^\d+\n/.test(content)) return rmSync(pidFile(cluster));
  // PostgreSQL refuses a pid file whose pid is alive, unless it is its parent's. Putting ours in, instead of removing
  // the file, keeps the line by which it finds out that processes of the old server still use the data.
  writeFileSync(pidFile(cluster), content.replace(/^\d+/, String(process.pid)));
}

function pidFile({ dir }: Cluster): string {
  return join(dir, "postmaster.pid");
}

function readPidFile(cluster: Cluster): string | undefined {
  try {
    return readFileSync(pidFile(cluster), "utf8");
  } catch {
    return undefined;
  }
}

function answers(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = createConnection(socket);
    const settle = (answer: boolean) => {
      connection.destroy();
      resolve(answer);
    };
    connection.once("connect", () => settle(true));
    connection.once("error", () => settle(false));
  });
}
