import { command, WHO, WHO_HELP } from "../command.ts";
import { call } from "../connection/api.ts";
import { UsageError } from "../errors.ts";
import { branchOf, git, headOf } from "../git.ts";
import { refAndText } from "../input.ts";
import { json, note, print } from "../output.ts";
import type { Team } from "../team/teams.ts";
import { whichTeam } from "../team/which-team.ts";
import { pathOf, refAndTask, showTask } from "./tasks.ts";

export const done = command({
  help: `parley done [ref] [n] "result" | -: say what came of task n, or of the one that you hold; - reads it from stdin.

  --blocked           it is not done: this stands in its way
  --open              give it back; needs no result
  --dropped           it need not be done
  --commit <sha>      what it was done with; default: HEAD of this repository, if all is committed
${WHO_HELP}`,
  options: {
    ...WHO,
    blocked: { type: "boolean" },
    open: { type: "boolean" },
    dropped: { type: "boolean" },
    commit: { type: "string" },
  },
  async run(values, positionals) {
    const status = (["blocked", "open", "dropped"] as const).find((word) => values[word]) ?? "done";
    const needed = status === "done" || status === "blocked";
    const { ref, task, rest } = refAndTask(withoutText(positionals, needed));
    if (rest.length > 0) throw new UsageError(`${rest[0]} is one word too many.`);
    const result = await textOf(positionals, needed);
    const team = whichTeam({ ref, ...values });
    const number = task ?? (await onlyTask(team));
    const evidence = status === "done" ? evidenceOf(values.commit) : undefined;
    const args = { status, result, evidence };
    const changed = await call(team.url, pathOf(team, `/${number}`), { teamId: team.team_id, args });
    await print(values.json ? json(changed) : showTask(changed));
  },
});

const isText = (word: string | undefined, needed: boolean) =>
  word !== undefined && (needed || /\s/.test(word) || word === "-");

/** The last word is what came of it; where none is needed, only if it looks like a text. */
const withoutText = (positionals: string[], needed: boolean) =>
  isText(positionals.at(-1), needed) ? positionals.slice(0, -1) : positionals;

async function textOf(positionals: string[], needed: boolean): Promise<string | undefined> {
  const last = positionals.at(-1);
  if (!isText(last, needed)) {
    if (needed) throw new UsageError("Say what came of it, in quotes, or - to read it from stdin.");
    return undefined;
  }
  return (await refAndText([last as string], "result")).text;
}

async function onlyTask(team: Team): Promise<number> {
  const { tasks } = await call(team.url, pathOf(team), { method: "GET", teamId: team.team_id, args: { mine: true } });
  if (tasks.length === 1) return tasks[0].task;
  const held = tasks.map(({ task }: { task: number }) => task).join(", ");
  throw new UsageError(tasks.length === 0 ? "You hold no task: say which one." : `You hold ${held}: say which one.`);
}

/** The commit that others can look at. What is not committed they cannot see. */
function evidenceOf(commit: string | undefined) {
  const head = commit ?? headOf();
  if (head === undefined) return undefined;
  if (commit === undefined && git(["status", "--porcelain", "--untracked-files=no"]) !== "") {
    note("There is something that is not committed, so no commit is named: commit it, or say --commit.");
    return undefined;
  }
  return [{ kind: "commit", commit: head, branch: branchOf() }];
}
