import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { opensSocket } from "../graphql/path.ts";
import { answerClientError, refuse } from "./client-errors.ts";
import { methodNotAllowed } from "./error-handler.ts";

/** How long a request may take to arrive: its headers 15 s, all of it 60 s. Node looks once per interval. */
const ARRIVAL = { headersTimeout: 14_000, requestTimeout: 60_000, connectionsCheckingInterval: 1_000 };
/** Longer than proxies keep a connection for the next request: what closes first must not be the side that is about to be asked. */
const KEEP_ALIVE_MS = 75_000;

/** Node's server without its traps: what it refuses gets the error body, and what offers or expects more is served all the same. */
export function createHttpServer(handler: RequestListener, arrival = ARRIVAL): Server {
  const server = createServer({
    keepAliveTimeout: KEEP_ALIVE_MS,
    ...arrival,
    requireHostHeader: false,
    shouldUpgradeCallback: opensSocket,
  });
  return server
    .on("request", tellWhenGone())
    .on("request", handler)
    .on("checkExpectation", (req, res) => server.emit("request", req, res))
    .on("connect", (req, socket) => refuse(socket, methodNotAllowed(req, ["GET", "POST"])))
    .on("clientError", answerClientError);
}

/** Node does not tell an answer that stands in line behind another one that their connection has gone. */
function tellWhenGone(): RequestListener {
  const lines = new WeakMap<Socket, Set<ServerResponse>>();
  return (req: IncomingMessage, res: ServerResponse) => {
    if (res.socket) return;
    const line = lines.get(req.socket) ?? new Set();
    if (!lines.has(req.socket)) {
      lines.set(req.socket, line);
      req.socket.once("close", () => {
        for (const waiting of line) if (!waiting.socket) waiting.destroy().emit("close");
      });
    }
    line.add(res);
    res.once("close", () => line.delete(res));
  };
}
