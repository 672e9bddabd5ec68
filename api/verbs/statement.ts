import { createHash } from "node:crypto";
import type { DatabaseError } from "pg";
import { type Caller, hashSecret, shownBy } from "../http/caller.ts";
import type { Query } from "../postgres/database.ts";
import type { Argument, Callable } from "./catalogue.ts";
import { refusedValue } from "./errors.ts";
import { writerOf } from "./lines.ts";

/** What the statement of a call answers with: the answer, the topics that it changed, what it waits for, the answer as lines. */
export type Ran = [answer: string, topics: string | null, held: string | null, lines: string | null];

export type Form = "json" | "lines";

/** Those that come before the arguments: who is calling, what else it has shown, and the id of a wait where it may wait. */
const parametersOf = ({ blocking }: Callable) => (blocking ? 3 : 2);

interface Statement {
  name: string;
  text: string;
  /** The arguments that it takes, in the order of their parameters. */
  takes: Argument[];
}

const statements = new WeakMap<Callable, Map<string, Statement>>();

/** The call of a verb; its statement is made once, and prepared once per connection. */
export function statementOf(
  verb: Callable,
  args: Map<string, unknown>,
  caller: Caller,
  waitId = "",
  form: Form = "json",
): Query {
  const { name, text, takes } = statementFor(verb, args, form);
  const values: unknown[] = [caller.teamHash, shownBy(caller, ...secretsOf(verb, args))];
  if (verb.blocking) values.push(waitId);
  for (const argument of takes) values.push(args.get(argument.name) ?? null);
  return { name, text, values };
}

/** The secrets that arguments may hold, in the order in which SQL knows their hashes. */
const SECRETS = ["invite", "runner_token"];

/** The hashes of those that the verb takes. */
function secretsOf(verb: Callable, args: Map<string, unknown>): string[] {
  const taken = verb.arguments.filter(({ secret }) => secret).map(({ name }) => name);
  if (taken.length === 0) return [];
  return SECRETS.map((name) => hashSecret(taken.includes(name) ? (args.get(name) as string) : undefined));
}

function statementFor(verb: Callable, args: Map<string, unknown>, form: Form): Statement {
  const known = statements.get(verb) ?? new Map<string, Statement>();
  statements.set(verb, known);
  const sent = verb.arguments.filter(({ secret }) => !secret);
  const takes = sent.filter((argument) => args.has(argument.name) || canBeLeftToSql(argument));
  const key = takes.length === sent.length ? form : `${form} ${takes.map(({ name }) => name)}`;
  const statement = known.get(key) ?? compose(verb, takes, form);
  known.set(key, statement);
  return statement;
}

/** Whether null may be passed for it where it is not given: a domain may refuse even that. */
const canBeLeftToSql = ({ default: otherwise, declared, type, labels }: Argument) =>
  otherwise !== undefined && (isNull(otherwise) || declared === type || labels !== undefined);

const isNull = (expression: string) => /^NULL(::|$)/.test(expression);

/**
 * CASE, because its order is certain: the verb runs after begin_call has said who is calling, and after that was let in. What it
 * has told is read after it: OFFSET 0 keeps the two apart.
 */
function compose(verb: Callable, takes: Argument[], form: Form): Statement {
  const parameters = parametersOf(verb);
  const held = verb.blocking ? "nullif(current_setting('parley.held', true), '')" : "null";
  const list = takes.map(({ name, declared, default: otherwise = "NULL" }, i) => {
    // The type is said, so that a function of the same name that takes something else is not called instead.
    const given = `$${i + parameters + 1}::${declared}`;
    return `${identifier(name)} => ${isNull(otherwise) ? given : `coalesce(${given}, ${otherwise})`}`;
  });
  const called = asJson(verb, `parley.${identifier(verb.name)}(${list.join(", ")})`);
  const text = `select coalesce(answer::text, 'null'), topics, held, ${form === "lines" ? asLines(verb) : "null"} from (
    select answer, nullif(current_setting('parley.topics', true), '') as topics, ${held} as held from (
      select parley_private.finish_call(case when parley_private.begin_call($1, $2${verb.blocking ? ", $3" : ""}) then ${admitted(verb, called)} end, ${verb.who === "team"}) as answer
      offset 0
    ) as finished
  ) as told`;
  // The name of a statement is cut off after 63 bytes.
  return { name: createHash("sha1").update(text).digest("base64url"), text, takes };
}

/** A verb of a team asks for the seat of the caller itself, and finish_call whether it has. */
const admitted = ({ who }: Callable, called: string) =>
  who === "open" || who === "team" ? called : `case when parley_private.admit('${who}') then ${called} end`;

/** A set becomes a list in its own order; to_json, because json_agg breaks lines, and an event is one line. */
function asJson({ answer: { type, set, columns } }: Callable, called: string): string {
  if (type === "void") return `(select null::json from ${called})`;
  if (!set && !columns) return `to_json(${called})`;
  const rows = columns
    ? `select row_to_json(r) from (select * from ${called}) r`
    : `select to_json(r) from ${called} r`;
  return set ? `to_json(array(${rows}))` : `(${rows})`;
}

/** Written by the same statement, where a type says by what; those of a wait that is held by the one that answers it. */
const asLines = (verb: Callable) =>
  `case when answer is not null and held is null then ${writerOf(verb) ?? "null"} end`;

const identifier = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** The database names a value that it cannot take by its place; callers know it by its name. */
export function refusedArgument(error: unknown, verb: Callable, args: Map<string, unknown>): unknown {
  const { code = "", where = "" } = error as Partial<DatabaseError>;
  if (!/^2[23]/.test(code)) return error;
  const [, place] = /^[^\n]*?\$(\d+)[^\n]*$/.exec(where) ?? [];
  const argument = statementFor(verb, args, "json").takes[Number(place) - parametersOf(verb) - 1];
  return argument ? refusedValue(argument, error as DatabaseError) : error;
}
