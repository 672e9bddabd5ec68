/** Called in a way that cannot be meant: a sentence, exit 2. */
export class UsageError extends Error {}

/** Something is wrong that is not the caller's grammar: a sentence, exit 1. */
export class Trouble extends Error {}

/** The server was not reached, or the connection broke before the answer was whole. */
export class Away extends Trouble {}

/** The server's no: its code, its message and what it says to do next. */
export class Refusal extends Trouble {
  status: number;
  code: string;
  details: Record<string, unknown>;

  constructor(status: number, code: string, message: string, details: Record<string, unknown> = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
  }

  get hint(): string | undefined {
    return typeof this.details.hint === "string" ? this.details.hint : undefined;
  }
}

/** Whether the same call may well succeed a little later. */
export const mayPass = (error: unknown) => error instanceof Away || (error instanceof Refusal && error.status >= 500);
