import { createHash, randomUUID } from "node:crypto";
import type pg from "pg";
import type { DatabaseError } from "pg";
import type { Events } from "../live/events.ts";
import type { WaitRoom } from "../live/wait.ts";
import { type Query, query } from "../postgres/database.ts";
import { readArguments } from "./arguments.ts";
import type { Callable, ResultType, Verb } from "./catalogue.ts";
import { refusedValue } from "./errors.ts";
import { elements, mayChange, members } from "./exact-json.ts";
import { Lanes, laneOf } from "./lanes.ts";

export interface Caller {
  teamHash: string;
  origin: string;
}

/** Only the hash of a team_id reaches the database: parameters can land in logs. */
export const hashTeamId = (teamId: string | undefined) =>
  teamId ? createHash("sha256").update(teamId).digest("hex") : "";

export interface CallOptions {
  signal?: AbortSignal;
  /** Told when the call begins to wait, after everything that could refuse it. */
  onWaiting?: () => void;
}

/** Writers of one session queue for its lock anyway; its readers leave half of the connections to the others. */
export const createLanes = (connections: number) => ({
  writes: new Lanes({ width: 1, queue: 200, total: 2_000, patienceMs: 15_000 }),
  reads: new Lanes({ width: Math.max(1, connections >> 1), queue: 2_000, total: 10_000, patienceMs: 15_000 }),
});

/** Calls verbs: one statement and one round trip each, in a transaction of its own. The answer is JSON text. */
export function createCall(pool: pg.Pool, events: Events, room: WaitRoom, lanes = createLanes(pool.options.max ?? 10)) {
  const run = async (verb: Callable, args: Map<string, unknown>, caller: Caller, waitId: string) => {
    const [ran] = (await query<Ran>(pool, statement(verb, args, caller, waitId)).catch((error) => {
      throw refusedArgument(error, verb, [...args.keys()]);
    })) as [Ran];
    if (ran.topics) events.announce(ran.topics.split(","));
    return ran;
  };
  const queued = <T>(verb: Callable, args: Map<string, unknown>, work: () => Promise<T>, signal?: AbortSignal) => {
    const session = args.get("session_id") ?? args.get("ref");
    if (typeof session !== "string") return work();
    return (locksSession(verb) ? lanes.writes : lanes.reads).run(laneOf(session), work, signal);
  };
  return async function call(
    verb: Callable,
    given: Record<string, unknown>,
    caller: Caller,
    options: CallOptions = {},
  ): Promise<string> {
    const args = readArguments(verb, given);
    let until = Number.POSITIVE_INFINITY;
    for (;;) {
      const waitId = verb.blocking ? randomUUID() : "";
      const since = room.now();
      const { answer, held } = await queued(verb, args, () => run(verb, args, caller, waitId), options.signal);
      if (!held) return prune(verb.result, answer);

      options.onWaiting?.();
      until = Math.min(until, Date.now() + held.seconds * 1_000);
      const seconds = Math.max(0, until - Date.now()) / 1_000;
      const heard = await room.wait({ id: waitId, topic: held.topic, seconds, since, signal: options.signal });
      if (heard !== null) return prune(verb.result, heard);
      // The database has lost the lease. The verb is asked again for what is left of the time, if it may be asked twice.
      if (!verb.idempotent) return prune(verb.result, answer);
    }
  };
}

export type Call = ReturnType<typeof createCall>;

/** Whether it may write to its session; one that only waits, or serves a resource, does not. */
function locksSession(verb: Callable): boolean {
  const { readonly } = verb as Partial<Verb>;
  return readonly === false && !(verb.blocking && verb.idempotent);
}

interface Ran {
  answer: string;
  topics: string | null;
  held: { topic: string; seconds: number } | null;
}

/** Those that come before the arguments: who is calling, from where, and the id of a wait. */
const PARAMETERS = 3;

/** CASE, because its order is certain: the verb runs after begin_call has said who is calling. */
function statement(verb: Callable, args: Map<string, unknown>, caller: Caller, waitId: string): Query {
  const list = [...args.keys()]
    .map((name, i) => `${identifier(name)} => $${i + PARAMETERS + 1}::${declared(verb, name)}`)
    .join(", ");
  const text = `select coalesce(answer::text, 'null') as answer, topics, held from parley_private.end_call(
    case when parley_private.begin_call($1, $2, $3) then ${asJson(verb, `parley.${identifier(verb.name)}(${list})`)} end)`;
  return { name: statementName(text), text, values: [caller.teamHash, caller.origin, waitId, ...args.values()] };
}

/** A set becomes a list in its own order; to_json, because json_agg breaks lines, and an event is one line. */
function asJson({ answer: { type, set, columns } }: Callable, called: string): string {
  if (type === "void") return `(select null::json from ${called})`;
  if (!set && !columns) return `to_json(${called})`;
  const rows = columns
    ? `select row_to_json(r) from (select * from ${called}) r`
    : `select to_json(r) from ${called} r`;
  return set ? `to_json(array(${rows}))` : `(${rows})`;
}

// Said, so that a function of the same name that takes something else is not called instead.
const declared = (verb: Callable, name: string) =>
  verb.arguments.find((argument) => argument.name === name)?.declared as string;

const identifier = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** Prepared once per connection under this name; the name of a statement is cut off after 63 bytes. */
const statementName = (text: string) => createHash("sha1").update(text).digest("base64url");

/** The database names a value that it cannot take by its place; callers know it by its name. */
function refusedArgument(error: unknown, verb: Callable, names: string[]): unknown {
  const { code = "", where = "" } = error as Partial<DatabaseError>;
  const [, place] = /^[^\n]*?\$(\d+)[^\n]*$/.exec(where) ?? [];
  const argument = verb.arguments.find(({ name }) => name === names[Number(place) - PARAMETERS - 1]);
  return argument && /^2[23]/.test(code) ? refusedValue(argument, error as DatabaseError) : error;
}

/** Leaves out the fields that the catalogue marks @optional where they are null: agents pay for every byte. */
export function prune(type: ResultType | undefined, answer: string): string {
  if (!type?.prunable) return answer;
  if (mayChange(answer)) return prunedText(type, answer);
  return JSON.stringify(pruned(type, JSON.parse(answer)));
}

/** The same on the text, for answers whose numbers would not survive being read. */
function prunedText(type: ResultType, text: string): string {
  if (text.startsWith("[")) return `[${elements(text).map((item) => prunedText(type, item))}]`;
  if (!text.startsWith("{")) return text;
  const kept = members(text).flatMap(([name, value]) => {
    const attribute = type.attributes.find((known) => known.name === name);
    if (value === "null" && attribute?.optional) return [];
    const inner = attribute?.composite?.prunable ? prunedText(attribute.composite, value) : value;
    return [`${JSON.stringify(name)}:${inner}`];
  });
  return `{${kept}}`;
}

function pruned(type: ResultType, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => pruned(type, item));
  if (typeof value !== "object" || value === null) return value;
  const record = value as Record<string, unknown>;
  for (const attribute of type.attributes) {
    if (record[attribute.name] === null && attribute.optional) delete record[attribute.name];
    else if (attribute.composite?.prunable)
      record[attribute.name] = pruned(attribute.composite, record[attribute.name]);
  }
  return record;
}
