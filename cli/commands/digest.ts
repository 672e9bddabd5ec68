import { command, WHO, WHO_HELP } from "../command.ts";
import { type Answer, call } from "../connection/api.ts";
import { onlyRef, toNumber } from "../input.ts";
import { json, line, print } from "../output.ts";
import { whichTeam } from "../team/which-team.ts";
import { showNote } from "./whoami.ts";

export const digest = command({
  help: `parley digest [ref]: the session in short: who did what, open questions, decisions.

  --since <n>         only what came after message n
${WHO_HELP}`,
  options: { ...WHO, since: { type: "string" } },
  async run(values, positionals) {
    const team = whichTeam({ ref: onlyRef(positionals), ...values });
    const args = { since_cursor: toNumber(values.since, "--since", { min: 0 }) };
    const path = `/sessions/${team.session_id}/digest`;
    const answer = await call(team.url, path, { method: "GET", teamId: team.team_id, args });
    await print(values.json ? json(answer) : describe(answer));
  },
});

function describe(digest: Answer): string {
  return [
    `#${digest.since_cursor + 1} to #${digest.through_cursor}: messages: ${digest.messages}, unread: ${digest.unread}`,
    ...digest.teams.map(team),
    ...digest.open_questions.map((note: Answer) => `open: ${showNote(note)}`),
    ...digest.decisions.map((note: Answer) => `decided: ${showNote(note)}`),
    ...digest.doc_changes.map(change),
    ...digest.events.map(({ cursor, event, handle }: Answer) => `#${cursor} · ${event} ${handle ?? ""}`.trimEnd()),
    ...(digest.omitted ? [`${digest.omitted} older entries are left out`] : []),
  ].join("\n");
}

/** What it did in numbers, and below that where it stands: its last status or, if it tells none, its last words. */
function team({ handle, activity, blocked, last_status, last_message, ...counts }: Answer): string {
  const did = ["messages", "questions", "answers", "decisions", "doc_changes"].filter((what) => counts[what] > 0);
  const head = `${handle} (${activity}): ${did.map((what) => `${what} ${counts[what]}`).join(", ") || "silent"}`;
  const last = last_status ?? last_message;
  const word = blocked ? "blocked" : last_status ? "status" : "last";
  return last ? `${head}\n  ${word} #${last.cursor}: ${line(last.text)}` : head;
}

function change({ version, handle, sections }: Answer): string {
  return `document: version ${version} by ${handle}${sections?.length ? `: ${sections.map(line).join(", ")}` : ""}`;
}
