import { readFileSync } from "node:fs";

/** Whether there is such a process. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Whether it is one of ours: after a restart of the machine another program may have its number. */
export function isParley(pid: number): boolean {
  if (!(pid > 0) || !isAlive(pid)) return false;
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("parley");
  } catch {
    // Where nobody can tell, it may be.
    return true;
  }
}
