import { Away, mayPass, Refusal } from "../errors.ts";
import { line, note } from "../output.ts";
import { keyHeader } from "./key.ts";

/** What the server answers; commands look into it as any reader of JSON does. */
// biome-ignore lint/suspicious/noExplicitAny: answers are described by the server's OpenAPI, not here
export type Answer = any;

interface Request {
  method?: "GET" | "POST";
  teamId?: string | undefined;
  args?: Record<string, unknown>;
  /** A call that waits streams: its first bytes come at once, so that no proxy takes it for dead. */
  stream?: boolean;
  /** How long the answer may take to be whole. */
  withinMs?: number;
  /** Gives the call up. */
  signal?: AbortSignal | undefined;
}

const WITHIN_MS = 30_000;

/** One REST call: the answer, a Refusal, or Away. */
export async function call(base: string, path: string, request: Request = {}): Promise<Answer> {
  const { method = "POST", teamId, args = {}, stream = false, withinMs = WITHIN_MS, signal } = request;
  const given = Object.entries(args).filter(([, value]) => value !== undefined);
  const query =
    method === "GET"
      ? `?${new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]))}`
      : "";
  const body = method === "POST" ? { body: JSON.stringify(Object.fromEntries(given)) } : {};
  const headers = {
    "content-type": "application/json",
    ...(stream && { accept: "text/event-stream" }),
    ...(teamId && { "x-team-id": teamId }),
    ...keyHeader(base),
  };
  let response: Response;
  let text: string;
  try {
    response = await fetch(`${base}/api${path}${query}`, {
      method,
      headers,
      ...body,
      signal: signal ? AbortSignal.any([signal, AbortSignal.timeout(withinMs)]) : AbortSignal.timeout(withinMs),
    });
    text = await response.text();
  } catch (error) {
    signal?.throwIfAborted();
    throw new Away(
      `${base} cannot be reached (${reason(error)}). Is Parley running there? Start it, or set MCP_URL; parley doctor looks closer.`,
    );
  }
  return read(base, response, text);
}

function read(base: string, response: Response, text: string): Answer {
  const streamed = response.headers.get("content-type")?.includes("text/event-stream");
  // Not a dot: it ends at U+2028, which a text of others may hold.
  const json = streamed ? /(?:^|\n)event: (?:result|error)\ndata: ([^\n]*)\n\n/.exec(text)?.[1] : text;
  const answer = parse(json ?? "");
  if (answer?.error?.code) {
    const { code, message, details } = answer.error;
    throw new Refusal(response.ok ? 500 : response.status, code, message, details);
  }
  if (answer !== undefined && response.ok) {
    // It is told once, with whatever was asked for next.
    const interrupt = answer?.interrupt;
    if (interrupt) note(`Interrupted by ${line(interrupt.by)} (#${interrupt.cursor}): ${line(interrupt.reason)}`);
    return answer;
  }
  if (response.ok && streamed) throw new Away(`${base} broke the connection off.`);
  throw response.status >= 500
    ? new Away(`${base} answered ${response.status} and is not ready.`)
    : new Refusal(response.status, "not_parley", `${base} answered ${response.status}, and not as Parley does.`, {
        hint: "Check the address: parley doctor says which one it is and where it comes from.",
      });
}

function parse(json: string): Answer {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** The network's own word for what went wrong. */
export function reason(error: unknown): string {
  const { name, message, cause } = error as Error & { cause?: { code?: string; message?: string } };
  return name === "TimeoutError" ? "no answer in time" : (cause?.code ?? cause?.message ?? message);
}

interface Patience {
  /** Give up after this long; asked each time, since who is in a hurry meanwhile waits no more. */
  forMs: number | (() => number);
  longestPauseMs?: number;
  again?: (error: unknown) => boolean;
  onTrouble?: (error: Error, sinceMs: number) => void;
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;

/** Tries again, with growing pauses, what may be tried again. */
export async function persist<T>(
  attempt: () => Promise<T>,
  { forMs, longestPauseMs = LONGEST_PAUSE_MS, again = mayPass, onTrouble }: Patience,
) {
  const patience = typeof forMs === "number" ? () => forMs : forMs;
  let pause = FIRST_PAUSE_MS;
  let since: number | undefined;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      since ??= Date.now();
      const asked = (error instanceof Refusal && Number(error.details.retry_after_seconds) * 1_000) || 0;
      const delay = Math.max(asked, pause * (0.75 + Math.random() / 2));
      if (!again(error) || Date.now() + delay - since > patience()) throw error;
      onTrouble?.(error as Error, Date.now() - since);
      await new Promise((resolve) => setTimeout(resolve, delay));
      pause = Math.min(pause * 2, longestPauseMs);
    }
  }
}
