import type { Agent } from "../acp.ts";
import type { Desk } from "../desk.ts";
import type { AgentCommand } from "../known.ts";
import type { Limits } from "../limits.ts";
import type { Permissions } from "../permission.ts";
import type { Screen } from "../screen.ts";
import type { RunState, Store } from "../state.ts";
import type { Table } from "../table.ts";
import type { Wake } from "../wake.ts";

export type Voice = "tools" | "all" | "none";

export interface RunOptions {
  command: AgentCommand;
  state: RunState;
  store: Store;
  table: Place;
  desk: Desk;
  start: (options: Parameters<typeof Agent.start>[0]) => Promise<Seated>;
  screen: Screen;
  /** Aborted: it stops politely. */
  signal: AbortSignal;
  wake: Wake;
  voice: Voice;
  permissions: Permissions;
  limits: Limits;
  /** Whether it takes one task after another. */
  tasks: boolean;
  idleMs: number;
  /** After how long without a turn its process is ended until the next one, if it can remember. */
  dozeMs: number;
  /** How long a turn may go on without a sign of life. */
  patienceMs: number;
  /** Whether a provider's quota that ran out is waited out. */
  park: boolean;
}

/** What a run asks of the session, and of the agent's process. */
export type Place = Pick<
  Table,
  "onInterrupt" | "hurry" | "wait" | "confirm" | "latest" | "between" | "post" | "claim" | "task" | "lines"
>;
export type Seated = Pick<
  Agent,
  "title" | "conversation" | "remembers" | "canRemember" | "prompt" | "cancel" | "close" | "kill"
>;
