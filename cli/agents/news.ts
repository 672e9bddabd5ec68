import type { Answer } from "../connection/api.ts";
import { UsageError } from "../errors.ts";
import type { Team } from "../team/teams.ts";
import { whichTeam } from "../team/which-team.ts";
import { Table } from "./table.ts";
import { Unheard } from "./wake.ts";

/** The team of this folder, if there is one. */
export function teamHere(): Team | undefined {
  try {
    return whichTeam({});
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}

/** Blocks until something is said that concerns the team: that, and what came before it. Nothing: it was given up. */
export async function newsFor(team: Team, plainAt: number, signal: AbortSignal): Promise<Answer[]> {
  const table = new Table(team, "hook");
  const unheard = new Unheard(team.handle, "addressed", plainAt);
  let heard = team.cursor;
  while (!signal.aborted) {
    const due = unheard.dueAt(Date.now());
    if (due !== undefined && due <= Date.now()) return unheard.take(Date.now());
    const seconds = due === undefined ? undefined : Math.ceil((due - Date.now()) / 1_000);
    const news = await table.wait(heard, signal, seconds);
    heard = news.next_cursor;
    unheard.add(news.messages);
    if (news.session_closed) return unheard.take(Date.now());
  }
  return [];
}
