import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startTestServer, type Team, type TestServer } from "../../testing/server.ts";
import { aboutHere, repoOf } from "../git.ts";
import { createMachine, type Machine } from "./machine.ts";

let parley: TestServer;
let alex: Team;
let blue: Machine;
beforeAll(async () => {
  parley = await startTestServer();
});
afterAll(() => parley.stop());
beforeEach(async () => {
  alex = await parley.create();
  blue = createMachine({ MCP_URL: `${parley.url}/mcp` });
});
afterEach(() => blue.remove());

const git = (...args: string[]) =>
  execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@example.com", ...args], {
    cwd: blue.folder,
    encoding: "utf8",
  }).trim();
const write = (path: string, text = path) => {
  mkdirSync(join(blue.folder, path, ".."), { recursive: true });
  writeFileSync(join(blue.folder, path), text);
};
/** A repository with a commit, on a branch of its own. */
function startRepository() {
  git("init", "-q", "-b", "main");
  write("README.md");
  git("add", ".");
  git("commit", "-qm", "first");
  git("checkout", "-qb", "refunds");
}
const join_ = () => blue.run(["join", alex.ref, "--as", "Team Blue"]);
const said = async (...args: string[]) => {
  const { code, stdout, stderr } = await blue.run(args);
  expect([args, code], stderr).toEqual([args, 0]);
  return stdout;
};
const taskOf = async (task: number) =>
  (await parley.get(`/sessions/${alex.ref}/tasks?task=${task}`, alex)).body.tasks[0];
const add = (...tasks: unknown[]) => parley.post(`/sessions/${alex.ref}/tasks`, { tasks }, alex);
const done = (task: number, more: object) =>
  parley.post(`/sessions/${alex.ref}/tasks/${task}`, { status: "done", result: "Done.", ...more }, alex);

test("tasks are added, listed, taken, finished and given back", async () => {
  await join_();
  expect(await said("tasks", "add", "Port invoices", "Port refunds")).toBe(
    "1 (open): Port invoices\n2 (open): Port refunds\n",
  );
  const more = [{ title: "Load test", depends_on: [1], priority: 2, body: "All of it.\nReally.", paths: ["bench/"] }];
  const { stdout } = await blue.run(["tasks", "add", "-"], { input: JSON.stringify(more) });
  expect(stdout).toBe("3 (blocked, priority 2, waits for 1): Load test\n");
  expect(await said("claim")).toBe("task 1 (claimed): Port invoices\n  claimed by team-blue\n");
  expect(await said("participants")).toMatch(/^team-blue \(you, .*, tasks 1\): Team Blue$/m);
  expect(await said("whoami")).toContain("tasks: 1 open, 1 blocked, 1 claimed; yours: 1");
  expect(await said("done", "Ported, all of it.")).toBe(
    "task 1 (done): Port invoices\n  done by team-blue: Ported, all of it.\n  reported\n",
  );
  expect(await said("claim", alex.ref, "3")).toMatch(/^task 3 \(claimed\): Load test\n {2}All of it\.\n {2}Really\.\n/);
  expect(await said("done", "3", "--blocked", "fixtures")).toMatch(/^task 3 \(blocked\)/);
  await said("claim");
  expect(await said("done", alex.ref, "2", "--open")).toBe("task 2 (open): Port refunds\n");
  expect(await said("tasks", "--status", "done")).toBe("1 (done, reported): Port invoices\n");
  expect(await said("tasks", "3")).toContain("paths: bench/");
  expect(await said("history")).toMatch(/team-blue took task 1, Port invoices\n.*\n?.*team-blue finished task 1/);
});

test("whoever claims waits in silence until there is something, and is told when there is nothing or it is over", async () => {
  await join_();
  expect(await blue.run(["claim"])).toEqual({
    code: 4,
    stdout: "",
    stderr: "Nothing to take: open 0, blocked 0, claimed 0.\n",
  });
  const waiting = blue.run(["claim", "--wait", "5"]);
  await add("Port invoices");
  expect(await waiting).toMatchObject({ code: 0, stdout: expect.stringMatching(/^task 1 /), stderr: "" });
  await parley.post(`/sessions/${alex.ref}/conclude`, { summary_section: "Over." }, alex);
  expect(await blue.run(["claim", "--wait", "5"])).toMatchObject({ code: 3, stdout: "" });
});

test.each([
  [["tasks", "one", "two"]],
  [["tasks", "add"]],
  [["done"]],
  [["done", "7"]],
  [["verify"]],
  [["verify", "7", "8"]],
  [["claim", "1", "2"]],
])("%j is no way to call it", async (args) => {
  await join_();
  expect(await blue.run(args)).toMatchObject({ code: 2, stdout: "" });
});

