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
  /** What those are told for whom there is no room, or no time. */
  busy?: () => ApiError;
}

interface Lane {
  running: number;
  waiting: Set<Waiting>;
}

interface Waiting {
  begin: (turn: Turn | undefined) => void;
  /** What another may do in its place. */
  job: unknown;
}

/** A place in the lane of a session. */
export interface Turn<Job = unknown> {
  /** Takes along those who stand right behind and brought a job, at most so many. */
  takeAlong(most: number): Job[];
  leave(): void;
}

export const clientGone = () => new ApiError(499, "client_gone", "The client has gone.");

/** Calls of one session queue here, not on the connections: a session that is stuck holds back nobody else. */
export class Lanes {
  #lanes = new Map<string, Lane>();
  #total = 0;
  #limits: LaneLimits;
  #busy: () => ApiError;

  constructor(limits: LaneLimits) {
    this.#limits = limits;
    this.#busy = limits.busy ?? sessionBusy;
  }

  /** Calls that are waiting or under way. */
  get size(): number {
    return this.#total;
  }

  /** Does the work when its turn has come. */
  run<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.enter(
      key,
      async (turn) => {
        try {
          return await work();
        } finally {
          turn?.leave();
        }
      },
      signal,
    );
  }

  /**
   * The same for one that leaves by itself, and with whose job another may have been asked to go along: then there is
   * no turn of its own.
   */
  async enter<T>(
    key: string,
    work: (turn: Turn | undefined) => Promise<T>,
    signal?: AbortSignal,
    job?: unknown,
  ): Promise<T> {
    const lane = this.#lanes.get(key) ?? { running: 0, waiting: new Set() };
    const full = lane.running >= this.#limits.width;
    if (this.#total >= this.#limits.total || (full && lane.waiting.size >= this.#limits.queue)) throw this.#busy();
    this.#lanes.set(key, lane);
    this.#total++;
    try {
      if (!full) lane.running++;
      return await work(full ? await this.#turn(lane, signal, job) : this.#place(key, lane));
    } finally {
      this.#total--;
    }
  }

  #place(key: string, lane: Lane): Turn {
    return {
      takeAlong: (most) => {
        const taken: unknown[] = [];
        for (const { job, begin } of lane.waiting) {
          if (job === undefined || taken.length >= most) break;
          taken.push(job);
          begin(undefined);
        }
        return taken;
      },
      // Whoever ends hands its place on, so that nobody who comes later can take it.
      leave: () => {
        const [first] = lane.waiting;
        if (first) first.begin(this.#place(key, lane));
        else if (--lane.running === 0) this.#lanes.delete(key);
      },
    };
  }

  #turn(lane: Lane, signal: AbortSignal | undefined, job: unknown): Promise<Turn | undefined> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        lane.waiting.delete(waiting);
        clearTimeout(timer);
        signal?.removeEventListener("abort", gone);
      };
      const begin = (turn: Turn | undefined) => {
        leave();
        resolve(turn);
      };
      const giveUp = (error: ApiError) => {
        leave();
        reject(error);
      };
      const gone = () => giveUp(clientGone());
      const timer = setTimeout(() => giveUp(this.#busy()), this.#limits.patienceMs);
      const waiting = { begin, job };
      lane.waiting.add(waiting);
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
