const BURST_SECONDS = 10;
/** Of so many addresses it is known how much they ask for; then those that were quiet the longest are forgotten. */
const MOST = 20_000;

interface Bucket {
  tokens: number;
  at: number;
}

/** Buckets of tokens, one per key, that fill up again at a rate. */
export class Rates {
  #buckets = new Map<string, Bucket>();
  #most: number;
  #now: () => number;

  constructor(most = MOST, now = () => performance.now()) {
    this.#most = most;
    this.#now = now;
  }

  get size(): number {
    return this.#buckets.size;
  }

  /** Takes one; where there is none, after how many seconds there will be. */
  take(key: string, perSecond: number): number {
    if (perSecond === Number.POSITIVE_INFINITY) return 0;
    const now = this.#now();
    const bucket = this.#buckets.get(key) ?? { tokens: BURST_SECONDS * perSecond, at: now };
    const tokens = Math.min(BURST_SECONDS * perSecond, bucket.tokens + ((now - bucket.at) / 1_000) * perSecond);
    // Behind all others: those that were asked for last come last.
    this.#buckets.delete(key);
    this.#buckets.set(key, { tokens: tokens >= 1 ? tokens - 1 : tokens, at: now });
    for (const oldest of this.#buckets.keys()) {
      if (this.#buckets.size <= this.#most) break;
      this.#buckets.delete(oldest);
    }
    return tokens >= 1 ? 0 : Math.ceil((1 - tokens) / perSecond);
  }
}
