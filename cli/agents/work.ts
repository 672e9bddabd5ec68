import { Agent } from "./acp.ts";
import type { RunOptions } from "./run/options.ts";
import type { Outcome } from "./run/outcome.ts";
import { Run } from "./run/run.ts";
import { ServerDesk } from "./server-desk.ts";
import { Table } from "./table.ts";

/** A run from its first turn to its end, and out of the room. */
export async function work(options: Omit<RunOptions, "table" | "desk" | "start">): Promise<Outcome> {
  const { state, store, screen } = options;
  const table = new Table(state);
  let isAway = false;
  table.onTrouble = (error) => {
    if (isAway !== Boolean(error)) screen.note(error ? `${error.message} Still trying.` : "The server is back.");
    isAway = Boolean(error);
  };
  const outcome = await new Run({ ...options, start: Agent.start, table, desk: new ServerDesk(state, table) }).go();
  // A concluded session is left by itself; and who fails or stops frees what it holds.
  if (outcome.how !== "concluded") await table.leave().catch(() => undefined);
  store.remove();
  return outcome;
}
