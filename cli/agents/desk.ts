import type { RequestPermissionRequest } from "@agentclientprotocol/sdk";
import type { Refusal } from "../errors.ts";
import type { Outcome } from "./run/outcome.ts";
import type { TurnEvent } from "./turn.ts";

/** What somebody wants of the agent. */
export interface Order {
  order: number;
  kind: "prompt" | "interrupt" | "stop" | "permission";
  /** Of a prompt. */
  text?: string;
  by?: string;
}

/** What is new about a run. */
export interface Change {
  status?: "starting" | "working" | "waiting" | "asking";
  turn_cursor?: number;
  worktree?: unknown;
  usage?: { tokens: number; cost: number; turns: number };
  orders_done?: number[];
  error?: string;
}

/** The run as the server knows it: what is told about it, and what is asked of it. */
export interface Desk {
  onOrder: (order: Order) => void;
  /** The team sits there no more, or the session is gone: what it does now is for nobody. */
  onGone: (error: Refusal) => void;
  /** Why the next turn may not begin, if it may not: by all that was told. */
  whyNoTurn(): Promise<string | undefined>;
  /** Sent in order, as soon as can be; nobody waits for it. */
  tell(change: Change): void;
  event(event: TurnEvent): void;
  /** The option that somebody chose; undefined: nobody answered in time. */
  ask(request: RequestPermissionRequest, signal: AbortSignal): Promise<string | undefined>;
  end(outcome: Outcome): Promise<void>;
}
