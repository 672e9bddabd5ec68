import type { Message, Participant } from "../queries.ts";

export type Receipt = "read" | "received" | "joined later" | "not yet";

/**
 * How far each of the other teams has come with a message; teams that left without it no longer count. It follows from the
 * roster, so no message is read again when a team has read on.
 */
export function receiptsOf({ sequence, postedAt, postedBy }: Message, roster: readonly Participant[]) {
  return roster
    .filter(({ handle, leftAt, cursor }) => handle !== postedBy?.handle && (!leftAt || cursor >= sequence))
    .map((team) => ({ team, receipt: receiptOf(team, sequence, postedAt) }));
}

function receiptOf({ ackedCursor, cursor, joinedAt }: Participant, sequence: number, postedAt: string): Receipt {
  if (ackedCursor >= sequence) return "read";
  if (cursor < sequence) return "not yet";
  // Joining starts at the end of the feed: what was said before counts as behind the team, not as delivered.
  return Date.parse(joinedAt) > Date.parse(postedAt) ? "joined later" : "received";
}
