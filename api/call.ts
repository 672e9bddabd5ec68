import { createHash, randomUUID } from "node:crypto";
import type pg from "pg";
import { readArguments } from "./arguments.ts";
import type { ResultType, Verb } from "./catalogue.ts";
import type { WaitRoom } from "./wait.ts";

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

/** Calls verbs: one statement and one round trip each, in a transaction of its own. The answer is JSON text. */
export function createCall(pool: pg.Pool, room: WaitRoom) {
  return async function call(
    verb: Verb,
    given: Record<string, unknown>,
    caller: Caller,
    options: CallOptions = {},
  ): Promise<string> {
    const args = readArguments(verb, given);
    if (!verb.blocking) {
      const { rows } = await pool.query<{ answer: string }>(statement(verb, args, caller, ""));
      return prune(verb.result, (rows[0] as { answer: string }).answer);
    }
    const waitId = randomUUID();
    const since = room.now();
    const { rows } = await pool.query<{ answer: string; topic: string | null; seconds: number }>(
      statement(verb, args, caller, waitId),
    );
    const { answer, topic, seconds } = rows[0] as { answer: string; topic: string | null; seconds: number };
    if (topic === null) return prune(verb.result, answer);
    options.onWaiting?.();
    return prune(verb.result, await room.wait({ id: waitId, topic, seconds, since, signal: options.signal }));
  };
}

export type Call = ReturnType<typeof createCall>;

/** CASE, because its order is certain: the verb runs after begin_call has said who is calling. */
function statement(verb: Verb, args: Map<string, unknown>, caller: Caller, waitId: string): pg.QueryConfig {
  const names = [...args.keys()];
  const list = names.map((name, i) => `${identifier(name)} => $${i + 4}`).join(", ");
  const answer = `case when parley_private.begin_call($1, $2, $3) then to_json(parley.${identifier(verb.name)}(${list})) end`;
  const text = verb.blocking
    ? `select answer::text, topic, seconds from parley_private.pending(${answer})`
    : `select (${answer})::text as answer`;
  return { name: statementName(text), text, values: [caller.teamHash, caller.origin, waitId, ...args.values()] };
}

const identifier = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** Prepared once per connection under this name; the name of a statement is cut off after 63 bytes. */
const statementName = (text: string) => createHash("sha1").update(text).digest("base64url");

/** Leaves out the fields that the catalogue marks @optional where they are null: agents pay for every byte. */
export function prune(type: ResultType | undefined, answer: string): string {
  if (!type?.prunable) return answer;
  return JSON.stringify(pruned(type, JSON.parse(answer)));
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
