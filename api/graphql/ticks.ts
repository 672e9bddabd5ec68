/** A notification may be lost; whoever watches looks by itself when nothing was heard for so long. */
export const LOOK_EVERY_MS = 5_000;

export interface EventSource {
  subscribe(topic: string, listener: () => void): () => void;
}

export interface TicksOptions<T> {
  /** What each tick carries. */
  value: T;
  /** Between two ticks that have news; what happens meanwhile is one. */
  gapMs: number;
  lookEveryMs?: number | undefined;
  /** Called as a tick begins: with news, or only to greet. */
  onTick?: (news: boolean) => void;
}

/**
 * One value at once, and one again after something has happened on the topics, but only when the reader has asked
 * for it. Whatever happens in between is one tick: a slow reader catches up with one read, and nothing piles up.
 */
export class Ticks<T> implements AsyncIterableIterator<T> {
  #options: TicksOptions<T>;
  #stops: (() => void)[];
  #happenings = 0;
  #toldOf = 0;
  #rested = true;
  #greeting = true;
  #wanted = false;
  #ended = false;
  #wake = () => {};
  #look: NodeJS.Timeout | undefined;
  #rest: NodeJS.Timeout | undefined;

  constructor(events: EventSource, topics: string[], options: TicksOptions<T>) {
    this.#options = options;
    if (options.lookEveryMs) this.#look = setTimeout(() => this.#happen(), options.lookEveryMs);
    this.#stops = topics.map((topic) => events.subscribe(topic, () => this.#happen()));
  }

  #happen() {
    this.#happenings++;
    this.#wake();
  }

  /** The reader is done with what it got and would take more. */
  want(): void {
    this.#wanted = true;
    this.#wake();
  }

  /** Somebody new looks on, who shall not wait for news. */
  greet(): void {
    this.#greeting = true;
    this.#wake();
  }

  /** How often something has happened so far. */
  get happenings(): number {
    return this.#happenings;
  }

  /** Whether something has happened that no tick has told of. */
  get behind(): boolean {
    return this.#toldOf < this.#happenings;
  }

  async next(): Promise<IteratorResult<T, undefined>> {
    while (!this.#ended && !(this.#wanted && (this.#greeting || this.#hasNews))) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#ended) return { done: true, value: undefined };
    const news = this.#hasNews;
    this.#wanted = this.#greeting = false;
    if (news) this.#settle();
    this.#options.onTick?.(news);
    return { done: false, value: this.#options.value };
  }

  get #hasNews() {
    return this.behind && this.#rested;
  }

  #settle() {
    this.#toldOf = this.#happenings;
    this.#rested = false;
    this.#look?.refresh();
    this.#rest = setTimeout(() => {
      this.#rested = true;
      this.#wake();
    }, this.#options.gapMs);
  }

  async return(): Promise<IteratorResult<T, undefined>> {
    this.#ended = true;
    clearTimeout(this.#look);
    clearTimeout(this.#rest);
    for (const stop of this.#stops.splice(0)) stop();
    this.#wake();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator]() {
    return this;
  }
}
