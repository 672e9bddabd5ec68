import type { Logger } from "pino";

/** What a database error may tell. The rest (detail, where, the query and its parameters) can hold what callers wrote. */
const TOLD = ["code", "severity", "schema", "table", "column", "dataType", "constraint", "routine"] as const;

interface Told {
  type: string;
  message: string;
  stack: string | undefined;
  cause?: Told;
  errors?: Told[];
}

/** Errors about values repeat the value: invalid input syntax for type integer: "…" */
const withoutValues = (text: string, code: unknown) =>
  /^22/.test(String(code)) ? text.replace(/: "(?:.|\n)*"(?=\n|$)/, "") : text;

export function describeError(error: unknown): Told {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error), stack: undefined };
  const fields = error as unknown as Record<string, unknown>;
  const told = Object.fromEntries(TOLD.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])));
  const message = withoutValues(error.message, fields.code);
  return {
    type: error.name,
    message,
    stack: error.stack?.replace(error.message, () => message),
    ...told,
    ...(error.cause !== undefined && { cause: describeError(error.cause) }),
    ...(error instanceof AggregateError && { errors: error.errors.map(describeError) }),
  };
}

/** The same log, in which errors leave out what could be somebody's text. Everything that logs goes through it. */
export const discreet = (log: Logger): Logger => log.child({}, { serializers: { err: describeError } });
