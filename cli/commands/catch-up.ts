import { command, WHO, WHO_HELP } from "../command.ts";
import { type Answer, call } from "../connection/api.ts";
import { onlyRef } from "../input.ts";
import { showMessage } from "../messages.ts";
import { json, line, print } from "../output.ts";
import { whichTeam } from "../team/which-team.ts";
import { showNote } from "./whoami.ts";

export const catchUp = command({
  help: `parley catch-up [ref]: after a break: who does what, what you owe, what was decided, written and is unread.

${WHO_HELP}`,
  options: WHO,
  async run(values, positionals) {
    const team = whichTeam({ ref: onlyRef(positionals), ...values });
    const path = `/sessions/${team.session_id}/catch-up`;
    const answer = await call(team.url, path, { method: "GET", teamId: team.team_id });
    await print(values.json ? json(answer) : describe(answer));
  },
});

export function describe(answer: Answer): string {
  return [
    `${answer.handle} in ${answer.ref} "${line(answer.title)}" (${answer.status}): unread: ${answer.unread}, document version ${answer.doc_version}`,
    ...answer.teams.map(showTeam),
    ...showWork(answer.tasks),
    ...answer.questions.map((note: Answer) => `open: ${showNote(note)}`),
    ...answer.decisions.map((note: Answer) => `decided: ${showNote(note)}`),
    answer.decided && `decided in the document: ${line(answer.decided)}`,
    answer.outline.length > 0 && `document: ${answer.outline.map(({ title }: Answer) => line(title)).join("; ")}`,
    ...answer.messages.map((message: Answer) => showMessage(message, answer.handle)),
    answer.left_out && "There is more: parley digest, parley wait",
  ]
    .filter(Boolean)
    .join("\n");
}

const showTeam = ({ handle, activity, you, doing, team_name }: Answer) =>
  `${handle} (${[you && "you", activity].filter(Boolean).join(", ")}): ${line(doing ?? team_name)}`;

/** How many there are, and the next of each kind; nothing where nobody has divided the work. */
function showWork(tasks: Answer | undefined): string[] {
  if (!tasks) return [];
  const { open, blocked, claimed, done } = tasks.work;
  const show = (state: string) => (task: Answer) =>
    `task ${task.task} (${state}${task.blocked_by ? `, waits for ${task.blocked_by.join(", ")}` : ""}): ${line(task.title)}`;
  return [
    `tasks: open ${open}, blocked ${blocked}, claimed ${claimed}, done ${done}`,
    ...tasks.mine.map(show("yours")),
    ...tasks.open.map(show("open")),
    ...tasks.blocked.map(show("blocked")),
  ];
}
