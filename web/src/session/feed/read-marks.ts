import { recall, remember } from "../remembered.ts";

const keyOf = (sessionId: string) => `parley.read.${sessionId}`;

/** The last message that was seen here before, or nothing on a first visit. */
export function lastRead(sessionId: string): number | undefined {
  const kept = Number(recall(keyOf(sessionId)) ?? Number.NaN);
  return Number.isInteger(kept) ? kept : undefined;
}

export function markRead(sessionId: string, sequence: number) {
  if (sequence > (lastRead(sessionId) ?? -1)) remember(keyOf(sessionId), String(sequence));
}
