import type { DatabaseError } from "pg";
import type { Argument } from "./catalogue.ts";

/** What every door answers when it refuses: REST and MCP as JSON, GraphQL in its extensions. */
export class ApiError extends Error {
  status: number;
  code: string;
  details: Record<string, unknown>;

  constructor(status: number, code: string, message: string, details: Record<string, unknown> = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
  }

  get body() {
    return { error: { code: this.code, message: this.message, details: this.details } };
  }

  /** Seconds after which the same call may succeed, for the Retry-After header. */
  get retryAfter(): number | undefined {
    const seconds = this.details.retry_after_seconds;
    return typeof seconds === "number" ? seconds : undefined;
  }
}

export const invalidArgument = (field: string, message: string, hint: string) =>
  new ApiError(400, "invalid_argument", message, { field, hint });

export const unavailable = () =>
  new ApiError(503, "unavailable", "The database cannot be reached right now.", {
    retry_after_seconds: 2,
    hint: "Nothing was lost. Try the same call again in a few seconds.",
  });

export const sessionBusy = () =>
  new ApiError(503, "unavailable", "This session is busy: others are writing to it right now.", {
    retry_after_seconds: 2,
    hint: "Nothing was changed. Try the same call again in a few seconds.",
  });

// Shutdown, crash and connection failures; out of connections; read-only replica; statement cut off by a restart.
const AWAY = /^(08...|57P0.|53300|25006|3D000|55000|ECONN.*|ENOENT|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN)$/;
const AWAY_MESSAGE =
  /connection terminated|timeout exceeded when trying to connect|query read timeout|client has encountered a connection error/i;

const SLUGS: Record<number, string> = {
  400: "invalid_argument",
  401: "unauthorized",
  403: "forbidden",
  404: "not_found",
  409: "conflict",
  429: "rate_limited",
  503: "unavailable",
};
const slugOf = (status: number) => SLUGS[status] ?? (status < 500 ? "refused" : "internal");

/** What the database itself refuses, by SQLSTATE or the class of it: the status, what happened, what to do next. */
const REFUSALS: [codes: RegExp, status: number, message: string, hint: string][] = [
  [
    /^(40001|40P01)$/,
    503,
    "Others were changing the same at this moment.",
    "Nothing was written. Try the same call again.",
  ],
  [/^57014$/, 503, "The call took too long and was stopped.", "Ask for less at once, or try again."],
  [
    /^53/,
    503,
    "The database has no room for this right now.",
    "Nothing was written. Whoever runs this server has to look.",
  ],
  [
    /^(42883|42P01|42703|42704|3F000)$/,
    503,
    "A part of the database that this call needs is missing.",
    "Try again later. If it stays, tell whoever runs this server.",
  ],
  [/^54/, 400, "This is more than the database takes in one call.", "Send less at once."],
  [
    /^22/,
    400,
    "A value of this call cannot be stored or understood.",
    "Check the arguments for characters or numbers that do not fit.",
  ],
  [/^42501$/, 403, "This is not allowed to you.", "Ask whoever runs this server."],
  [/^P0002$/, 404, "There is nothing of that kind.", "Check what you asked for."],
  [/^P0001$/, 400, "The call was refused.", "Check the arguments."],
];

/** The one mapper from whatever was thrown to what a caller may know. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const thrown = (error ?? {}) as Partial<DatabaseError>;
  const { code = "", message = "" } = thrown;
  const status = Number(/^PT([45]\d\d)$/.exec(code)?.[1]);
  if (status) return refusal(status, message, thrown, "Mind what the message says, then try again.");
  if (AWAY.test(code) || AWAY_MESSAGE.test(message)) return unavailable();
  if (code === "55P03") return sessionBusy();
  // Between looking a function up and calling it, somebody has dropped it.
  if (isGone(thrown))
    return refusal(404, "This verb is not there any more.", {}, "GET /api/openapi.json lists those that are.");
  if (/^23/.test(code))
    return refusal(409, brokenRule(thrown), thrown, "Nothing was written. Look at what is there before you try again.");
  const known = REFUSALS.find(([codes]) => codes.test(code));
  if (known) return refusal(known[1], isMeant(thrown, known[1]) ? message : known[2], thrown, known[3]);
  return new ApiError(500, "internal", "Something went wrong on our side.", {
    hint: "Try again. If it stays, tell whoever runs this server; the log has the details.",
  });
}

/** By RAISE: then its message, DETAIL and HINT are meant for callers. What Postgres says by itself may hold rows of others. */
const isMeant = ({ code = "", routine }: Partial<DatabaseError>, status: number) =>
  /^PT/.test(code) || (routine === "exec_stmt_raise" && status < 500);

function refusal(status: number, message: string, thrown: Partial<DatabaseError>, usualHint?: string): ApiError {
  const said = isMeant(thrown, status) ? thrown : {};
  const { code = slugOf(status), details = {} } = readDetail(said.detail);
  const hint = details.hint ?? said.hint ?? usualHint;
  return new ApiError(status, code, message, {
    ...((status === 503 || status === 429) && { retry_after_seconds: 2 }),
    ...details,
    ...(hint !== undefined && { hint }),
  });
}

/** The DETAIL of fail() is JSON, that of a DBA may be other JSON, or a text. */
function readDetail(detail: string | undefined): { code?: string; details?: Record<string, unknown> } {
  if (!detail) return {};
  const json = parseObject(detail);
  if (!json) return { details: { detail } };
  const { code, details } = json;
  if (typeof code === "string" && /^[a-z][a-z0-9_]*$/.test(code) && isObject(details)) return { code, details };
  return { details: json };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Constraints are named after the rule that they keep. */
function brokenRule(thrown: Partial<DatabaseError>): string {
  const { constraint, column, message = "" } = thrown;
  if (isMeant(thrown, 409)) return message;
  if (constraint) return `The rule "${constraint.replaceAll("_", " ")}" does not allow this.`;
  return column ? `${column} must have a value.` : "A rule of the database does not allow this.";
}

/** Without context it is our own statement that found nothing to call. */
const isGone = ({ code, message = "", where }: Partial<DatabaseError>) =>
  where === undefined && (code === "42883" || /^cache lookup failed for function/.test(message));

/** The database could not even read the value of an argument. */
export function refusedValue({ name, type, description }: Argument, error: DatabaseError): ApiError {
  const hint = description || "Check how it is written, or leave it out if it may be.";
  if (/^23/.test(error.code ?? "")) return invalidArgument(name, `${name}: ${brokenRule(error)}`, hint);
  const fault = error.code === "22003" || error.code === "22008" ? "is out of range" : "cannot be read";
  return invalidArgument(name, `${name} ${fault}: it must be of type ${type}.`, hint);
}
