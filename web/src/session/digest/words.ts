import { count } from "../format.ts";
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
};

export const eventWords = (event: string) => EVENTS[event] ?? event.replaceAll("_", " ");

/** Versions that one team wrote in a row, as one. */
export function foldRuns(changes: Digest["docChanges"]) {
  const runs: { handle: string; first: number; last: number; bytes: number }[] = [];
  for (const { handle, version, bytes } of changes) {
    const run = runs.at(-1);
    if (run?.handle === handle && run.last === version - 1) {
      run.last = version;
      run.bytes += bytes;
    } else runs.push({ handle, first: version, last: version, bytes });
  }
  return runs;
}

export const versionWords = (first: number, last: number) =>
  first === last ? `v${last}` : `${count(last - first + 1)} versions, v${first}–v${last}`;
