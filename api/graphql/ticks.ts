import { setTimeout as sleep } from "node:timers/promises";

/** A notification may be lost; whoever watches looks by itself when nothing was heard for so long. */
export const LOOK_EVERY_MS = 5_000;

export interface EventSource {
  subscribe(topic: string, listener: () => void): () => void;
}

/**
 * One value at once, and one again after something has happened on the topics, but only when the reader has asked
 * for it. Whatever happens in between is one tick: a slow reader catches up with one read, and nothing piles up.
 */
export class Ticks<T> implements AsyncIterableIterator<T> {
  #value: T;
  #gapMs: number;
  #stops: (() => void)[];
  #happened = true;
  #wanted = false;
  #ended = false;
  #rest: Promise<unknown> | undefined;
  #wake = () => {};
  #look: NodeJS.Timeout | undefined;

  constructor(events: EventSource, topics: string[], value: T, gapMs: number, lookEveryMs?: number) {
    this.#value = value;
    this.#gapMs = gapMs;
    if (lookEveryMs) this.#look = setTimeout(() => this.#happen(), lookEveryMs);
    this.#stops = topics.map((topic) => events.subscribe(topic, () => this.#happen()));
  }

  #happen() {
    this.#happened = true;
    this.#wake();
  }

  /** The reader is done with what it got and would take more. */
  want(): void {
    this.#wanted = true;
    this.#wake();
  }

  async next(): Promise<IteratorResult<T, undefined>> {
    await this.#rest;
    while (!this.#ended && !(this.#happened && this.#wanted)) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#ended) return { done: true, value: undefined };
    this.#happened = this.#wanted = false;
    this.#look?.refresh();
    this.#rest = sleep(this.#gapMs);
    return { done: false, value: this.#value };
  }

  async return(): Promise<IteratorResult<T, undefined>> {
    this.#ended = true;
    clearTimeout(this.#look);
    for (const stop of this.#stops.splice(0)) stop();
    this.#wake();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator]() {
    return this;
  }
}

/** grafast reads its source as fast as it can and keeps the results; this makes it wait for the socket. */
export function paced<T>(
  results: AsyncGenerator<T, void>,
  ticks: () => Ticks<unknown> | undefined,
): AsyncGenerator<T, void> {
  return {
    next() {
      ticks()?.want();
      return results.next();
    },
    return: (value) => results.return(value),
    throw: (error) => results.throw(error),
    [Symbol.asyncIterator]() {
      return this;
    },
    async [Symbol.asyncDispose]() {
      await results.return();
    },
  };
}
