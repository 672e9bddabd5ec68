import { setTimeout as sleep } from "node:timers/promises";
import type { Seat } from "./seat.ts";

export interface Refused {
  team: string;
  verb: string;
  code: string;
}

export interface StageOptions {
  url: string;
  /** What opens its doors, as headers. */
  headers: Record<string, string>;
  pace: number;
  /** Ends the pauses: nobody begins anything new. */
  signal: AbortSignal;
  /** Ends the waits, when everybody has gone. */
  over: AbortSignal;
  onStep: (line: string) => void;
}

/** What the teams of one run share: where they meet, how fast they are, and who listens to the tale. */
export class Stage {
  url: string;
  /** What opens its doors, as headers. */
  headers: Record<string, string>;
  signal: AbortSignal;
  over: AbortSignal;
  onStep: (line: string) => void;
  teams: Seat[] = [];
  refusals: Refused[] = [];
  #pace: number;

  constructor({ url, headers, pace, signal, over, onStep }: StageOptions) {
    this.url = url.replace(/\/+$/, "");
    this.headers = headers;
    this.signal = signal;
    this.over = over;
    this.onStep = onStep;
    this.#pace = pace;
  }

  async pause(seconds: number): Promise<void> {
    this.signal.throwIfAborted();
    await sleep(seconds * this.#pace * 1_000, undefined, { signal: this.signal });
  }

  /** Tells what is done when it is done; if it fails, the error tells what it was. */
  async step<T>(line: string, action: () => Promise<T>): Promise<T> {
    try {
      const result = await action();
      this.onStep(line);
      return result;
    } catch (error) {
      this.signal.throwIfAborted();
      const reasons = [...causes(error)].map(({ message }) => message);
      const why = reasons.length > 1 ? `${reasons[0]} (${reasons.at(-1)})` : reasons[0];
      throw new Error(`The demo ended early, at "${line}": ${why}`, { cause: error });
    }
  }
}

/** A text in one line of the console, without its bold and headings. */
export function short(text: string): string {
  const [first = ""] = text.replace(/\*\*|^#+ |^- /g, "").split("\n");
  return first.length > 110 ? `${first.slice(0, 109)}…` : first;
}

/** An error, what caused it, what caused that. */
function* causes(error: unknown): Generator<Error> {
  for (let each = error; each instanceof Error; each = each.cause) yield each;
}
