import { ApiError } from "../verbs/errors.ts";
import type { Caller } from "./caller.ts";

/** What one team or person may hold at a time, from all addresses together; 0 is no limit. */
export interface ActorLimits {
  /** Calls that may wait. */
  waits: number;
  sockets: number;
  /** Of GraphQL, and streams of MCP. */
  subscriptions: number;
}

export type HeldThing = keyof ActorLimits;
/** Counts one in for everyone that the caller has shown, or throws; what it returns counts it out. */
export type Hold = (what: HeldThing, caller: Shown) => () => void;
type Shown = Pick<Caller, "teamHash" | "keyHash" | "cookieHash">;

/** Many teams come with one key. */
const KEY_TIMES = 10;
const HINTS: Record<HeldThing, [name: string, hint: string]> = {
  waits: ["calls that wait", "Let some of them end: one wait per team is enough."],
  sockets: ["WebSockets", "Close some: one carries many subscriptions."],
  subscriptions: ["subscriptions", "Complete some of them first."],
};

function tooMany(what: HeldThing, actor: string) {
  const [name, hint] = HINTS[what];
  const message = `Your ${actor} has too many ${name} open.`;
  return new ApiError(429, "rate_limited", message, { retry_after_seconds: 5, hint });
}

/** A secret is counted by its hash, whether or not it opens a door: a wrong one has a count of its own. */
export function createActorLimits(limits: ActorLimits, refuse: (error: ApiError) => never): Hold {
  const counts = new Map<string, number>();
  return (what, { teamHash, keyHash, cookieHash }) => {
    const leaves: (() => void)[] = [];
    const leave = () => {
      for (const leaveOne of leaves.splice(0)) leaveOne();
    };
    for (const [actor, secret, most] of [
      ["team", teamHash, limits[what]],
      ["account", cookieHash, limits[what]],
      ["key", keyHash, limits[what] * KEY_TIMES],
    ] as const) {
      if (!secret) continue;
      const left = enter(counts, `${what} ${secret}`, most || Number.POSITIVE_INFINITY);
      if (!left) {
        leave();
        return refuse(tooMany(what, actor));
      }
      leaves.push(left);
    }
    return leave;
  };
}

/** Counts one in; undefined where there are enough. What it returns counts it out, once. */
export function enter(counts: Map<string, number>, key: string, most: number): (() => void) | undefined {
  const count = (counts.get(key) ?? 0) + 1;
  if (count > most) return undefined;
  counts.set(key, count);
  return () => {
    const left = (counts.get(key) ?? 1) - 1;
    if (left > 0) counts.set(key, left);
    else counts.delete(key);
  };
}
