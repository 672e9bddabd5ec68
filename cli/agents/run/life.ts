import type { Outcome } from "./outcome.ts";

const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Whether the run goes on, and the bell that ends its pauses. */
export class Life {
  outcome: Outcome | undefined;
  #over = new AbortController();
  /** Told when it is over, whatever it is doing. */
  onEnd: () => void = () => undefined;
  /** Ends the pause that there is. */
  ring: () => void = () => undefined;

  /** Aborted when it is over. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** The first end counts. */
  end(outcome: Outcome) {
    this.outcome ??= outcome;
    this.#over.abort();
    this.onEnd();
    this.ring();
  }

  /** Resolves when somebody rings, or after so long. */
  nudged(ms: number): Promise<undefined> {
    return new Promise((resolve) => {
      const timer = Number.isFinite(ms) ? setTimeout(done, Math.min(Math.max(0, ms), LONGEST_TIMER_MS)) : undefined;
      function done() {
        clearTimeout(timer);
        resolve(undefined);
      }
      this.ring = done;
    });
  }

  /** So long, unless it ends before. */
  async pause(ms: number) {
    const until = Date.now() + ms;
    while (!this.outcome && Date.now() < until) await this.nudged(until - Date.now());
  }
}