describe("in a repository", () => {
  beforeEach(startRepository);

  test("a team says where it is, and nothing else", async () => {
    git("remote", "add", "origin", "https://user:s3cr@t@github.com/acme/billing.git");
    await join_();
    const { participants } = (await parley.get(`/sessions/${alex.ref}/participants`, alex)).body;
    expect(participants[1].about).toEqual({
      machine: expect.stringMatching(/./),
      repo: "github.com/acme/billing",
      branch: "refunds",
      worktree: blue.folder,
    });
    expect(JSON.stringify(participants)).not.toContain("s3cr");
  });

  test("what is done names its commit, unless something is not committed", async () => {
    await join_();
    await add("One", "Two");
    await said("claim");
    await said("done", "1", "All committed.");
    expect(await taskOf(1)).toMatchObject({
      evidence: [{ kind: "commit", commit: git("rev-parse", "HEAD"), branch: "refunds" }],
    });
    write("README.md", "changed");
    await said("claim");
    const { stderr } = await blue.run(["done", "Not committed."]);
    expect(stderr).toContain("not committed");
    expect(await taskOf(2)).toMatchObject({ evidence: null });
  });

  test("what has changed since the branch began is told, committed or not, and overlaps are named", async () => {
    await join_();
    write("src/a.ts");
    git("add", ".");
    git("commit", "-qm", "second");
    write('src/b\n"ü.ts');
    write("README.md", "changed");
    await parley.post(`/sessions/${alex.ref}/paths/claim`, { paths: ["src/*.ts"] }, alex);
    const { code, stdout, stderr } = await blue.run(["changes"]);
    expect([code, stdout]).toEqual([
      0,
      'src/a.ts: alexs-team has claimed src/*.ts\nsrc/b "ü.ts: alexs-team has claimed src/*.ts\n',
    ]);
    expect(stderr).toBe("[changed 3, overlaps 2, unread: 0]\n");
    const { changes } = (await parley.get(`/sessions/${alex.ref}/paths`, alex)).body;
    expect(changes).toMatchObject([
      { handle: "team-blue", branch: "refunds", head: git("rev-parse", "HEAD"), paths: 3 },
    ]);
    expect((await blue.run(["changes", "--base", "--output=x"])).code).not.toBe(0);
    expect(await blue.run(["changes", "--base", "nowhere"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("nowhere"),
    });
  });

  describe("verifying", () => {
    let commit: string;
    beforeEach(async () => {
      write("parley.json", JSON.stringify({ checks: { test: "cat state && test $(cat state) = good" } }));
      write("state", "good\n");
      git("add", ".");
      git("commit", "-qm", "good");
      commit = git("rev-parse", "HEAD");
      // What lies about here is not what is checked.
      write("state", "bad\n");
      await join_();
      await add({ title: "One", check: "test" });
    });
    const leftovers = () => [
      ...readdirSync(tmpdir()).filter((name) => name.startsWith("parley-verify-")),
      ...git("worktree", "list").split("\n").slice(1),
    ];

    test("runs the check that the task names, in a clean worktree of its commit, and tells what came of it", async () => {
      await done(1, { evidence: [{ kind: "commit", commit, branch: "refunds" }] });
      const before = leftovers();
      const { code, stdout, stderr } = await blue.run(["verify", "1"]);
      expect([code, stdout], stderr).toEqual([0, `task 1: verified, test at ${commit.slice(0, 12)}\n`]);
      expect(stderr).toContain("good");
      expect(await taskOf(1)).toMatchObject({ proof: "verified", verified: { by: "team-blue", commit } });
      expect((await taskOf(1)).evidence.at(-1)).toMatchObject({
        kind: "check",
        name: "test",
        passed: true,
        output: "good\n",
      });
      expect(leftovers()).toEqual(before);
    });

    test("refutes what does not pass, or does not end", async () => {
      git("commit", "-qam", "bad");
      await done(1, { evidence: [{ kind: "commit", commit: git("rev-parse", "HEAD") }] });
      expect(await blue.run(["verify", "1"])).toMatchObject({ code: 5, stdout: expect.stringContaining("refuted") });
      expect(await taskOf(1)).toMatchObject({ proof: "refuted" });
      write("parley.json", JSON.stringify({ checks: { test: "sleep 60 & sleep 60" } }));
      const { code, stderr } = await blue.run(["verify", "1", "--timeout", "1"]);
      expect(code, stderr).toBe(5);
      expect((await taskOf(1)).evidence.at(-1).output).toContain("not over after 1 s");
    });

    test("runs nothing that the session says: no command, no check or commit that is not here", async () => {
      await done(1, { evidence: [{ kind: "commit", commit: "0000000" }] });
      expect(await blue.run(["verify", "1"])).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("fetch it first"),
      });
      expect(await blue.run(["verify", "1", "--check", "touch evil"])).toMatchObject({ code: 1 });
      expect(await blue.run(["verify", "1", "--check", "constructor"])).toMatchObject({ code: 1 });
      await done(1, { evidence: [{ kind: "commit", commit: "--exec=evil" }] });
      expect(await blue.run(["verify", "1"])).toMatchObject({ code: 1, stderr: expect.stringContaining("no commit") });
      expect(await taskOf(1)).toMatchObject({ proof: "reported" });
    });
  });
});

test.each([
  ["https://github.com/acme/billing.git", "github.com/acme/billing"],
  ["https://user:p@ss:w@github.com:8443/acme/billing.git/", "github.com/acme/billing"],
  ["https://github.com/acme/billing?token=1#x", "github.com/acme/billing"],
  ["git@github.com:acme/billing.git", "github.com/acme/billing"],
  ["ssh://git@host:2222/acme/billing", "host/acme/billing"],
  ["/srv/git/billing.git", "billing"],
  ["../billing", "billing"],
  ["file:///srv/billing.git", "billing"],
  [undefined, undefined],
])("%s is known as %s", (remote, repo) => {
  expect(repoOf(remote)).toBe(repo);
});

test("outside of a repository only the machine is named", () => {
  expect(Object.keys(aboutHere(tmpdir()))).toEqual(["machine"]);
});
