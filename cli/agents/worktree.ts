import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Trouble } from "../errors.ts";
import { branchOf, git, headOf, repoOf } from "../git.ts";
import { isPlain } from "./plain.ts";

/** What a run stands on, as git has it. */
export interface Worktree {
  path: string;
  branch: string;
  repo: string;
  base: string;
  head: string;
  ahead: number;
  dirty: boolean;
}

const BRANCH = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,199}$/;

/** Whether it may be the name of a branch: nothing that git, a shell or a file system reads as anything else. */
export const isBranch = (name: string) =>
  BRANCH.test(name) && !/\.\.|\/\/|\/\.|\.\/|\.lock(\/|$)|[./]$/.test(name) && name !== "HEAD";

/**
 * A folder of its own for one team, beside the repository's other ones: `.worktrees/<ref>-<handle>` on the branch
 * `parley/<ref>/<handle>`, off what the repository stands on. One that is there is gone on with.
 */
export function makeWorktree(cwd: string, { ref, handle, branch }: { ref: string; handle: string; branch?: string }) {
  for (const name of [ref, handle])
    if (!isPlain(name)) throw new Trouble(`${JSON.stringify(name)} cannot be the name of a worktree.`);
  const on = branch ?? `parley/${ref}/${handle}`;
  if (!isBranch(on)) throw new Trouble(`${JSON.stringify(on)} cannot be the name of a branch.`);
  const top = mainWorktree(cwd);
  const head = headOf(top);
  if (!head) throw new Trouble(`${top} has no commit yet, so there is nothing to branch off from.`);
  const path = join(top, ".worktrees", `${ref}-${handle}`);
  if (existsSync(path)) {
    if (branchOf(path) !== on)
      throw new Trouble(`${path} is there already, and not on ${on}. Remove it, or name its branch.`);
    return path;
  }
  if (git(["status", "--porcelain", "--untracked-files=no"], top))
    throw new Trouble(
      `${top} has changes that are not committed; a worktree would begin without them. Commit or stash them first.`,
    );
  mkdirSync(dirname(path), { recursive: true });
  keepOutOfStatus(top);
  const known = git(["rev-parse", "--verify", "-q", `refs/heads/${on}`], top) !== undefined;
  run(["worktree", "add", "--quiet", ...(known ? [path, on] : ["-b", on, path, head])], top);
  if (!known) run(["config", `branch.${on}.parley-base`, head], top);
  return path;
}

/** How a worktree stands now. */
export function describeWorktree(path: string): Worktree | undefined {
  const branch = branchOf(path) ?? "";
  const head = headOf(path);
  if (!head) return undefined;
  // The agent can write it: nothing but a commit is given to git.
  const known = branch ? (git(["config", `branch.${branch}.parley-base`], path) ?? "") : "";
  const base = /^[0-9a-f]{40,64}$/.test(known) ? known : head;
  return {
    path,
    branch,
    repo: repoOf(git(["remote", "get-url", "origin"], path)) ?? basename(mainWorktree(path)),
    base,
    head,
    ahead: Number(git(["rev-list", "--count", `${base}..${head}`], path) ?? 0),
    dirty: Boolean(git(["status", "--porcelain"], path)),
  };
}

/** What to do with one that is left: lines to paste. */
export function whatNext(path: string): string[] {
  const tree = describeWorktree(path);
  if (!tree) return [];
  const top = mainWorktree(path);
  const state = tree.dirty ? "with changes that are not committed" : `${tree.ahead} commits ahead`;
  return [
    `The worktree stays: ${path} on ${tree.branch}, ${state}.`,
    // The agent may have named it: it is no more than a word to the shell, and no option to git.
    `  git -C ${quoted(top)} merge ${quoted(`refs/heads/${tree.branch}`)}`,
    `  git -C ${quoted(top)} worktree remove ${quoted(path)} && git -C ${quoted(top)} branch -d -- ${quoted(tree.branch)}`,
  ];
}

/** The repository that a folder belongs to: its first worktree, also when the folder is another one. */
function mainWorktree(cwd: string): string {
  const first = git(["worktree", "list", "--porcelain"], cwd)
    ?.split("\n")[0]
    ?.replace(/^worktree /, "");
  if (!first) throw new Trouble(`${cwd} is in no git repository, so no worktree can be made there.`);
  return first;
}

/** The repository does not show its worktrees as files that git does not know. */
function keepOutOfStatus(top: string) {
  if (git(["check-ignore", "-q", ".worktrees/x"], top) !== undefined) return;
  const exclude = git(["rev-parse", "--path-format=absolute", "--git-path", "info/exclude"], top);
  if (!exclude) return;
  mkdirSync(dirname(exclude), { recursive: true });
  appendFileSync(exclude, "/.worktrees/\n");
}

function run(args: string[], cwd: string) {
  try {
    execFileSync("git", args, { cwd, stdio: ["ignore", "pipe", "pipe"], encoding: "utf8" });
  } catch (error) {
    const said = String((error as { stderr?: string }).stderr ?? "").trim();
    throw new Trouble(`git ${args[0]} failed: ${said || (error as Error).message}`);
  }
}

const quoted = (path: string) => (/^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);
