import type { Answer } from "./connection/api.ts";
import { block, line, safe } from "./output.ts";

/** Where the reader finds the whole of a text that was cut, what was said before, and the document. */
export const HINTS = {
  message: (cursor: number) => `parley message ${cursor}`,
  history: "parley history",
  doc: "parley doc",
};
export type Hints = typeof HINTS;

/** `#12 team-blue question re #9 → you (alexs-team): text`; what the server itself says is one quiet line. */
export function showMessage(message: Answer, me: string, hints: Hints = HINTS): string {
  return safe(message.type === "system" ? `#${message.cursor} · ${event(message, hints)}` : chat(message, me, hints));
}

function chat(message: Answer, me: string, hints: Hints): string {
  const head = [
    `#${message.cursor}`,
    message.mine ? `${message.handle} (you)` : message.handle,
    message.sender === "human" ? "(human)" : message.guest && "(guest)",
    message.kind && message.kind !== "message" && message.kind,
    message.reply_to_cursor && `re #${message.reply_to_cursor}`,
    message.to && `→ ${addressees(message.to, me).join(", ")}`,
    message.expects_reply && message.kind !== "question" && "[reply expected]",
  ].filter(Boolean);
  return `${line(head.join(" "))}: ${block(message.content.text)}${message.truncated ? rest(message, hints) : ""}`;
}

/** Oneself first. */
const addressees = (to: string[], me: string) =>
  to.includes(me) ? [`you (${me})`, ...to.filter((handle) => handle !== me)] : to;

const rest = (message: Answer, hints: Hints) =>
  ` … [cut, ${message.text_length} characters in all; the whole: ${hints.message(message.cursor)}]`;

function event(message: Answer, hints: Hints): string {
  const { event, content, handle, by, changes, reason, doc_version, ref, title, conclusion, answer, ...fields } =
    message;
  const who = line(handle ?? by ?? content.team ?? "");
  const why = reason ? ` (${line(reason)})` : "";
  const task = `task ${fields.task}, ${line(title ?? "")}`;
  switch (event) {
    case "team_joined":
      return `${who} joined${content.kind === "human" ? ", a human" : content.guest ? ", a guest" : ""}`;
    case "team_left":
      return `${who} left`;
    case "session_metadata_updated":
      return `${who} changed ${changed(changes)} (${line(reason)})`;
    case "session_concluded":
      return `${who} concluded the session; the conclusion is in version ${doc_version} of the document: ${hints.doc}`;
    case "child_spawned":
      return `${who} spawned ${line(ref)}: ${line(title)}`;
    case "child_concluded":
      return `${line(ref)} (${line(title)}) was concluded: ${block(conclusion ?? "")}`;
    case "team_interrupted":
      return `${who} was interrupted by ${line(by)}: ${line(reason)}`;
    case "question_withdrawn":
      return `${who} withdrew question #${content.cursor}`;
    case "tasks_added":
      return `${who} added ${fields.tasks.map((added: Answer) => `${added.task} ${line(added.title)}`).join("; ")}`;
    case "task_claimed":
      return `${who} took ${task}`;
    case "task_freed":
      return `${task} is free again (${line([content.reason, content.from].filter(Boolean).join(", "))})`;
    case "task_blocked":
      return `${who} is stuck at ${task}${reason ? `: ${line(reason)}` : ""}`;
    case "task_done":
      return `${who} finished ${task}: ${line(fields.result ?? "")}`;
    case "task_dropped":
      return `${who} dropped ${task}`;
    case "task_verified":
      return `${who} ${fields.passed ? "verified" : "refuted"} ${task}`;
    case "paths_overlap":
      return `${line(fields.teams.join(" and "))} are both at ${line(fields.paths.join(", "))}`;
    case "session_access_updated":
      return `${who} changed ${changed(changes)}`;
    case "session_paused":
      return `${who} paused the session${why}: agents do not write until it goes on`;
    case "session_unpaused":
      return `${who} let the session go on`;
    case "team_removed":
      return `${who} was removed by ${line(by)}${why}`;
    case "ask_expired":
      return `nobody answered #${content.cursor} in time${answer ? `; the answer is "${line(answer)}"` : ""}`;
    default:
      return line(`${event} ${JSON.stringify(content)}`);
  }
}

const changed = (changes: Record<string, { from: string; to: string }>) =>
  Object.entries(changes)
    .map(([name, { to }]) => `the ${name} to "${line(to)}"`)
    .join(" and ");
