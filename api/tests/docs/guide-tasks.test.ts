import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createMachine, type Machine } from "../../../cli/tests/machine.ts";
import { callTool, connect } from "../../../mcp/tests/client.ts";
import { startTestServer, type TestServer } from "../../../testing/server.ts";
import { blockWith, openShell } from "../../../testing/shell.ts";

let parley: TestServer;
let home: string;
let machine: Machine;
beforeAll(async () => {
  parley = await startTestServer();
  home = mkdtempSync(join(tmpdir(), "parley-guide-"));
  machine = createMachine({ MCP_URL: `${parley.url}/mcp` });
});
afterAll(async () => {
  await parley.stop();
  machine.remove();
  rmSync(home, { recursive: true, force: true });
});

/** Twelve tasks in four layers: what is done too early has no ground to stand on. */
const TASKS = Array.from({ length: 12 }, (_, n) => ({
  title: `Part ${n + 1}`,
  depends_on: n < 3 ? [] : [`+${n - 2}`, ...(n % 2 ? [`+${n - 1 > 3 ? n - 3 : 1}`] : [])],
  paths: [`src/part-${n + 1}/`],
}));

interface Worker {
  /** The next task, or null when none came in time. */
  claim(): Promise<number | null>;
  finish(task: number): Promise<void>;
}

/** Three tasks are free at first, and three teams come: nobody goes on before each has one. */
const everybodyIsAtWork = Promise.withResolvers<void>();

/** Takes what there is until all is done, by whatever means it has. */
async function work(worker: Worker, doing: Set<number>, onDone: () => boolean): Promise<number[]> {
  const did: number[] = [];
  for (;;) {
    const task = await worker.claim();
    if (task === null) {
      if (onDone()) return did;
      continue;
    }
    expect(doing.has(task), `task ${task} is done by two`).toBe(false);
    doing.add(task);
    if (doing.size === 3) everybodyIsAtWork.resolve();
    await everybodyIsAtWork.promise;
    await worker.finish(task);
    did.push(task);
  }
}

test("three teams, by shell, MCP and the command, divide twelve tasks that depend on each other, and conclude", async () => {
  // Amber, by MCP, reads the guide, opens the session and divides the work.
  const mcp = await connect(parley);
  const use = async (name: string, args: Record<string, unknown>) => {
    const { text, isError } = await callTool(mcp, name, args);
    expect(isError, text).toBeFalsy();
    return text;
  };
  const created = await use("create_session", {
    title: "Port billing",
    description: "Twelve parts.",
    creator_team_name: "Team Amber",
    about: { agent: "amber", role: "convener" },
  });
  const [, ref = ""] = /ref (\S+)/.exec(created) ?? [];
  const amber = { session_id: ref, team_id: /team_id (\S+)/.exec(created)?.[1] };
  expect(await use("add_tasks", { ...amber, tasks: TASKS })).toMatch(/^open 3 · blocked 9 · claimed 0 · done 0 /);

  // Blue has nothing but the guide and a shell.
  const guide = await (await fetch(`${parley.url}/s/${ref}/AGENTS.md`)).text();
  const shell = openShell({ home, cwd: home });
  await shell.succeed(blockWith(guide, "parley.sh"));
  await shell.succeed(blockWith(guide, "/join"));
  const lines = blockWith(guide, "tasks/claim").split("\n");
  const claimLine = lines.find((line) => line.includes("tasks/claim"))?.replace('"wait": 30', '"wait": 1') as string;
  const finishLines = lines.slice(lines.findIndex((line) => line.startsWith("send "))).join("\n");
  // Green has the command.
  const joined = await machine.run(["join", ref, "--as", "Team Green"]);
  expect(joined.code, joined.stderr).toBe(0);

  const doing = new Set<number>();
  const finished = () => doing.size === TASKS.length;
  const didBy = await Promise.all([
    work(
      {
        claim: async () => Number(/^task (\d+)/.exec(await use("claim_task", { ...amber, wait: 1 }))?.[1] ?? 0) || null,
        finish: async (task) => {
          await use("update_team", { ...amber, doing: `part ${task}` });
          await use("update_task", { ...amber, task, status: "done", result: `Part ${task} is ported.` });
        },
      },
      doing,
      finished,
    ),
    work(
      {
        claim: async () => Number(/^task (\d+)/.exec(await shell.succeed(claimLine))?.[1] ?? 0) || null,
        finish: async (task) => {
          expect(await shell.succeed(finishLines)).toMatch(new RegExp(`^task ${task} · status done`));
        },
      },
      doing,
      finished,
    ),
    work(
      {
        claim: async () => {
          const { code, stdout, stderr } = await machine.run(["claim", "--wait", "0.01"]);
          expect([0, 4], stderr).toContain(code);
          return code === 0 ? Number(/^task (\d+)/.exec(stdout)?.[1]) : null;
        },
        finish: async (task) => {
          const { code, stderr } = await machine.run(["done", String(task), `Part ${task} is ported.`]);
          expect(code, stderr).toBe(0);
        },
      },
      doing,
      finished,
    ),
  ]);

  expect(didBy.flat().sort((a, b) => a - b)).toEqual(TASKS.map((_, n) => n + 1));
  for (const did of didBy) expect(did.length).toBeGreaterThan(0);
  // Nobody began what was not ready: each was claimed once, after all that it depends on was done.
  const history = await use("get_history", { ...amber, limit: 500, format: "json" });
  const events = (JSON.parse(history).messages as { event?: string; task: number; cursor: number }[]).filter(
    ({ event }) => event,
  );
  const at = (event: string, task: number) =>
    events.filter((e) => e.event === event && e.task === task).map(({ cursor }) => cursor);
  const { tasks } = JSON.parse(await use("list_tasks", { ...amber, format: "json" })) as {
    tasks: { task: number; depends_on: number[] }[];
  };
  for (const { task, depends_on } of tasks) {
    expect(at("task_claimed", task)).toHaveLength(1);
    expect(at("task_done", task)).toHaveLength(1);
    for (const needed of depends_on)
      expect(at("task_done", needed)[0]).toBeLessThan(at("task_claimed", task)[0] as number);
  }
  const concluded = await shell.succeed(blockWith(guide, "summary_section"));
  expect(concluded).toMatch(/^closed yes · doc v1 · unread \d+$/m);
  shell.close();
  await mcp.close();
});
