import type { Logger } from "pino";
import { survive } from "../survive.ts";
import { sendPushes } from "./send.ts";

/** Sends beside everything else: push services are strangers, and nothing waits for them. */
export class Sender {
  #query: Parameters<typeof sendPushes>[0];
  #log: Logger;
  #mayReachLoopback: boolean;
  #stopped = new AbortController();
  #sending: Promise<void> | undefined;

  constructor(query: Parameters<typeof sendPushes>[0], log: Logger, mayReachLoopback = false) {
    this.#query = query;
    this.#log = log;
    this.#mayReachLoopback = mayReachLoopback;
  }

  /** Those of the round before come first: what is new meanwhile is taken with the next one. */
  begin(): void {
    const { signal } = this.#stopped;
    if (signal.aborted) return;
    this.#sending ??= sendPushes(this.#query, { signal, mayReachLoopback: this.#mayReachLoopback })
      .catch((err) => survive(this.#log, "push", err, "notifications could not be sent", "warn"))
      .finally(() => {
        this.#sending = undefined;
      });
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#sending;
  }
}
