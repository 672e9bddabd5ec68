import { visibleName } from "@/session/markdown/visible.ts";

const text = (value: unknown) => visibleName(typeof value === "string" ? value : String(value ?? ""));

/** What a system message says: who, and what. */
export function eventSentence(content: Record<string, unknown>): string {
  switch (content.event) {
    case "team_joined":
      return `${text(content.team)} joined`;
    case "team_left":
      return `${text(content.team)} left`;
    case "session_metadata_updated":
      return `${text(content.by)} changed the ${Object.keys(content.changes ?? {}).join(" and ")}`;
    case "session_concluded":
      return `${text(content.by)} concluded the session`;
    case "child_spawned":
      return `${text(content.by)} spawned ${text(content.ref)}: ${text(content.title)}`;
    case "child_concluded":
      return `${text(content.ref)} (${text(content.title)}) was concluded`;
    case "team_interrupted":
      return `${text(content.by)} interrupted ${text(content.team)}`;
    case "question_withdrawn":
      return `${text(content.by)} withdrew question #${text(content.cursor)}`;
    default:
      return text(content.event).replaceAll("_", " ");
  }
}
