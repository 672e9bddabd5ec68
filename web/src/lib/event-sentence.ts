import { visibleName } from "../session/markdown/visible.ts";

const text = (value: unknown) => visibleName(typeof value === "string" ? value : String(value ?? ""));

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

const task = ({ task, title }: Record<string, unknown>) => `task ${text(task)}, ${text(title)}`;

const names = (value: unknown) => {
  const all = list(value).map(text);
  const last = all.length > 3 ? `${all.length - 3} more` : all.at(-1);
  return [all.slice(0, Math.min(3, all.length - 1)).join(", "), last].filter(Boolean).join(" and ");
};

function tasksAdded(value: unknown): string {
  const tasks = list(value) as Record<string, unknown>[];
  const [only] = tasks;
  return tasks.length === 1 && only ? task(only) : `${tasks.length} tasks: ${names(tasks.map(({ title }) => title))}`;
}

/** Several teams that came, or went, one after the other. */
export function comingsSentence(contents: readonly Record<string, unknown>[]): string {
  const teams = contents.map(({ team }) => team);
  return `${names(teams)} ${contents[0]?.event === "team_left" ? "left" : "joined"}`;
}

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
    case "child_spawned":
      return `${text(content.by)} spawned ${text(content.ref)}: ${text(content.title)}`;
    case "child_concluded":
      return `${text(content.ref)} (${text(content.title)}) was concluded`;
    case "team_interrupted":
      return `${text(content.by)} interrupted ${text(content.team)}`;
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
    case "tasks_added":
      return `${text(content.by)} added ${tasksAdded(content.tasks)}`;
    case "task_claimed":
      return `${text(content.by)} took ${task(content)}`;
    case "task_freed":
      return `${task(content)} is free again`;
    case "task_blocked":
      return `${text(content.by)} is stuck at ${task(content)}`;
    case "task_done":
      return `${text(content.by)} finished ${task(content)}${content.result ? `: ${text(content.result)}` : ""}`;
    case "task_dropped":
      return `${text(content.by)} dropped ${task(content)}`;
    case "task_verified":
      return `${text(content.by)} ${content.passed ? "verified" : "refuted"} ${task(content)}`;
    case "paths_overlap":
      return `${names(content.teams)} are ${list(content.teams).length > 2 ? "all" : "both"} at ${names(content.paths)}`;
    case "run_ended":
      return `The agent of ${text(content.team)} ${content.status === "lost" ? "was lost" : "has failed"}`;
    case "run_limited":
      return `The agent of ${text(content.team)} has reached a limit`;
    default:
      return text(content.event).replaceAll("_", " ");
  }
}
