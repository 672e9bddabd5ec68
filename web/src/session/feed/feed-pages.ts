import type { DocEdit, Message } from "../queries.ts";

export const PAGE = 100;
const KEPT_PAGES = 30;
const RETRY_MS = 3_000;

/** As much of a reply as the answered message needs to know. */
export type Reply = Pick<Message, "sequence" | "kind"> & { handle: string | undefined };

/** Messages, and what was written in the document between them. */
export interface FeedPart {
  messages: readonly Message[];
  edits: readonly DocEdit[];
}

export type ReadFeed = (from: number, to: number) => Promise<FeedPart>;

const NO_EDITS: readonly DocEdit[] = [];

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
  readonly #edits = new Map<number, readonly DocEdit[]>();
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

  /** What was written in the document after a message and before the next; 0: before the first. */
  editsAfter(sequence: number): readonly DocEdit[] {
    return this.#edits.get(sequence) ?? NO_EDITS;
  }

  /** The kinds that have been seen so far. */
  get kinds(): ReadonlySet<string> {
    return this.#kinds;
  }

  /** Takes in what came by itself, where it continues what is known. */
  offer(messages: readonly Message[], edits: readonly DocEdit[] = []) {
    let taken = this.#noteEdits(edits);
    for (const message of messages) {
      this.#note(message);
      const page = pageOf(message.sequence);
      const known = this.#pages.get(page) ?? [];
      if (message.sequence !== page * PAGE + known.length + 1) continue;
      this.#pages.set(page, [...known, message]);
      taken = true;
    }
    if (taken || messages.some(({ replyTo }) => replyTo)) this.#changed();
  }

  /** Takes in what has become of a message: its ask was answered. */
  replace(message: Message) {
    const page = this.#pages.get(pageOf(message.sequence));
    const index = (message.sequence - 1) % PAGE;
    if (!page?.[index]) return;
    this.#pages.set(pageOf(message.sequence), page.with(index, message));
    this.#changed();
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
      const { messages: found, edits } = await this.#read(from, (page + 1) * PAGE);
      this.#failed = false;
      this.#noteEdits(edits);
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

  #noteEdits(edits: readonly DocEdit[]): boolean {
    let taken = false;
    for (const edit of edits) {
      const known = this.editsAfter(edit.afterCursor);
      if (known.some(({ version }) => version === edit.version)) continue;
      const all = [...known, edit].toSorted((a, b) => a.version - b.version);
      this.#edits.set(edit.afterCursor, all);
      taken = true;
    }
    return taken;
  }

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
