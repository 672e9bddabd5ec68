import { mkdirSync, rmdirSync, statSync } from "node:fs";
import { Trouble } from "../errors.ts";

const STALE_MS = 10_000;
const PATIENCE_MS = 20_000;

/** One process at a time. The work is a few file operations, so a lock that is ten seconds old was left by a crash. */
export async function locked<T>(path: string, work: () => T): Promise<T> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!take(path)) {
    if (age(path) > STALE_MS) release(path);
    else if (Date.now() > deadline)
      throw new Trouble(`${path} is held by another process; remove it if there is none.`);
    else await new Promise((resolve) => setTimeout(resolve, 10 + Math.random() * 20));
  }
  try {
    return work();
  } finally {
    release(path);
  }
}

function take(path: string): boolean {
  try {
    mkdirSync(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function age(path: string): number {
  return Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
}

function release(path: string) {
  try {
    rmdirSync(path);
  } catch {
    // Someone else has cleared it away.
  }
}
