// biome-ignore lint/suspicious/noExplicitAny: answers are read as any client of the public API reads them
export type Answer = any;

export interface CallOptions {
  /** The secret of the team that calls; creating, joining and resuming need none. */
  teamId: string | undefined;
  signal: AbortSignal;
}

/** A way into Parley. The verbs and their answers are the same by every one. */
export interface Door {
  name: "MCP" | "REST";
  call(verb: string, args: Record<string, unknown>, options: CallOptions): Promise<Answer>;
  close(): Promise<void>;
}

export type OpenDoor = (url: string, headers: Record<string, string>) => Door;

interface ErrorBody {
  error: { code: string; message: string; details?: Record<string, Answer> };
}

/** What Parley answers when it does not do what was asked. */
export class Refusal extends Error {
  code: string;
  details: Record<string, Answer>;

  constructor({ error }: ErrorBody) {
    super(error.message);
    this.code = error.code;
    this.details = error.details ?? {};
  }
}

/** The refusal with that code, if this is what went wrong. */
export function refusedAs(code: string, error: unknown): Refusal | undefined {
  const { cause } = error as Error;
  return [error, cause].find((e): e is Refusal => e instanceof Refusal && e.code === code);
}
