import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Runner } from "../cli/agents/runner.ts";
import { client, until } from "../testing/server.ts";
import type { Lab, Team } from "./lab.ts";
import { quantile, type Report } from "./report.ts";

const AGENT = fileURLToPath(new URL("../cli/tests/scripted-agent.ts", import.meta.url));
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
  let dozeMs = ALWAYS;
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
      get dozeMs() {
        return dozeMs;
      },
    },
    screen: () => new Proxy({}, { get: () => () => undefined }) as never,
    say: () => undefined,
  });
  const going = runner.go();
  const seat = async ({ session, teamId }: Team, name: string) => {
    const spawn = () =>
      post(`/sessions/${session}/agents`, { agent: "scripted", prompt: "nothing", team_name: name }, teamId);
    await until(async () => (await spawn()).status === 200, "the runner");
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
    const turns = () => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []);
    const took: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const seen = turns().length;
      await new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 20));
      const start = Date.now();
      await post(`/sessions/${team.session}/messages`, { content: `${round}?`, kind: "question" }, team.teamId);
      await until(() => turns().length > seen, "the turn");
      took.push(JSON.parse(turns().at(-1) ?? "{}").at - start);
    }
    process.env.SCRIPTED_MEMORY = join(root, "memory");
    dozeMs = 1;
    const rss = () => {
      globalThis.gc?.();
      return process.memoryUsage().rss;
    };
    const first = rss();
    const { teams: others } = await lab.seat(1);
    for (let n = 0; n < IDLE_RUNS; n += 1) await seat(others[0] as Team, `idle-${n}`);
    const idle = (rss() - first) / IDLE_RUNS / 2 ** 20;
    const p95 = quantile(took, 0.95);
    report.goal("message → the agent's turn begins, p95", p95, " ms", "≤", 100);
    report.goal(`memory of an idle run, ${IDLE_RUNS} of them`, idle, " MB", "≤", 30);
    report.table("Agents", ["what", "p50", "p95"], [["message → turn, ms", quantile(took, 0.5), p95]]);
  } finally {
    over.abort();
    await going;
    for (const name of ["PARLEY_HOME", "SCRIPTED_LOG", "SCRIPTED_MEMORY"]) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
    rmSync(root, { recursive: true, force: true });
    await parley.stop();
  }
}
