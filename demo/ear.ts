interface News {
  next_cursor: number;
  session_closed: boolean;
}

/** Listens as the guide says: one wait after the other, each with the cursor of the last, until the session is closed. */
export class Ear {
  cursor: number;
  #news = Promise.withResolvers<void>();
  #stopped = false;
  /** Settles when nothing is being waited for any more. */
  done: Promise<void>;

  constructor(cursor: number, wait: (sinceCursor: number) => Promise<News>) {
    this.cursor = cursor;
    this.done = this.#listen(wait);
  }

  async #listen(wait: (sinceCursor: number) => Promise<News>) {
    let closed = false;
    try {
      while (!closed && !this.#stopped) {
        const news = await wait(this.cursor);
        this.cursor = news.next_cursor;
        closed = news.session_closed;
        this.#news.resolve();
        this.#news = Promise.withResolvers();
      }
    } catch (error) {
      // Whoever asks what was heard is told; if nobody asks, the team was about to go anyway.
      this.#news.promise.catch(() => undefined);
      this.#news.reject(error);
    }
  }

  /** The wait in flight is the last one. */
  stop() {
    this.#stopped = true;
  }

  async hears(cursor: number): Promise<void> {
    while (this.cursor < cursor) await this.#news.promise;
  }
}
