import { createHash } from "node:crypto";
import type pg from "pg";
import { query } from "../postgres/database.ts";
import type { Callable, ResultType } from "./catalogue.ts";

/** What only the server can have written: none of these can hold words of a caller. */
const FACTS =
  /^(smallint|integer|bigint|numeric|real|double precision|boolean|uuid|date|timestamp with(out)? time zone)$/;

/** A team_id stays here: parameters can land in the logs of a database. Nobody else can write what stands for it. */
const SECRET = /(?:pt|pi|pk_\w{8})_[\w-]{43}/;
const MASK = `pt_${"-".repeat(43)}`;

/**
 * Answers as lines to read, written by SQL from the JSON that every surface gets: a wait that was held and shared
 * comes back as that JSON, too.
 */
export function createLines(pool: pg.Pool) {
  const underWay = new Map<string, Promise<string>>();
  const write = async (verb: Callable, answer: string): Promise<string> => {
    const writer = answer.startsWith("{") ? writerOf(verb) : undefined;
    const text = `select ${writer ?? interrupted("parley_private.anything_as_text(answer, $2)")} as text from (select $1::json as answer) as given`;
    const name = createHash("sha1").update(text).digest("base64url");
    const [secret = MASK] = SECRET.exec(answer) ?? [];
    const told = answer.replace(secret, MASK);
    const values = writer ? [told] : [told, facts(verb.result)];
    const [row] = (await query<{ text: string }>(pool, { name, text, values })) as [{ text: string }];
    return row.text.replace(MASK, secret);
  };
  /** Waits that share an answer share its lines: they are written once. */
  return function lines(verb: Callable, answer: string): Promise<string> {
    const key = `${verb.name} ${answer}`;
    const written = underWay.get(key) ?? write(verb, answer).finally(() => underWay.delete(key));
    underWay.set(key, written);
    return written;
  };
}

export type Lines = ReturnType<typeof createLines>;

/** What writes the column "answer" of a verb as lines, in SQL; undefined where no comment names it. */
export const writerOf = ({ result, answer: { set, columns } }: Callable): string | undefined =>
  result?.writer && !set && !columns
    ? interrupted(
        `${result.writer}(json_populate_record(null::parley."${result.name.replaceAll('"', '""')}", answer))`,
        result.verbatim,
      )
    : undefined;

const interrupted = (written: string, verbatim = false) =>
  `parley_private.with_interrupt_in_lines(${written}, case json_typeof(answer) when 'object'
    then coalesce(answer -> 'interrupt', case when answer -> 'ring' is not null then json_build_object('ring', answer -> 'ring') end)
  end, ${verbatim})`;

const facts = (type: ResultType | undefined) =>
  (type?.attributes ?? []).filter((attribute) => FACTS.test(attribute.type)).map((attribute) => attribute.name);
