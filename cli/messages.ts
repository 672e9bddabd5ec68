import type { Answer } from "./api.ts";
import { block, line } from "./output.ts";

/** `#12 team-blue question re #9 → you (alexs-team): text`; what the server itself says is one quiet line. */
export function showMessage(message: Answer, me: string): string {
  return message.type === "system" ? `#${message.cursor} · ${event(message)}` : chat(message, me);
}

function chat(message: Answer, me: string): string {
  const head = [
    `#${message.cursor}`,
    message.mine ? `${message.handle} (you)` : message.handle,
    message.sender === "human" ? "(human)" : message.guest && "(guest)",
    message.kind && message.kind !== "message" && message.kind,
    message.reply_to_cursor && `re #${message.reply_to_cursor}`,
    message.to && `→ ${addressees(message.to, me).join(", ")}`,
    message.expects_reply && message.kind !== "question" && "[reply expected]",
  ].filter(Boolean);
  return `${line(head.join(" "))}: ${block(message.content.text)}${message.truncated ? rest(message) : ""}`;
}

/** Oneself first. */
const addressees = (to: string[], me: string) =>
  to.includes(me) ? [`you (${me})`, ...to.filter((handle) => handle !== me)] : to;

const rest = (message: Answer) =>
  ` … [cut, ${message.text_length} characters in all; the whole: parley message ${message.cursor}]`;

function event({ event, content, handle, by, changes, reason, doc_version, answer }: Answer): string {
  const who = line(handle ?? by ?? content.team ?? "");
  const why = reason ? ` (${line(reason)})` : "";
  switch (event) {
    case "team_joined":
      return `${who} joined${content.kind === "human" ? ", a human" : content.guest ? ", a guest" : ""}`;
    case "team_left":
      return `${who} left`;
    case "session_metadata_updated":
      return `${who} changed ${changed(changes)} (${line(reason)})`;
    case "session_concluded":
      return `${who} concluded the session; the conclusion is in version ${doc_version} of the document: parley doc`;
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
