import type { Address } from "../connection/address.ts";
import { call, reason } from "../connection/api.ts";
import { Refusal } from "../errors.ts";
import { interruption } from "../interrupt.ts";
import { readTeams } from "../team/teams.ts";
import type { Finding } from "./checks.ts";

interface Listener {
  session_id: string;
  team_id: string;
  /** Waiting for a reply to this one leaves the team's cursor and its unread messages as they are. */
  newest: number;
}

/** Whether a wait comes through whole: proxies like to cut what is silent, or to keep the first bytes back. */
export async function checkWait({ base }: Address, seconds: number, deep: boolean): Promise<Finding> {
  try {
    if (deep) return await inOwnSession(base, (listener, signal) => hold(base, listener, seconds, signal));
    const listener = await joinedTeam(base);
    if (listener) return await hold(base, listener, seconds);
  } catch (error) {
    const why = error instanceof Refusal ? `${error.code}: ${error.message}` : (error as Error).message;
    return { ok: false, text: `a wait could not be tried: ${why}` };
  }
  const text = `a wait of ${seconds} s was not tried: no open session was joined from this folder`;
  return { ok: undefined, text, todo: "--deep tries it in a session of its own" };
}

async function hold(base: string, listener: Listener, seconds: number, stop?: AbortSignal): Promise<Finding> {
  const { session_id: session, team_id: teamId, newest } = listener;
  const path = newest > 0 ? `messages/${newest}/replies?` : "messages/wait?since_cursor=0&";
  const wanted = `a wait of ${seconds} s`;
  const began = Date.now();
  const after = () => `${((Date.now() - began) / 1_000).toFixed(1)} s`;
  const late = AbortSignal.timeout(seconds * 1_000 + 15_000);
  try {
    const response = await fetch(`${base}/api/sessions/${session}/${path}timeout=${seconds}`, {
      headers: { "x-team-id": teamId, accept: "text/event-stream" },
      signal: stop ? AbortSignal.any([stop, late]) : late,
    });
    let text = "";
    let firstByteMs = Number.POSITIVE_INFINITY;
    const decoder = new TextDecoder();
    for await (const part of response.body ?? []) {
      firstByteMs = Math.min(firstByteMs, Date.now() - began);
      text += decoder.decode(part as Uint8Array, { stream: true });
    }
    const answer = /(?:^|\n)event: result\ndata: ([^\n]*)\n/.exec(text)?.[1];
    if (answer === undefined) {
      const todo = `Something on the way cuts silent connections: raise its read timeout to more than ${seconds} s`;
      return { ok: false, text: `${wanted} was broken off after ${after()}`, todo };
    }
    if (JSON.parse(answer).messages.length > 0) {
      return { ok: undefined, text: `${wanted} ended early: somebody spoke`, todo: "Try again, or with --deep" };
    }
    const todo = "Something on the way keeps the stream back: switch off its response buffering";
    const early = Date.now() - began - firstByteMs > seconds * 250;
    return early
      ? { ok: true, text: `${wanted} survives the way there and back` }
      : { ok: false, text: `${wanted} survives, but its first byte came after ${firstByteMs} ms`, todo };
  } catch (error) {
    const todo = "Something on the way cuts silent connections, or the server was stopped";
    return { ok: false, text: `${wanted} was broken off after ${after()} (${reason(error)})`, todo };
  }
}

async function joinedTeam(base: string): Promise<Listener | undefined> {
  const here = readTeams().filter((team) => team.url === base && team.folder === process.cwd());
  for (const team of here.reverse()) {
    const me = await call(base, "/whoami", { method: "GET", teamId: team.team_id }).catch(() => undefined);
    if (me?.status === "active") return { ...team, newest: me.last_cursor };
  }
  return undefined;
}

async function inOwnSession<T>(
  base: string,
  work: (listener: Listener, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const signal = interruption();
  const description = "Somebody looked whether a long wait comes through. Nothing to see here.";
  const args = { title: "parley doctor", description, creator_team_name: "parley doctor" };
  const session = await call(base, "/sessions", { args });
  try {
    return await work({ ...session, newest: 0 }, signal);
  } finally {
    const summary = { summary_section: "The wait was tried." };
    await call(base, `/sessions/${session.session_id}/conclude`, { teamId: session.team_id, args: summary });
  }
}
