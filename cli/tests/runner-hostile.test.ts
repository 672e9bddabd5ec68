import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Runner, type RunSettings } from "../agents/runner.ts";
import { isAlive } from "../alive.ts";

const ALWAYS = Number.POSITIVE_INFINITY;
// Each starts several processes, on a machine that may be busy with other things.
const SLOW = { timeout: 180_000 };

let root: string;
let home: string | undefined;
beforeEach(() => {
  home = process.env.PARLEY_HOME;
  root = realpathSync(mkdtempSync(join(tmpdir(), "parley-runner-")));
  process.env.PARLEY_HOME = join(root, "home");
});
afterEach(() => {
  if (home === undefined) delete process.env.PARLEY_HOME;
  else process.env.PARLEY_HOME = home;
  rmSync(root, { recursive: true, force: true });
});

const settings: RunSettings = {
  wake: "addressed",
  voice: "tools",
  permissions: "ask",
  limits: {},
  idleMs: ALWAYS,
  patienceMs: ALWAYS,
  dozeMs: ALWAYS,
  park: true,
};
const screen = () => new Proxy({}, { get: () => () => undefined }) as never;

const RUN = { run: 1, session_id: "0", ref: "calm-otter-17", handle: "ann", agent: "scripted", repo: "billing" };
const SEAT = { team_id: "pt_x", prompt: "--x; touch pwned", cursor: 0 };

function repository(name: string): string {
  const folder = join(root, name);
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@example.com", ...args], { cwd: folder });
  mkdirSync(folder);
  git("init", "-q", "-b", "main");
  git("commit", "-q", "--allow-empty", "-m", "first");
  return folder;
}

/** A program for the runner to run; it knows a file to write to. What it wrote is given line by line. */
function program(source: string) {
  const file = join(root, "program.mjs");
  const log = join(root, "log");
  writeFileSync(
    file,
    `import { appendFileSync, existsSync } from "node:fs";\nconst log = ${JSON.stringify(log)};\n${source}`,
  );
  return { file, wrote: () => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []) };
}

/** A runner that is handed these by a server that knows nobody, and is told to end after the last. */
async function handOut(answers: object[], file: string, billing: string, mayEnd = () => true) {
  const over = new AbortController();
  const rest = [...answers];
  const server = createServer((request, response) => {
    const next = request.url?.startsWith("/api/runners/take") ? (rest.shift() ?? { run: null }) : undefined;
    if (rest.length === 0 && mayEnd()) over.abort();
    const isOffer = request.url?.endsWith("/offer");
    if (!next && !isOffer) response.statusCode = 401;
    response.end(JSON.stringify(next ?? { error: isOffer ? null : { code: "unauthorized", message: "No." } }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const config = {
    name: "studio",
    agents: { scripted: { name: "scripted", command: process.execPath, args: [file, "as configured"] } },
    repos: { billing },
    max: 4,
    accept: "anyone" as const,
  };
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Runner({ base, config, token: "x", signal: over.signal, settings, screen, say: () => undefined }).go();
  server.close();
}

test(
  "whatever a server answers: nothing but the configured command is run, and nowhere but in the configured folders",
  SLOW,
  async () => {
    const hostile = fc.oneof(
      fc.constantFrom(
        "../..",
        "-x",
        "; touch pwned",
        "$(touch pwned)",
        "a/b",
        "__proto__",
        "constructor",
        "\0",
        "a\nb",
        "--exec=touch pwned",
      ),
      fc.string({ maxLength: 50 }),
      fc.constantFrom(null, {}, [], 7),
    );
    const field = (value: unknown) =>
      fc.oneof({ weight: 4, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: hostile });
    const good = { ...RUN, worktree: true };
    const taken = fc.record(Object.fromEntries(Object.entries(good).map(([name, value]) => [name, field(value)])));
    const billing = repository("billing");
    const recorder = program(`appendFileSync(log, JSON.stringify([process.cwd(), ...process.argv.slice(2)]) + "\\n");`);
    await handOut(
      [good, ...fc.sample(taken, 60)].map((answer) => ({ ...answer, ...SEAT })),
      recorder.file,
      billing,
      () => recorder.wrote().length > 0,
    );
    const ran = recorder.wrote().map((line) => JSON.parse(line) as string[]);
    const isOurs = (folder = "") =>
      folder === billing || /^(billing\/\.worktrees|home\/work)\/[\w.-]+$/.test(relative(root, folder));
    expect(ran.filter(([folder, ...args]) => !isOurs(folder) || args.join() !== "as configured")).toEqual([]);
    expect(ran.map(([folder]) => folder)).toContain(join(billing, ".worktrees/calm-otter-17-ann"));
    for (const folder of [root, billing, process.cwd()]) expect(existsSync(join(folder, "pwned"))).toBe(false);
  },
);

test("a run that a server hands out twice has ended twice when the runner ends", SLOW, async () => {
  const slow = program(`
const first = !existsSync(log);
appendFileSync(log, process.pid + "\\n");
process.stdin.resume().on("end", () => setTimeout(() => process.exit(), first ? 1_000 : 0));`);
  await handOut(
    [1, 2].map(() => ({ ...RUN, ...SEAT })),
    slow.file,
    repository("billing"),
    () => slow.wrote().length === 2,
  );
  const pids = slow.wrote().map(Number);
  expect(pids.length).toBe(2);
  expect(pids.filter(isAlive)).toEqual([]);
});
