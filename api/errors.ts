import { DatabaseError } from "pg";

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

export const invalidArgument = (field: string, message: string, hint?: string) =>
  new ApiError(400, "invalid_argument", message, hint ? { field, hint } : { field });

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

/** The one mapper from whatever was thrown to what a caller may know. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const { code = "", detail, message = "" } = error as Partial<DatabaseError>;

  const refusal = /^PT(\d{3})$/.exec(code);
  if (refusal) {
    const { code: slug, details } = JSON.parse(detail ?? "{}") as { code: string; details: Record<string, unknown> };
    return new ApiError(Number(refusal[1]), slug, message, details);
  }
  if (AWAY.test(code) || AWAY_MESSAGE.test(message)) return unavailable();
  if (code === "55P03") return sessionBusy();
  if (code === "57014") {
    return new ApiError(503, "unavailable", "The call took too long and was stopped.", {
      retry_after_seconds: 2,
      hint: "Ask for less at once, or try again.",
    });
  }
  if (error instanceof DatabaseError && code.startsWith("22")) {
    return new ApiError(400, "invalid_argument", "A value of this call cannot be stored or understood.", {
      hint: "Check the arguments for characters or numbers that do not fit.",
    });
  }
  return new ApiError(500, "internal", "Something went wrong on our side.", {
    hint: "Try again. If it stays, tell whoever runs this server; the log has the details.",
  });
}
