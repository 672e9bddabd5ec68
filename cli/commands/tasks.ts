import { readFileSync } from "node:fs";
import { type Command, command, WHO, WHO_HELP } from "../command.ts";
import { type Answer, call } from "../connection/api.ts";
import { UsageError } from "../errors.ts";
import { toNumber } from "../input.ts";
import { block, json, line, note, print } from "../output.ts";
import type { Team } from "../team/teams.ts";
import { whichTeam } from "../team/which-team.ts";

const HELP = `parley tasks [ref]: how the work is divided, a line for each task.
parley tasks [ref] <n>: task n, whole.
parley tasks add "title" …: add tasks. - reads a JSON list from stdin: [{"title": …, "depends_on": ["+1"], "paths": ["src/"]}]

  --status <word>     open, blocked, claimed, done or dropped
  --mine              only those that you hold
  --in <ref>          add: the session, if not the one joined last from here
${WHO_HELP}`;

/** `[ref] [task] …`: a number is a task, the first other word a ref. */
export function refAndTask(positionals: string[]): {
  ref: string | undefined;
  task: number | undefined;
  rest: string[];
} {
  const words = [...positionals];
  const isTask = (word = "") => /^#?\d+$/.test(word);
  const ref = words.length > 0 && !isTask(words[0]) ? words.shift() : undefined;
  const number = isTask(words[0]) ? words.shift()?.replace("#", "") : undefined;
  return { ref, task: toNumber(number, "The task", { min: 1 }), rest: words };
}

export const pathOf = (team: Team, rest = "") => `/sessions/${team.session_id}/tasks${rest}`;

export async function taskOf(team: Team, task: number): Promise<Answer> {
  const { tasks } = await call(team.url, pathOf(team), { method: "GET", teamId: team.team_id, args: { task } });
  return tasks[0];
}

export function showTask(task: Answer): string {
  const facts = [
    task.body && `  ${block(task.body)}`,
    task.claimed_by && `  claimed by ${task.claimed_by}`,
    task.done_by && `  done by ${task.done_by}: ${block(task.result ?? "")}`,
    task.blocked_by?.length > 0 && `  waits for ${task.blocked_by.join(", ")}`,
    task.paths?.length > 0 && `  paths: ${line(task.paths.join(", "))}`,
    task.check && `  check: ${line(task.check)}`,
    task.proof && `  ${task.proof}${task.verified ? ` by ${task.verified.by}` : ""}`,
  ].filter(Boolean);
  return [`task ${task.task} (${task.status}): ${line(task.title)}`, ...facts].join("\n");
}

function showRow(task: Answer): string {
  const facts = [
    task.status,
    task.claimed_by,
    task.proof,
    task.priority !== 0 && `priority ${task.priority}`,
    task.blocked_by.length > 0 && `waits for ${task.blocked_by.join(", ")}`,
  ].filter(Boolean);
  return `${task.task} (${facts.join(", ")}): ${line(task.title)}`;
}

const list = command({
  help: HELP,
  options: { ...WHO, status: { type: "string" }, mine: { type: "boolean" } },
  async run(values, positionals) {
    const { ref, task, rest } = refAndTask(positionals);
    if (rest.length > 0) throw new UsageError(`${rest[0]} is one word too many.`);
    const team = whichTeam({ ref, ...values });
    if (task !== undefined) {
      const whole = await taskOf(team, task);
      return print(values.json ? json(whole) : showTask(whole));
    }
    const args = { status: values.status, mine: values.mine };
    const answer = await call(team.url, pathOf(team), { method: "GET", teamId: team.team_id, args });
    if (values.json) return print(json(answer));
    if (answer.tasks.length > 0) await print(answer.tasks.map(showRow).join("\n"));
    const { open, blocked, claimed, done, dropped, unread } = answer;
    note(`[open ${open}, blocked ${blocked}, claimed ${claimed}, done ${done}, dropped ${dropped}, unread: ${unread}]`);
  },
});

const add = command({
  help: HELP,
  options: { ...WHO, in: { type: "string" } },
  async run(values, positionals) {
    if (positionals.length === 0)
      throw new UsageError('Say what is to be done, e.g. parley tasks add "Port invoices".');
    const team = whichTeam({ ref: values.in, ...values });
    const tasks = positionals.join() === "-" ? readTasks() : positionals;
    const added = await call(team.url, pathOf(team), { teamId: team.team_id, args: { tasks } });
    await print(values.json ? json(added) : added.tasks.map(showRow).join("\n"));
  },
});

function readTasks(): unknown {
  try {
    return JSON.parse(readFileSync(0, "utf8"));
  } catch {
    throw new UsageError('What came in by stdin is not JSON: [{"title": "…"}].');
  }
}

export const tasks: Command = {
  help: HELP,
  run: ([first, ...rest]) => (first === "add" ? add.run(rest) : list.run(first === undefined ? [] : [first, ...rest])),
};
