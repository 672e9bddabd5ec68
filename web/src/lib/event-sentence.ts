import { visibleName } from "@/session/markdown/visible.ts";

const text = (value: unknown) => visibleName(typeof value === "string" ? value : String(value ?? ""));

/** What a system message says: who, and what. */
export function eventSentence(content: Record<string, unknown>): string {
  switch (content.event) {
    case "team_joined":
      return `${text(content.team)} joined${content.guest ? " as a guest" : ""}`;
    case "team_left":
      return `${text(content.team)} left`;
    case "session_metadata_updated":
      return `${text(content.by)} changed the ${Object.keys(content.changes ?? {}).join(" and ")}`;
    case "session_concluded":
      return `${text(content.by)} concluded the session`;
    case "session_access_updated":
      return `${text(content.by)} changed the ${Object.keys(content.changes ?? {}).join(" and ")}`;
    case "session_paused":
      return `${text(content.by)} paused the session`;
    case "session_unpaused":
      return `${text(content.by)} let the session go on`;
    case "team_removed":
      return `${text(content.by)} removed ${text(content.team)}`;
    case "ask_expired":
      return `Nobody answered #${text(content.cursor)} in time${content.answer ? `: the answer is “${text(content.answer)}”` : ""}`;
    case "question_withdrawn":
      return `${text(content.by)} withdrew question #${text(content.cursor)}`;
    default:
      return text(content.event).replaceAll("_", " ");
  }
}
