import type { Message } from "../queries.ts";

export const PAGE = 100;
const KEPT_PAGES = 30;
const RETRY_MS = 3_000;

/** As much of a reply as the answered message needs to know. */
export type Reply = Pick<Message, "sequence" | "kind"> & { handle: string | undefined };

export type ReadFeed = (from: number, to: number) => Promise<Message[]>;

/**
 * The part of the feed that is near the eye. Sequences have no gap, so a page is an address: nothing is counted,
 * and catching up after a lost connection is reading on from the last message of a page.
 */
export class FeedPages {
  readonly #read: ReadFeed;
  readonly #pages = new Map<number, Message[]>();
  readonly #reading = new Set<number>();
  readonly #listeners = new Set<() => void>();
  readonly #replies = new Map<number, Map<number, Reply>>();
  readonly #kinds = new Set<string>();
  #failed = false;
  #revision = 0;

  constructor(read: ReadFeed) {
    this.#read = read;
  }

  readonly subscribe = (listener: () => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly revision = () => this.#revision;

  get failed() {
    return this.#failed;
  }

  get(sequence: number): Message | undefined {
    return this.#pages.get(pageOf(sequence))?.[(sequence - 1) % PAGE];
  }

  /** The replies that have been seen so far, in no order. */
  repliesTo(sequence: number): Reply[] {
    return [...(this.#replies.get(sequence)?.values() ?? [])];
  }

  /** The kinds that have been seen so far. */
  get kinds(): ReadonlySet<string> {
    return this.#kinds;
  }

  /** Takes in what came by itself, where it continues what is known. */
  offer(messages: Message[]) {
    let taken = false;
    for (const message of messages) {
      const page = pageOf(message.sequence);
      const known = this.#pages.get(page) ?? [];
      if (message.sequence !== page * PAGE + known.length + 1) continue;
      this.#pages.set(page, [...known, message]);
      this.#note(message);
      taken = true;
    }
    if (taken) this.#changed();
  }

  /** Reads what is missing between two sequences, and forgets what is far from them. */
  show(first: number, last: number) {
    for (let page = pageOf(first); page <= pageOf(last); page++) {
      const end = Math.min((page + 1) * PAGE, last);
      if ((this.#pages.get(page)?.length ?? 0) < end - page * PAGE) void this.#load(page);
    }
    this.#forget(pageOf((first + last) >> 1));
  }

  async #load(page: number) {
    if (this.#reading.has(page)) return;
    this.#reading.add(page);
    try {
      const known = this.#pages.get(page) ?? [];
      const from = page * PAGE + known.length + 1;
      const found = await this.#read(from, (page + 1) * PAGE);
      this.#failed = false;
      // A hole would shift every message behind it: only what continues the page is taken.
      const next = found.filter((message, index) => message.sequence === from + index);
      if (next.length > 0) this.#pages.set(page, [...known, ...next]);
      next.forEach(this.#note);
      this.#reading.delete(page);
    } catch {
      this.#failed = true;
      setTimeout(() => {
        this.#reading.delete(page);
        this.#changed();
      }, RETRY_MS);
    }
    this.#changed();
  }

  readonly #note = ({ sequence, kind, replyTo, postedBy }: Message) => {
    this.#kinds.add(kind);
    if (!replyTo) return;
    const replies = this.#replies.get(replyTo) ?? new Map<number, Reply>();
    this.#replies.set(replyTo, replies.set(sequence, { sequence, kind, handle: postedBy?.handle }));
  };

  #forget(center: number) {
    if (this.#pages.size <= KEPT_PAGES) return;
    const far = [...this.#pages.keys()].sort((a, b) => Math.abs(b - center) - Math.abs(a - center));
    for (const page of far.slice(0, this.#pages.size - KEPT_PAGES)) this.#pages.delete(page);
  }

  #changed() {
    this.#revision++;
    for (const listener of this.#listeners) listener();
  }
}

const pageOf = (sequence: number) => Math.floor((sequence - 1) / PAGE);
