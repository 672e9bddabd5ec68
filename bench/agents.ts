import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Runner } from "../cli/agents/runner.ts";
import { client, until } from "../testing/server.ts";
import type { Lab, Team } from "./lab.ts";
import { quantile, type Report } from "./report.ts";

const AGENT = fileURLToPath(new URL("../cli/tests/scripted-agent.ts", import.meta.url));
const LAUNCHER = fileURLToPath(new URL("../cli/parley.js", import.meta.url));
const ROUNDS = 100;
const IDLE_RUNS = 50;
const ALWAYS = Number.POSITIVE_INFINITY;

/** From sending a message until the agent's turn has begun, in its own process; and what a run costs that waits. */
export async function agents(lab: Lab, report: Report) {
  const parley = await lab.startParley();
  const root = mkdtempSync(join(tmpdir(), "parley-bench-agents-"));
  const log = join(root, "turns");
  const before = { ...process.env };
  Object.assign(process.env, { PARLEY_HOME: root, SCRIPTED_LOG: log });
  const over = new AbortController();
  const base = `http://127.0.0.1:${parley.port}`;
  const { post, get } = client(base);
  const runner = new Runner({
    base,
    config: {
      name: "bench",
      agents: { scripted: { name: "scripted", command: process.execPath, args: [AGENT] } },
      repos: {},
      max: 100,
      accept: "anyone",
    },
    token: "x".repeat(43),
    signal: over.signal,
    settings: {
      wake: "addressed",
      voice: "tools",
      permissions: "none",
      limits: {},
      idleMs: ALWAYS,
      patienceMs: ALWAYS,
      park: false,
      dozeMs: ALWAYS,
    },
    screen: () => new Proxy({}, { get: () => () => undefined }) as never,
    say: () => undefined,
  });
  const going = runner.go();
  const seat = async ({ session, teamId }: Team, name: string, runner = "bench") => {
    const asked = { agent: "scripted", prompt: "nothing", team_name: name, runner };
    const spawned = async () => (await post(`/sessions/${session}/agents`, asked, teamId)).status === 200;
    await until(spawned, "the runner");
    const status = async () =>
      (await get(`/sessions/${session}/agents`, teamId)).body.agents.find(
        ({ handle }: { handle: string }) => handle === name,
      )?.status;
    await until(async () => (await status()) === "waiting", "the run", 60_000);
  };
  try {
    const { teams } = await lab.seat(1);
    const [team] = teams as [Team];
    await seat(team, "ann");
    const lines = () => (existsSync(log) ? readFileSync(log, "utf8").split("\n") : []);
    const turnWith = (text: string) => lines().findLast((line) => line.includes(text));
    const took: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      await new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 20));
      const content = `question ${round} of the bench?`;
      const start = Date.now();
      await post(`/sessions/${team.session}/messages`, { content, kind: "question" }, team.teamId);
      took.push(JSON.parse(await until(() => turnWith(content), "the turn")).at - start);
    }
    const { teams: others } = await lab.seat(1);
    const idle = await idleRuns(base, root, (name) => seat(others[0] as Team, name, "idle"));
    const p95 = quantile(took, 0.95);
    report.goal("message → the agent's turn begins, p95", p95, " ms", "≤", 100);
    report.goal(
      `memory of an idle run: the runner and all that it has started, of ${IDLE_RUNS}`,
      idle.each,
      " MB",
      "≤",
      30,
    );
    report.table("Agents", ["what", "p50", "p95"], [["message → turn, ms", quantile(took, 0.5), p95]]);
    report.table(
      `${IDLE_RUNS} idle runs of one runner, agents that doze`,
      ["processes", "runner alone, MB", "with them, MB", "a run, MB"],
      [[idle.processes, idle.before, idle.after, idle.each]],
    );
  } finally {
    over.abort();
    await going;
    for (const name of ["PARLEY_HOME", "SCRIPTED_LOG"]) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
    rmSync(root, { recursive: true, force: true });
    await parley.stop();
  }
}

/** A runner of its own process, and what it takes, with all that it has started, once its agents have dozed off. */
async function idleRuns(base: string, root: string, seat: (name: string) => Promise<void>) {
  const config = join(root, "idle.json");
  const agents = { scripted: { command: [process.execPath, AGENT] } };
  writeFileSync(config, JSON.stringify({ name: "idle", agents, max: 100, accept: "anyone" }));
  const args = [LAUNCHER, "runner", "--config", config, "--url", base, "--doze", "0.001"];
  const env = { ...process.env, SCRIPTED_MEMORY: join(root, "memory") };
  const runner = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(runner, "close");
  try {
    await once(runner.stdout, "data");
    runner.stdout.resume();
    const pid = runner.pid as number;
    const before = memoryOf(pid);
    for (let n = 0; n < IDLE_RUNS; n += 1) await seat(`idle-${n}`);
    await until(() => family(pid).length === 1, "the agents to doze", 60_000);
    const after = memoryOf(pid);
    return { processes: family(pid).length, before, after, each: after / IDLE_RUNS };
  } finally {
    runner.kill("SIGTERM");
    await ended;
  }
}

/** A process and all that it has started, as /proc has them. */
function family(pid: number): number[] {
  const children = existsSync(`/proc/${pid}/task`)
    ? readdirSync(`/proc/${pid}/task`).flatMap((task) => childrenOf(`/proc/${pid}/task/${task}/children`))
    : [];
  return [pid, ...children.flatMap(family)];
}

const childrenOf = (file: string) =>
  existsSync(file) ? readFileSync(file, "utf8").trim().split(" ").filter(Boolean).map(Number) : [];

/** In MB, what is shared counted once each: the most that it can be. */
const memoryOf = (pid: number) =>
  family(pid)
    .map((one) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${one}/status`, "utf8"))?.[1] ?? 0) / 1_024)
    .reduce((sum, mb) => sum + mb, 0);
