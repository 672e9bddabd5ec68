import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWorktree, isBranch, makeWorktree, whatNext } from "../agents/worktree.ts";

let root: string;
let repo: string;
const git = (cwd: string, ...args: string[]) =>
  execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@example.com", ...args], {
    cwd,
    encoding: "utf8",
  }).trim();

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "parley worktree-")));
  repo = join(root, "billing");
  execFileSync("git", ["init", "-q", "-b", "main", repo]);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

test("a worktree has its own branch and folder, is reported as git has it, and stays with the lines to merge or remove it", () => {
  expect(() => makeWorktree(root, { ref: "calm-otter-17", handle: "blue" })).toThrow("in no git repository");
  expect(() => makeWorktree(repo, { ref: "calm-otter-17", handle: "blue" })).toThrow("no commit yet");
  writeFileSync(join(repo, "a"), "1");
  git(repo, "add", "a");
  git(repo, "commit", "-qm", "first");
  writeFileSync(join(repo, "a"), "2");
  expect(() => makeWorktree(repo, { ref: "calm-otter-17", handle: "blue" })).toThrow("not committed");
  git(repo, "checkout", "-q", "a");

  const path = makeWorktree(repo, { ref: "calm-otter-17", handle: "blue" });
  expect(path).toBe(join(repo, ".worktrees/calm-otter-17-blue"));
  const base = git(repo, "rev-parse", "HEAD");
  expect(describeWorktree(path)).toEqual({
    path,
    branch: "parley/calm-otter-17/blue",
    repo: "billing",
    base,
    head: base,
    ahead: 0,
    dirty: false,
  });
  writeFileSync(join(path, "b"), "1");
  expect(describeWorktree(path)).toMatchObject({ dirty: true });
  git(path, "add", "b");
  git(path, "commit", "-qm", "second");
  expect(describeWorktree(path)).toMatchObject({ ahead: 1, dirty: false, base });
  expect(git(repo, "status", "--porcelain")).toBe("");
  // Also from inside of one, and again: the same.
  expect(makeWorktree(path, { ref: "calm-otter-17", handle: "blue" })).toBe(path);
  expect(() => makeWorktree(repo, { ref: "calm-otter-17", handle: "blue", branch: "other" })).toThrow("not on other");

  const [, merge = "", remove = ""] = whatNext(path);
  for (const line of [merge, remove]) execFileSync("sh", ["-c", line], { cwd: root, stdio: "ignore" });
  expect([existsSync(join(repo, "b")), existsSync(path)]).toEqual([true, false]);
  expect(git(repo, "branch", "--list", "parley/*")).toBe("");
});

test("nothing but a plain name becomes a folder or a branch", () => {
  for (const bad of ["..", "../x", "a/b", "-b", "a b", "a;b", "$(a)", "", "a\nb", ".git", "a\0"]) {
    expect(() => makeWorktree(repo, { ref: bad, handle: "blue" })).toThrow("cannot be the name");
    expect(() => makeWorktree(repo, { ref: "calm-otter-17", handle: bad })).toThrow("cannot be the name");
  }
  for (const bad of [
    "-d",
    "a..b",
    "a//b",
    "/a",
    "a/",
    "a.lock",
    "HEAD",
    "a b",
    "a~1",
    "a^",
    "a:b",
    "--upload-pack=x",
    "a/.b",
  ])
    expect([bad, isBranch(bad)]).toEqual([bad, false]);
  expect(isBranch("feature/refunds-2.0")).toBe(true);
});

test("whatever the agent has called its branch, the lines to paste run git and nothing else", () => {
  const path = makeWorktree(repo, { ref: "calm-otter-18", handle: "blue" });
  const name = "a;touch$IFS$9pwned;$(touch$IFS$9pwned)'";
  git(path, "checkout", "-q", "-b", name);
  git(path, "config", "core.fsmonitor", "touch pwned; false");
  git(path, "config", `branch.${name}.parley-base`, "--output=pwned");
  const tree = describeWorktree(path);
  expect(tree).toMatchObject({ base: tree?.head, ahead: 0 });
  git(path, "config", "--unset", "core.fsmonitor");
  const [, merge = "", remove = ""] = whatNext(path);
  for (const line of [merge, remove]) execFileSync("sh", ["-c", line], { cwd: root, stdio: "ignore" });
  expect([root, repo, path].filter((folder) => existsSync(join(folder, "pwned")))).toEqual([]);
});
