import { Refusal, Trouble } from "../../errors.ts";

/** How a run ended. */
export interface Outcome {
  how: "concluded" | "idle" | "stopped" | "done" | "limit" | "failed";
  why: string;
}

export const CONCLUDED: Outcome = { how: "concluded", why: "The session is concluded." };

/** The end that the server's no is, if it is one: the session is over, or the team sits there no more. */
export function endBy(error: unknown): Outcome | undefined {
  if (!(error instanceof Refusal)) return undefined;
  if (error.code === "session_closed") return CONCLUDED;
  if (![401, 404].includes(error.status)) return undefined;
  return { how: "stopped", why: `It is no longer at the table: ${error.message}` };
}

/** The end that any trouble is. A defect of ours is none: it is thrown on. */
export function outcomeOf(error: unknown): Outcome {
  const end = endBy(error);
  if (end) return end;
  if (error instanceof Trouble) return { how: "failed", why: error.message };
  throw error;
}

/** Who told it to end has told why, or just wants it to. */
export const endBySignal = ({ reason }: AbortSignal): Outcome =>
  reason instanceof Trouble ? { how: "failed", why: reason.message } : { how: "stopped", why: "It was asked to stop." };
