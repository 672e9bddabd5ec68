import { createClient } from "graphql-ws";
import { signedOut } from "@/people/me.ts";
import { connectionState } from "./connection.ts";

const PING_EVERY_MS = 10_000;
const PONG_WITHIN_MS = 5_000;
const UNAUTHORIZED = 4401;
const RETRY_AT_MOST_MS = 8_000;

let failedAttempts = 0;
let pongTimeout: ReturnType<typeof setTimeout> | undefined;

/** One socket for all subscriptions, always open: it is also how the page knows that it is live. */
export const socket = createClient({
  url: `${location.origin.replace(/^http/, "ws")}/graphql`,
  lazy: false,
  keepAlive: PING_EVERY_MS,
  retryAttempts: Number.POSITIVE_INFINITY,
  shouldRetry: () => true,
  retryWait: (retries) => sleepUntilOnline(Math.min(500 * 2 ** retries, RETRY_AT_MOST_MS) * (0.75 + Math.random() / 2)),
  onNonLazyError: () => undefined,
  on: {
    connected: () => {
      failedAttempts = 0;
      connectionState.connected();
    },
    closed: (event) => {
      // What this page had shown opens no doors any more; the client does not come back by itself.
      if ((event as CloseEvent).code === UNAUTHORIZED) void signedOut();
      clearTimeout(pongTimeout);
      connectionState.lost(failedAttempts++);
    },
    // A sleeping laptop or a dead proxy leaves a socket that looks open.
    ping: (received) => {
      if (!received) pongTimeout = setTimeout(() => socket.terminate(), PONG_WITHIN_MS);
    },
    pong: (received) => {
      if (received) clearTimeout(pongTimeout);
    },
  },
});

function sleepUntilOnline(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      window.removeEventListener("online", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    window.addEventListener("online", done);
  });
}
