import { randomUUID } from "node:crypto";
import type pg from "pg";
import type { Hold } from "../http/actor-limits.ts";
import type { Caller } from "../http/caller.ts";
import type { Heard } from "../live/answer-waits.ts";
import type { Events } from "../live/events.ts";
import type { WaitRoom } from "../live/wait.ts";
import { runBatch } from "../postgres/batch.ts";
import { type Query, withConnection } from "../postgres/database.ts";
import { readArguments } from "./arguments.ts";
import type { Callable, Verb } from "./catalogue.ts";
import { Lanes, laneOf } from "./lanes.ts";
import { createLines, writerOf } from "./lines.ts";
import { prune } from "./prune.ts";
import { type Form, type Ran, refusedArgument, statementOf } from "./statement.ts";
import { Together } from "./together.ts";

export interface CallOptions {
  signal?: AbortSignal;
  /** Told when the call begins to wait, after everything that could refuse it. */
  onWaiting?: () => void;
  /** What it answers with: JSON unless said otherwise, or lines to read. */
  form?: Form;
}

/** What a verb says that waits, as hold() in SQL puts it. */
interface Holding {
  topic: string;
  seconds: number;
  /** It is not answered for, but asked again: with other arguments where they say so, null for none. */
  again: boolean;
  changes?: Record<string, unknown>;
}

/** Writers of one session queue for its lock anyway; its readers leave half of the connections to the others. */
export const createLanes = (connections: number) => ({
  writes: new Lanes({ width: 1, queue: 200, total: 2_000, patienceMs: 15_000 }),
  reads: new Lanes({ width: Math.max(1, connections >> 1), queue: 2_000, total: 10_000, patienceMs: 15_000 }),
});

/** Calls verbs: one statement and one round trip each, in a transaction of its own or together with others. */
export function createCall(
  pool: pg.Pool,
  events: Events,
  room: WaitRoom,
  lanes = createLanes(pool.options.max ?? 10),
  hold: Hold = () => () => undefined,
) {
  const lines = createLines(pool);
  const together = new Together(pool, lanes.writes, (topics) => events.announce(topics));
  const alone = async (statement: Query): Promise<Ran> => {
    const [[ran]] = (await withConnection(pool, (client) => runBatch(client, [statement]))) as [[Ran]];
    if (ran[1]) events.announce(ran[1].split(","));
    return ran;
  };
  const run = (verb: Callable, args: Map<string, unknown>, caller: Caller, waitId: string, options: CallOptions) => {
    const { form = "json", signal } = options;
    const statement = statementOf(verb, args, caller, waitId, form);
    const session = args.get("session_id") ?? args.get("ref");
    if (typeof session !== "string") return alone(statement);
    const key = laneOf(session);
    if (verb.together) return together.run(key, statement, signal, verb.atOnce && { verb, args, caller, form });
    return (locksSession(verb) ? lanes.writes : lanes.reads).run(key, () => alone(statement), signal);
  };
  const answer = async (
    verb: Callable,
    given: Record<string, unknown>,
    caller: Caller,
    options: CallOptions,
  ): Promise<string> => {
    const args = readArguments(verb, given);
    const { form = "json" } = options;
    const finish = (heard: Heard) => {
      if (form === "lines" && heard.lines !== null) return heard.lines;
      heard.sent ??= prune(verb.result, heard.json);
      return form === "json" ? heard.sent : lines(verb, heard.sent);
    };
    let until = Number.POSITIVE_INFINITY;
    for (;;) {
      // Whose time is over is asked once more, and answers with what there is.
      const waitId = verb.blocking && until > Date.now() && !room.closed ? randomUUID() : "";
      const since = room.now();
      const [json, , waits, written] = await run(verb, args, caller, waitId, options).catch((error) => {
        throw refusedArgument(error, verb, args);
      });
      if (!waits) return finish({ json, lines: written });

      const held = JSON.parse(waits) as Holding;
      options.onWaiting?.();
      until = Math.min(until, Date.now() + held.seconds * 1_000);
      const seconds = Math.max(0, until - Date.now()) / 1_000;
      const writer = form === "lines" ? writerOf(verb) : undefined;
      const heard = await room.wait({ id: waitId, topic: held.topic, seconds, since, signal: options.signal, writer });
      if (heard !== null) return finish(heard);
      // The verb wants to look for itself, or the database has lost the lease: it is asked again for what is left of the time,
      // if it may be asked twice.
      if (!verb.idempotent && !held.again) return finish({ json, lines: null });
      for (const [name, value] of Object.entries(held.changes ?? {}))
        if (value === null) args.delete(name);
        else args.set(name, value);
    }
  };
  return async function call(
    verb: Callable,
    given: Record<string, unknown>,
    caller: Caller,
    options: CallOptions = {},
  ): Promise<string> {
    if (!verb.blocking) return answer(verb, given, caller, options);
    const leave = hold("waits", caller);
    return answer(verb, given, caller, options).finally(leave);
  };
}

export type Call = ReturnType<typeof createCall>;

/** Whether it may write to its session; one that only waits, or serves a resource, does not. */
function locksSession(verb: Callable): boolean {
  const { readonly } = verb as Partial<Verb>;
  return readonly === false && !(verb.blocking && verb.idempotent);
}
