import type { ServerResponse } from "node:http";
import type { WebSocket } from "ws";

const ALL_ANSWERS_LIMIT = 128 * 1024 * 1024;
const PATIENCE_MS = 30_000;

interface Outgoing {
  backlog(): number;
  cut(): void;
}

/**
 * Answers that were given and not yet taken are memory that a client makes this process keep. One of which nothing has been
 * taken for a while is cut off; and when all together pass a bound, the one that has been under way for the longest is.
 */
export function createAnswers(limit = ALL_ANSWERS_LIMIT, patienceMs = PATIENCE_MS) {
  const underWay = new Set<Outgoing>();
  let cut = 0;
  const held = () => {
    let bytes = 0;
    for (const outgoing of underWay) {
      const backlog = outgoing.backlog();
      if (backlog === 0) underWay.delete(outgoing);
      bytes += backlog;
    }
    return bytes;
  };
  const cutOff = (outgoing: Outgoing) => {
    cut += 1;
    underWay.delete(outgoing);
    outgoing.cut();
  };
  const noticeBacklog = (outgoing: Outgoing) => {
    if (outgoing.backlog() === 0) return;
    underWay.add(outgoing);
    for (const longest of underWay) {
      if (longest === outgoing || held() <= limit) break;
      cutOff(longest);
    }
  };

  return {
    watch(res: ServerResponse): void {
      const outgoing = {
        backlog: () => (res.destroyed ? 0 : res.writableLength),
        cut: () => res.req.socket.destroy(),
      };
      for (const method of ["write", "end"] as const) {
        const send = res[method].bind(res) as (...args: unknown[]) => unknown;
        // Named first: a function that is written where it is assigned to a property is old at once for V8, with all that it holds.
        const sendAndLook = (...args: unknown[]) => {
          const result = send(...args);
          noticeBacklog(outgoing);
          return result;
        };
        res[method] = sendAndLook as never;
      }
      res.on("close", () => underWay.delete(outgoing));
      // Node tells a socket whose buffer shrinks from one that stands still. A call that waits has nothing to be taken.
      res.setTimeout(patienceMs, () => {
        if (outgoing.backlog() > 0) cutOff(outgoing);
        else res.socket?.setTimeout(patienceMs);
      });
    },

    /** A WebSocket that stands still is ended by its own pings; here it only counts. */
    watchSocket(client: WebSocket): void {
      const outgoing = { backlog: () => client.bufferedAmount, cut: () => client.terminate() };
      const send = client.send.bind(client) as (...args: unknown[]) => void;
      client.send = ((...args: unknown[]) => {
        send(...args);
        noticeBacklog(outgoing);
      }) as never;
      client.once("close", () => underWay.delete(outgoing));
    },

    /** Bytes that wait to be taken. */
    get held() {
      return held();
    },
    /** How many answers were given up. */
    get cut() {
      return cut;
    },
  };
}
