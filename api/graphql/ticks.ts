/** A notification may be lost; whoever watches looks by itself when nothing was heard for so long. */
export const LOOK_EVERY_MS = 5_000;

export interface EventSource {
  subscribe(topic: string, listener: (topic?: string) => void): () => void;
}

export interface Tick {
  /** Whether something has happened, or somebody new is only greeted. */
  news: boolean;
  /** The topics on which that was. */
  heard: readonly string[];
  /** Something may have happened that was not heard. */
  looked: boolean;
  /** Of a greeting: whether something has happened that the next tick with news will tell of. */
  behind: boolean;
}

export interface TicksOptions<T> {
  /** What each tick carries. */
  value: (tick: Tick) => T;
  /** Between two ticks that have news; what happens meanwhile is one. */
  gapMs: number;
  lookEveryMs?: number | undefined;
  /** Called as a tick begins: with news, or only to greet. */
  onTick?: (news: boolean) => void;
  /** Whether what happened on these topics is for the reader to know; asked once for all that happened since the last tick. */
  concerns?: (topics: string[]) => Promise<boolean>;
  /** Asked when something happens on this topic: whether there is nothing more to see. Then one last tick comes, and the end. */
  over?: { topic: string; check: () => Promise<boolean> };
}

/**
 * One value at once, and one again after something has happened on the topics, but only when the reader has asked
 * for it. Whatever happens in between is one tick: a slow reader catches up with one read, and nothing piles up.
 */
export class Ticks<T> implements AsyncIterableIterator<T> {
  #options: TicksOptions<T>;
  #stops: (() => void)[];
  #happenings = 0;
  #heard = new Set<string>();
  #looks = false;
  #over = false;
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
    this.#stops = topics.map((topic) => events.subscribe(topic, (heard) => this.#happen(heard)));
    if (options.over) this.#stops.push(events.subscribe(options.over.topic, () => void this.#endIfOver()));
  }

  #happen(topic?: string) {
    this.#happenings++;
    if (topic) this.#heard.add(topic);
    else this.#looks = true;
    this.#wake();
  }

  async #endIfOver() {
    if (!(await this.#options.over?.check().catch(() => false))) return;
    this.#over = true;
    this.#happen();
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
    for (;;) {
      while (!this.#ended && !(this.#wanted && (this.#greeting || this.#hasNews))) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
      const [looked, heard] = [this.#looks, [...this.#heard]];
      const news = this.#hasNews && (await this.#concernsReader());
      if (this.#ended) return { done: true, value: undefined };
      if (!news && !this.#greeting) continue;
      this.#wanted = this.#greeting = false;
      if (news) this.#settle();
      this.#options.onTick?.(news);
      if (this.#over) await this.return();
      return { done: false, value: this.#options.value({ news, heard, looked, behind: this.behind }) };
    }
  }

  /** What is not for this reader passes by: no tick, and no later one for it either. */
  async #concernsReader(): Promise<boolean> {
    const { concerns } = this.#options;
    const [looks, heard, happenings] = [this.#looks, [...this.#heard], this.#happenings];
    this.#looks = false;
    this.#heard.clear();
    if (!concerns || looks || (await concerns(heard).catch(() => false))) return true;
    this.#toldOf = happenings;
    this.#pause();
    return false;
  }

  get #hasNews() {
    return this.behind && this.#rested;
  }

  #settle() {
    this.#toldOf = this.#happenings;
    this.#look?.refresh();
    this.#pause();
  }

  #pause() {
    this.#rested = false;
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
