import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { StartError } from "../../start-error.ts";
import { isAlive, startMark } from "./processes.ts";

const SETTLE_MS = 50;

/** Makes this process the folder's only Parley and returns the function that lets go of it. */
export async function claimFolder(dataDir: string): Promise<() => void> {
  const file = join(dataDir, "parley.pid");
  const mine = describe(process.pid);
  const refuseOther = () => {
    const holder = liveHolder(file);
    if (holder === undefined) return;
    throw new StartError(
      `Another Parley (pid ${holder}) is using ${dataDir}: stop it, or set PARLEY_DATA to another folder.`,
    );
  };

  refuseOther();
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, mine, { mode: 0o600 });
  renameSync(draft, file);
  // Two that start together may both find the folder free: the last rename wins, the other one sees it here.
  await delay(SETTLE_MS);
  if (readFileSync(file, "utf8") !== mine) refuseOther();

  return () => {
    if (readOrEmpty(file) === mine) rmSync(file, { force: true });
  };
}

/** A pid alone is not enough: in a container every start gets the same one. */
function describe(pid: number): string {
  return `${pid} started:${startMark(pid)}\n`;
}

function liveHolder(file: string): number | undefined {
  const content = readOrEmpty(file);
  const pid = Number.parseInt(content, 10);
  return pid > 0 && isAlive(pid) && content === describe(pid) ? pid : undefined;
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
