import { createHash } from "node:crypto";
import pg from "pg";
import { query } from "../postgres/database.ts";

/** What waits are answered with: one object for all that get the same, so that it is worked on once. */
export interface Heard {
  json: string;
  /** The same as lines, where they were asked for and a type says how. */
  lines: string | null;
  /** What becomes of the JSON on its way out. */
  sent?: string;
}

interface Row {
  wait_ids: string;
  answer: string | null;
  lines: string | null;
}

export interface Answered {
  ids: string[];
  /** Null when the database has lost their leases. */
  heard: Heard | null;
}

/**
 * Asks the database for those that have something to hear. Lines are written by the same statement; when they cannot be, the
 * answers come without them, and whoever wants them is told why.
 */
export async function answerWaits(pool: pg.Pool, ids: string[], giveUp: boolean, writer?: string): Promise<Answered[]> {
  try {
    const rows = await query<Row>(pool, { ...statementWith(writer), values: [`{${ids}}`, giveUp] });
    return rows.map(({ wait_ids, answer, lines }) => ({
      ids: wait_ids.slice(1, -1).split(","),
      heard: answer === null ? null : { json: answer, lines },
    }));
  } catch (error) {
    if (!writer || !(error instanceof pg.DatabaseError) || /^5[57]/.test(error.code ?? "")) throw error;
    return answerWaits(pool, ids, giveUp);
  }
}

const statements = new Map<string | undefined, { name: string; text: string }>();

function statementWith(writer: string | undefined) {
  const known = statements.get(writer);
  if (known) return known;
  const text = `select wait_ids::text, answer::text, ${writer ? `case when answer is not null then ${writer} end` : "null"} as lines
    from parley_private.answer_waits($1, $2)`;
  const name = writer ? `answer_waits ${createHash("sha1").update(text).digest("base64url")}` : "answer_waits";
  const made = { name, text };
  statements.set(writer, made);
  return made;
}
