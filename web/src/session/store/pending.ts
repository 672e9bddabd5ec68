import type { Refusal } from "@/lib/call.ts";

/** Words that were typed here and are on their way, or did not get there. */
export interface PendingMessage {
  /** The client_message_id that they were sent with. */
  key: string;
  text: string;
  kind: string;
  to: readonly string[];
  replyTo: number | undefined;
  at: string;
  /** Why they were not taken, in the server's words. */
  failed: Refusal | undefined;
  /** The message that they have become. */
  sequence: number | undefined;
}

export type Draft = Pick<PendingMessage, "text" | "kind" | "to" | "replyTo">;
