import { execFileSync } from "node:child_process";
import { homedir, hostname } from "node:os";
import { basename } from "node:path";

const LONGEST = 200;

/** What git says, or undefined: not a repository, no such thing, no git. */
export function git(args: string[], cwd = process.cwd()): string | undefined {
  try {
    // A repository that others have written in may name a program here.
    return execFileSync("git", ["-c", "core.fsmonitor=false", ...args], {
      cwd,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      timeout: 10_000,
      maxBuffer: 64 * 1024 * 1024,
    }).replace(/\n$/, "");
  } catch {
    return undefined;
  }
}

export const topOf = (cwd?: string) => git(["rev-parse", "--show-toplevel"], cwd);
export const branchOf = (cwd?: string) => git(["symbolic-ref", "--short", "-q", "HEAD"], cwd);
export const headOf = (cwd?: string) => git(["rev-parse", "--verify", "-q", "HEAD^{commit}"], cwd);

/** Who this team is, as far as the name of the machine and git tell. Nothing else goes out by itself. */
export function aboutHere(cwd?: string): Record<string, string> {
  const top = topOf(cwd);
  const about = {
    machine: hostname(),
    ...(top && {
      repo: repoOf(git(["remote", "get-url", "origin"], cwd)) ?? basename(top),
      branch: branchOf(cwd) ?? "",
      worktree: top.startsWith(`${homedir()}/`) ? `~${top.slice(homedir().length)}` : top,
    }),
  };
  return Object.fromEntries(
    Object.entries(about).map(([name, value]) => [name, [...value].slice(0, LONGEST).join("")]),
  );
}

/** host/owner/name of an address, which may hold a password; of a folder its name. */
export function repoOf(remote: string | undefined): string | undefined {
  if (!remote) return undefined;
  const plain = remote.replace(/[?#].*$/, "").replace(/(\.git)?\/*$/, "");
  const [, host, path] = /^(?:[a-z+]+:\/\/)?(?:[^/]*@)?([^/:@]+)(?::\d+(?=\/))?[:/](.+)$/.exec(plain) ?? [];
  const isFolder = /^([/.~]|file:|[a-z]:[\\/])/i.test(plain);
  return isFolder || !host || !path ? basename(plain) : `${host}/${path.replace(/^\/+/, "")}`;
}
