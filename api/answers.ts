import type { ServerResponse } from "node:http";

const ALL_ANSWERS_LIMIT = 128 * 1024 * 1024;
const PATIENCE_MS = 30_000;

/**
 * Answers that were given and not yet taken are memory that a client makes this process keep. One of which nothing has been
 * taken for a while is cut off; and when all together pass a bound, the one that has been under way for the longest is.
 */
export function createAnswers(limit = ALL_ANSWERS_LIMIT, patienceMs = PATIENCE_MS) {
  const underWay = new Set<ServerResponse>();
  let cut = 0;
  const held = () => {
    let bytes = 0;
    for (const res of underWay) bytes += res.writableLength;
    return bytes;
  };
  const cutOff = (res: ServerResponse) => {
    cut += 1;
    underWay.delete(res);
    res.req.socket.destroy();
  };

  const noticeBacklog = (res: ServerResponse) => {
    if (res.destroyed || res.writableLength === 0) return;
    underWay.add(res);
    for (const longest of underWay) {
      if (longest === res || held() <= limit) break;
      cutOff(longest);
    }
  };

  return {
    watch(res: ServerResponse): void {
      for (const method of ["write", "end"] as const) {
        const send = res[method].bind(res) as (...args: unknown[]) => unknown;
        res[method] = ((...args: unknown[]) => {
          const result = send(...args);
          noticeBacklog(res);
          return result;
        }) as never;
      }
      res.on("drain", () => underWay.delete(res));
      res.once("close", () => underWay.delete(res));
      // Node tells a socket whose buffer shrinks from one that stands still. A call that waits has nothing to be taken.
      res.setTimeout(patienceMs, () => {
        if (res.writableLength > 0) cutOff(res);
        else res.socket?.setTimeout(patienceMs);
      });
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
