import { command, WHO, WHO_HELP } from "../command.ts";
import { type Answer, call } from "../connection/api.ts";
import { onlyRef } from "../input.ts";
import { block, json, line, print } from "../output.ts";
import { whichTeam } from "../team/which-team.ts";

export const whoami = command({
  help: `parley whoami [ref]: who you are, in which session, what is unread, which questions wait for you.

${WHO_HELP}`,
  options: WHO,
  async run(values, positionals) {
    const team = whichTeam({ ref: onlyRef(positionals), ...values });
    const me = await call(team.url, "/whoami", { method: "GET", teamId: team.team_id });
    await print(values.json ? json(me) : describe(me, team.url));
  },
});

function describe(me: Answer, url: string): string {
  return [
    `${me.handle} in ${me.ref} "${line(me.title)}" (${me.status}) at ${url}`,
    me.description && `What it is for: ${block(me.description)}`,
    `cursor ${me.cursor} of ${me.last_cursor}, unread: ${me.unread}, document version ${me.doc_version}`,
    me.work && `tasks: ${describeWork(me.work)}${me.tasks ? `; yours: ${me.tasks.join(", ")}` : ""}`,
    ...me.open_questions.map((question: Answer) => `open: ${showNote(question)}`),
  ]
    .filter(Boolean)
    .join("\n");
}

const describeWork = (work: Record<string, number>) =>
  Object.entries(work)
    .filter(([, count]) => count > 0)
    .map(([status, count]) => `${count} ${status}`)
    .join(", ");

export const showNote = ({ cursor, handle, to, text }: Answer) =>
  `#${cursor} ${handle}${to ? ` → ${to.join(", ")}` : ""}: ${block(text)}`;
