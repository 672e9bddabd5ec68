import type pg from "pg";
import { type Caller, shownBy } from "../http/caller.ts";
import type { Events } from "../live/events.ts";
import { query } from "../postgres/database.ts";

export type Ask = ReturnType<typeof createAsk>;

/** Functions of parley_private that decide who somebody is, called as verbs are: by hashes alone, and what changed is announced. */
export const createAsk =
  (pool: pg.Pool, events: Events) =>
  async <Answer>(name: string, args: (string | null)[], caller: Caller): Promise<Answer> => {
    const given = args.map((_, i) => `$${i + 3}`);
    const [row] = await query<{ answer: Answer; topics: string | null }>(pool, {
      name: `ask ${name}`,
      text: `select answer, topics from parley_private.end_call(
        case when parley_private.begin_call($1, $2) then to_json(parley_private.${name}(${given})) end)`,
      values: [caller.teamHash, shownBy(caller), ...args],
    });
    if (row?.topics) events.announce(row.topics.split(","));
    return row?.answer as Answer;
  };
