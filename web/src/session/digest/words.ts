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
  return parts.filter(Boolean).join(", ") || "silent so far";
}

/** By how much a version is longer or shorter than the one before. */
export function bytesWord(bytes: number): string {
  if (bytes === 0) return "same size";
  const size =
    Math.abs(bytes) < 10_000 ? `${count(Math.abs(bytes))} bytes` : `${count(Math.round(Math.abs(bytes) / 1_000))} kB`;
  return bytes > 0 ? `+ ${size}` : `− ${size}`;
}

const EVENTS: Record<string, string> = {
  team_joined: "joined",
  team_left: "left",
  session_metadata_updated: "changed title or description",
  session_concluded: "concluded the session",
};

export const eventWords = (event: string, handle: string | null) =>
  `${handle ?? "The server"} ${EVENTS[event] ?? event.replaceAll("_", " ")}`;
