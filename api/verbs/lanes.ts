import { ApiError, sessionBusy } from "./errors.ts";

export interface LaneLimits {
  /** Calls of one session that are in the database together. */
  width: number;
  /** Calls of one session that wait for their turn. */
  queue: number;
  /** Calls of all sessions, those that wait and those under way. */
  total: number;
  /** How long one waits for its turn. */
  patienceMs: number;
}

interface Lane {
  running: number;
  waiting: Set<() => void>;
}

/** Calls of one session queue here, not on the connections: a session that is stuck holds back nobody else. */
export class Lanes {
  #lanes = new Map<string, Lane>();
  #total = 0;
  #limits: LaneLimits;

  constructor(limits: LaneLimits) {
    this.#limits = limits;
  }

  /** Calls that are waiting or under way. */
  get size(): number {
    return this.#total;
  }

  async run<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const lane = this.#lanes.get(key) ?? { running: 0, waiting: new Set() };
    const full = lane.running >= this.#limits.width;
    if (this.#total >= this.#limits.total || (full && lane.waiting.size >= this.#limits.queue)) throw sessionBusy();
    this.#lanes.set(key, lane);
    this.#total++;
    try {
      if (full) await this.#turn(lane, signal);
      else lane.running++;
      try {
        return await work();
      } finally {
        this.#next(lane);
      }
    } finally {
      this.#total--;
      if (lane.running === 0 && lane.waiting.size === 0) this.#lanes.delete(key);
    }
  }

  /** Whoever ends hands its place on, so that nobody who comes later can take it. */
  #next(lane: Lane) {
    const [first] = lane.waiting;
    if (first) first();
    else lane.running--;
  }

  #turn(lane: Lane, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        lane.waiting.delete(begin);
        clearTimeout(timer);
        signal?.removeEventListener("abort", gone);
      };
      const begin = () => {
        leave();
        resolve();
      };
      const giveUp = (error: ApiError) => {
        leave();
        reject(error);
      };
      const gone = () => giveUp(new ApiError(499, "client_gone", "The client has gone."));
      const timer = setTimeout(() => giveUp(sessionBusy()), this.#limits.patienceMs);
      lane.waiting.add(begin);
      if (signal?.aborted) gone();
      else signal?.addEventListener("abort", gone, { once: true });
    });
  }
}

/** A session has many names: all beginnings of its uuid share a lane. */
export function laneOf(session: string): string {
  const name = session.toLowerCase();
  const hex = name.replaceAll("-", "");
  return /^[0-9a-f]{8,32}$/.test(hex) ? hex.slice(0, 8) : name;
}
