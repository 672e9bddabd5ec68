import type { Message } from "../queries.ts";
import type { FeedSource } from "../store/feed-source.ts";
import { type Filter, matches } from "./filter.ts";

export const HITS_AT_ONCE = 60;

export interface Finder {
  find(filter: Filter, before: number | undefined, first: number): Promise<Message[]>;
  at(cursors: number[]): Promise<Message[]>;
}

/**
 * The messages that a filter leaves, newest found first, with the one before and the one after each. Older ones are read when
 * they are looked at; what comes meanwhile is judged here, so that no message makes a request.
 */
export class FoundFeed {
  readonly filter: Filter;
  readonly hits = new Set<number>();
  readonly #finder: Finder;
  readonly #messages = new Map<number, Message>();
  readonly #listeners = new Set<() => void>();
  #source: FeedSource = listOf([], this.#messages);
  #reading = false;
  #complete = false;
  #failed = false;
  #last: number;

  constructor(filter: Filter, last: number, finder: Finder) {
    this.filter = filter;
    this.#last = last;
    this.#finder = finder;
  }

  readonly subscribe = (listener: () => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Another object after each change. */
  readonly source = (): FeedSource => this.#source;

  get state(): "reading" | "failed" | "complete" | "more" {
    if (this.#failed) return "failed";
    if (this.#reading) return "reading";
    return this.#complete ? "complete" : "more";
  }

  /** Reads the next older hits. */
  async readOn(): Promise<void> {
    if (this.#reading || this.#complete) return;
    this.#reading = true;
    try {
      const before = this.hits.size > 0 ? Math.min(...this.hits) : undefined;
      const found = await this.#finder.find(this.filter, before, HITS_AT_ONCE);
      this.#complete = found.length < HITS_AT_ONCE;
      this.#failed = false;
      this.#take(found);
      this.#changed();
      // The hits are there at once; what stands around them comes after.
      const around = found.flatMap(({ sequence }) => [sequence - 1, sequence + 1]);
      const missing = [...new Set(around)].filter((n) => n >= 1 && n <= this.#last && !this.#messages.has(n));
      if (missing.length > 0)
        for (const message of await this.#finder.at(missing)) this.#messages.set(message.sequence, message);
    } catch {
      this.#failed = true;
    }
    this.#reading = false;
    this.#changed();
  }

  /** What has just come: a hit, what stands after one, or nothing. */
  offer(message: Message, before: Message | undefined) {
    if (message.sequence <= this.#last || this.#messages.has(message.sequence)) return;
    this.#last = message.sequence;
    const hit = matches(message, this.filter);
    if (!hit && !this.hits.has(message.sequence - 1)) return;
    if (hit) this.hits.add(message.sequence);
    this.#messages.set(message.sequence, message);
    if (hit && before) this.#messages.set(before.sequence, before);
    this.#changed();
  }

  #take(found: Message[]) {
    for (const message of found) {
      this.hits.add(message.sequence);
      this.#messages.set(message.sequence, message);
    }
  }

  #changed() {
    this.#source = listOf(
      [...this.#messages.keys()].sort((a, b) => a - b),
      this.#messages,
    );
    for (const listener of this.#listeners) listener();
  }
}

function listOf(sequences: readonly number[], messages: ReadonlyMap<number, Message>): FeedSource {
  const places = new Map(sequences.map((sequence, index) => [sequence, index]));
  return {
    count: sequences.length,
    sequenceAt: (index) => sequences[index] ?? 0,
    indexOf: (sequence) => places.get(sequence) ?? -1,
    message: (sequence) => messages.get(sequence),
  };
}
