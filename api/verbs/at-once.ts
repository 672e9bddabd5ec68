import { createHash } from "node:crypto";
import type { Caller } from "../http/caller.ts";
import type { Query } from "../postgres/database.ts";
import type { Argument, Callable } from "./catalogue.ts";
import { mayChange } from "./exact-json.ts";
import { writerOf } from "./lines.ts";
import type { Form, Ran } from "./statement.ts";

/** A call of a verb that `@together` names a function for, which does many in one statement. */
export interface OneOfMany {
  verb: Callable;
  args: Map<string, unknown>;
  caller: Caller;
  form: Form;
}

/** What is longer takes its time anyway, and goes by itself. */
const LONG = 100_000;

/** The call as the function takes it; undefined where it gives other arguments than that one knows. */
function jsonOf({ verb, args, caller }: OneOfMany): string | undefined {
  const takes = verb.atOnce?.takes;
  if (!takes || args.size !== takes.length || !takes.every((name) => args.has(name))) return undefined;
  const values = verb.arguments.flatMap((argument) => {
    const value = args.get(argument.name);
    return value === undefined ? [] : [`${JSON.stringify(argument.name)}:${asJson(argument, value as string)}`];
  });
  const json = `{"team_hash":${JSON.stringify(caller.teamHash)},${values.join(",")}}`;
  // A number that the database cannot hold would be refused for all of them.
  return json.length > LONG || mayChange(json) ? undefined : json;
}

const asJson = ({ type }: Argument, value: string) => (/^jsonb?$/.test(type) ? value : JSON.stringify(value));

/** Those that can be done in one statement: one call of each team, all of the same verb. */
export function pickMany<Job extends { one: OneOfMany | undefined }>(jobs: Job[]): Picked<Job>[] {
  const found = new Map<string, Picked<Job>>();
  const verb = jobs.find(({ one }) => one)?.one?.verb;
  if (!verb || jobs.length < 2) return [];
  for (const job of jobs) {
    const { one } = job;
    if (one?.verb !== verb || found.has(one.caller.teamHash)) continue;
    const json = jsonOf(one);
    if (json) found.set(one.caller.teamHash, { job, one, json });
  }
  return [...found.values()];
}

export interface Picked<Job> {
  job: Job;
  one: OneOfMany;
  json: string;
}

const texts = new WeakMap<Callable, { name: string; text: string }>();

/** Answers with a row for each that was done: its place, what it answers, the topics that it or all of them changed, its lines. */
export function statementOfMany(calls: Picked<unknown>[]): Query {
  const { verb } = (calls[0] as Picked<unknown>).one;
  const { name, text } = texts.get(verb) ?? compose(verb);
  texts.set(verb, { name, text });
  const lines = calls.map(({ one }) => one.form === "lines");
  return { name, text, values: [`[${calls.map(({ json }) => json).join(",")}]`, lines] };
}

/** Only while the verb is the one that the catalogue has read: whoever replaces it replaces this way as well, at once. */
function compose(verb: Callable): { name: string; text: string } {
  const { does, oid, edition } = verb.atOnce as NonNullable<Callable["atOnce"]>;
  const text = `select place, answer::text, topics, case when ($2::boolean[])[place] then ${writerOf(verb) ?? "null"} end from (
    select done.place, to_json(done.answer) as answer, concat_ws(',', done.topics, nullif(current_setting('parley.topics', true), '')) as topics
    from ${does}(case when set_config('parley.collects_topics', 'yes', true) || set_config('parley.topics', '', true) = 'yes'
      and exists (select from pg_catalog.pg_proc p where p.oid = ${oid} and p.xmin = '${edition}') then $1::jsonb end) as done
  ) as done`;
  return { name: createHash("sha1").update(text).digest("base64url"), text };
}

/** By the place of the call; undefined for those that have to be called by themselves. */
export function answersOfMany(rows: (string | null)[][], count: number): (Ran | undefined)[] {
  const answers: (Ran | undefined)[] = Array.from({ length: count });
  for (const [place, answer, topics, lines] of rows)
    answers[Number(place) - 1] = [answer as string, topics as string | null, null, lines as string | null];
  return answers;
}
