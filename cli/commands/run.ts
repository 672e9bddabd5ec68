import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { seat } from "../agents/enter.ts";
import { type AgentCommand, KNOWN, knownAgent } from "../agents/known.ts";
import type { Permissions } from "../agents/permission.ts";
import type { Voice } from "../agents/run/options.ts";
import { NAME } from "../agents/runner-config.ts";
import { asJson, terminal } from "../agents/screen.ts";
import type { Wake } from "../agents/wake.ts";
import { work } from "../agents/work.ts";
import { whatNext } from "../agents/worktree.ts";
import { type Command, command, WHERE } from "../command.ts";
import { findAddress } from "../connection/address.ts";
import { UsageError } from "../errors.ts";
import { toNumber } from "../input.ts";
import { interruption } from "../interrupt.ts";
import { note, safe } from "../output.ts";

const EXIT = { stopped: 0, done: 0, failed: 1, concluded: 3, idle: 4, limit: 5 };
const INTERRUPTED = 130;

const HELP = `parley run <agent> --join <ref> --as "Team Blue": put an agent at the table. It waits at no cost, and gets a turn when somebody speaks to it.

<agent> is ${Object.keys(KNOWN).join(", ")}, or -- <command …> at the end: any that speaks the Agent Client Protocol.

  --as <name>         the name of its team; --join <ref>, --create <title> or --resume <ref>: where it sits
  --prompt <text>     what it is asked to do, besides what the session says
  --task <n>|next     it takes this task; next: one after the other, until none is left
  --wake <what>       what gives it a turn: all; addressed (default: what is said to it, and what asks everyone; other words once in 30 s); questions
  --voice <how>       tools (default): its last words are posted if it posted nothing itself; all: always; none: never
  --permissions <p>   who answers when it asks: ask (default: people, on the page), edits (edits are allowed, the rest is asked), all, none
  --max-turns <n>, --max-tokens <n>, --max-cost <usd>   it stops there, and says so
  --idle <minutes>    end after so long without news; default 60, 0: never
  --doze <minutes>    end its process after so long without a turn, until the next one; default 10, 0: never
  --patience <minutes>  how long a turn may go without a sign of life; default 30
  --on-quota <what>   park (default) or stop, when its provider lets it do no more
  --cwd <folder>      where it works; --worktree [branch]: in a git worktree of its own, beside the repository
  --json              what happens, an object a line
  --url <link>        the address; default: see parley doctor

After a restart the same line goes on where it was: nothing is lost, and nothing is said twice. Ctrl-C leaves; twice: at once.
Exit codes: 0 stopped or done, 3 the session is concluded, 4 idle, 5 a limit, 1 error, 2 wrong use, ${INTERRUPTED} Ctrl-C.`;

const text = { type: "string" } as const;
const OPTIONS = {
  ...WHERE,
  as: text,
  join: text,
  create: text,
  resume: text,
  prompt: text,
  task: text,
  wake: text,
  voice: text,
  permissions: text,
  "max-turns": text,
  "max-tokens": text,
  "max-cost": text,
  idle: text,
  patience: text,
  doze: text,
  "on-quota": text,
  cwd: text,
  worktree: text,
  json: { type: "boolean" },
} as const;

/** `-- command …` is taken as it stands; `--worktree` may stand alone. */
export const run: Command = {
  help: HELP,
  run(args) {
    const end = args.indexOf("--");
    const own = end < 0 ? args : args.slice(0, end);
    return withCommand(end < 0 ? [] : args.slice(end + 1)).run(own.flatMap(maybeBare));
  },
};

function maybeBare(arg: string, place: number, args: string[]): string[] {
  if (arg !== "--worktree") return [arg];
  const next = args[place + 1];
  return next === undefined || next.startsWith("-") ? ["--worktree="] : [arg];
}

const withCommand = (line: string[]) =>
  command({
    help: HELP,
    options: OPTIONS,
    async run(values, positionals) {
      const agent = agentOf(positionals, line);
      const limits = {
        turns: toNumber(values["max-turns"], "--max-turns", { min: 1 }),
        tokens: toNumber(values["max-tokens"], "--max-tokens", { min: 1 }),
        cost: toNumber(values["max-cost"], "--max-cost", { min: 0 }),
      };
      const settings = {
        wake: oneOf<Wake>(values.wake, "--wake", ["addressed", "all", "questions"]),
        voice: oneOf<Voice>(values.voice, "--voice", ["tools", "all", "none"]),
        permissions: oneOf<Permissions>(values.permissions, "--permissions", ["ask", "edits", "all", "none"]),
        park: oneOf(values["on-quota"], "--on-quota", ["park", "stop"]) === "park",
        idleMs: minutes(values.idle, "--idle", 60),
        patienceMs: minutes(values.patience, "--patience", 30),
        dozeMs: minutes(values.doze, "--doze", 10),
      };
      const task = values.task === "next" ? undefined : toNumber(values.task, "--task", { min: 1 });
      const cwd = resolve(values.cwd ?? ".");
      if (!existsSync(cwd)) throw new UsageError(`There is no folder ${cwd}.`);
      const { base } = findAddress({ url: values.url });
      const write = (line: string) => void process.stdout.write(line);
      const screen = values.json ? asJson(write) : terminal(write);
      const { state, store } = await seat({
        ...values,
        base,
        cwd,
        agent: agent.name,
        id: randomBytes(9).toString("base64url"),
      });
      if (task !== undefined) state.task ??= task;
      const signal = interruption();
      const { how, why } = await work({
        ...settings,
        command: agent,
        state,
        store,
        screen,
        limits,
        signal,
        tasks: values.task === "next",
      });
      if (how === "failed") note(`parley: ${safe(why)}`);
      else screen.note(why);
      if (state.worktree) for (const line of whatNext(state.cwd)) note(line);
      return signal.aborted ? INTERRUPTED : EXIT[how];
    },
  });

function agentOf(positionals: string[], [program, ...args]: string[]): AgentCommand {
  const [name, stray] = positionals;
  if (stray !== undefined) throw new UsageError(`${stray} is one word too many.`);
  if (name !== undefined && !NAME.test(name))
    throw new UsageError(`${name} cannot be the name of an agent: a to z, 0 to 9, and . _ - between them.`);
  if (program !== undefined) return { name: name ?? "agent", command: program, args };
  if (name === undefined)
    throw new UsageError(`Say which agent: ${Object.keys(KNOWN).join(", ")}, or -- and a command.`);
  return knownAgent(name);
}

export function oneOf<T extends string>(value: string | undefined, option: string, choices: [T, ...T[]]): T {
  if (value === undefined) return choices[0];
  const chosen = choices.find((choice) => choice === value);
  if (!chosen) throw new UsageError(`${option} is ${choices.join(", ")}.`);
  return chosen;
}

export function minutes(value: string | undefined, option: string, otherwise: number): number {
  const given = toNumber(value, option, { min: 0 }) ?? otherwise;
  return given === 0 ? Number.POSITIVE_INFINITY : given * 60_000;
}
