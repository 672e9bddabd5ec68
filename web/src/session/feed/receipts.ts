import type { Message, Participant } from "../queries.ts";

export type Receipt = "read" | "received" | "joined later" | "not yet";

/**
 * How far each of the other teams has come with a message; teams that left without it no longer count. It follows from the
 * roster, so no message is read again when a team has read on.
 */
export function receiptsOf({ sequence, postedBy }: Message, roster: readonly Participant[]) {
  return roster
    .filter(({ handle, leftAt, cursor }) => handle !== postedBy?.handle && (!leftAt || cursor >= sequence))
    .map((team) => ({ team, receipt: receiptOf(team, sequence) }));
}

function receiptOf({ ackedCursor, cursor, startedFrom }: Participant, sequence: number): Receipt {
  // What was said before a team joined counts as behind it, not as delivered, whatever it has read since.
  if (startedFrom >= sequence) return "joined later";
  if (ackedCursor >= sequence) return "read";
  return cursor < sequence ? "not yet" : "received";
}
