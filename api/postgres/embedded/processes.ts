import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";

const hasProc = existsSync("/proc/self/cmdline");

/** The command line of a live process, its arguments joined by spaces; undefined for a dead one and for a zombie. */
export function commandLine(pid: number): string | undefined {
  const line = hasProc ? read(`/proc/${pid}/cmdline`)?.split("\0").join(" ") : ps(pid, "command=");
  return line?.trim() || undefined;
}

/** When the process was started, in the system's own notation: tells it from a later one with the same pid. */
export function startMark(pid: number): string | undefined {
  if (!hasProc) return ps(pid, "lstart=")?.trim().replace(/\s+/g, "_");
  const stat = read(`/proc/${pid}/stat`);
  // The name in brackets may hold spaces, so fields are counted from its end; the start time is field 22.
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
}

export function childrenOf(pid: number): number[] {
  const pids = hasProc ? readdirSync("/proc") : (ps(pid, "pid=", "-A")?.split("\n") ?? []);
  return pids.map(Number).filter((child) => child > 0 && parentOf(child) === pid);
}

function parentOf(pid: number): number {
  if (!hasProc) return Number(ps(pid, "ppid="));
  const stat = read(`/proc/${pid}/stat`) ?? "";
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  // Where process 1 reaps nobody, a dead process answers signals for ever; only its command line is gone.
  return !hasProc || commandLine(pid) !== undefined;
}

/** Whether the program's file was replaced or removed after its start. */
export function isExecutableGone(pid: number): boolean {
  try {
    return hasProc && readlinkSync(`/proc/${pid}/exe`).endsWith(" (deleted)");
  } catch {
    return true;
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

function ps(pid: number, column: string, ...which: string[]): string | undefined {
  try {
    const env = { ...process.env, LC_ALL: "C" };
    return execFileSync("ps", ["-ww", ...(which.length > 0 ? which : ["-p", String(pid)]), "-o", column], {
      encoding: "utf8",
      env,
      stdio: "pipe",
    });
  } catch {
    return undefined;
  }
}
