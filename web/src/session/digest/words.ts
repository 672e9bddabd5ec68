import { count } from "../format.ts";
import { visibleName } from "../markdown/visible.ts";
import type { Digest } from "./use-digest.ts";

const some = (n: number, one: string, many = `${one}s`) => (n > 0 ? `${count(n)} ${n === 1 ? one : many}` : undefined);

/** "12 messages, 2 questions, 1 document change". */
export function countWords(team: Digest["teams"][number]): string {
  const parts = [
    some(team.messages, "message"),
    some(team.questions, "question"),
    some(team.answers, "answer"),
    some(team.decisions, "decision"),
    some(team.docChanges, "document change"),
  ];
  return parts.filter(Boolean).join(", ") || "said nothing";
}

/** By how much a version is longer or shorter than the one before. */
export function bytesWord(bytes: number): string {
  if (bytes === 0) return "";
  const size =
    Math.abs(bytes) < 10_000 ? `${count(Math.abs(bytes))} bytes` : `${count(Math.round(Math.abs(bytes) / 1_000))} kB`;
  return bytes > 0 ? `+ ${size}` : `− ${size}`;
}

const EVENTS: Record<string, string> = {
  team_joined: "joined",
  team_left: "left",
  session_metadata_updated: "changed title or description",
  session_access_updated: "changed who sees or writes",
  session_paused: "paused the session",
  session_unpaused: "let the session go on",
  team_removed: "was removed",
  question_withdrawn: "withdrew a question",
  ask_expired: "a question to people expired",
  session_concluded: "concluded the session",
  child_spawned: "spawned a session",
  child_concluded: "told that a spawned session was concluded",
  team_interrupted: "was interrupted",
  tasks_added: "added tasks",
  task_claimed: "took a task",
  task_freed: "freed a task",
  task_blocked: "is stuck at a task",
  task_done: "finished a task",
  task_dropped: "dropped a task",
  task_verified: "looked at a finished task",
  paths_overlap: "is at the same paths as another team",
};

export const eventWords = (event: string) => EVENTS[event] ?? event.replaceAll("_", " ");

/** Versions that one team wrote in a row, as one, with the sections that they changed. */
export function foldRuns(changes: Digest["docChanges"]) {
  const runs: { handle: string; first: number; last: number; bytes: number; sections: Set<string> }[] = [];
  for (const { handle, version, bytes, sections } of changes) {
    const run = runs.at(-1);
    if (run?.handle === handle && run.last === version - 1) {
      run.last = version;
      run.bytes += bytes;
      for (const section of sections ?? []) run.sections.add(section);
    } else runs.push({ handle, first: version, last: version, bytes, sections: new Set(sections) });
  }
  return runs;
}

const MOST_SECTIONS = 4;

/** "Goals, Decisions and 3 more". */
export function sectionWords(sections: Set<string>): string {
  const named = [...sections].slice(0, MOST_SECTIONS).map(visibleName).join(", ");
  return sections.size > MOST_SECTIONS ? `${named} and ${count(sections.size - MOST_SECTIONS)} more` : named;
}

export const versionWords = (first: number, last: number) =>
  first === last ? `v${last}` : `${count(last - first + 1)} versions, v${first}–v${last}`;
