import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { useServer } from "graphql-ws/use/ws";
import type { GrafservBase } from "postgraphile/grafserv";
import { makeGraphQLWSConfig } from "postgraphile/grafserv";
import { WebSocketServer } from "ws";
import { ApiError } from "../errors.ts";
import { asGraphQLError } from "./errors.ts";

const MAX_PAYLOAD = 100_000;
const GOODBYE_MS = 1_000;
export const MAX_OPERATIONS = 20;

/** One page watches a handful of things; whoever opens more on one socket is told so. */
export const SocketPlugin: GraphileConfig.Plugin = {
  name: "ParleySocketPlugin",
  grafserv: {
    middleware: {
      onSubscribe(next, { ctx }) {
        if (Object.keys(ctx.subscriptions).length <= MAX_OPERATIONS) return next();
        const message = `This connection has ${MAX_OPERATIONS} operations under way already.`;
        return [
          asGraphQLError(
            new ApiError(429, "rate_limited", message, {
              retry_after_seconds: 1,
              hint: "Complete some of them first.",
            }),
          ),
        ];
      },
    },
  },
};

/** grafserv's own handler has no limit for what a client sends and no say in who connects. */
export function serveWebSockets(
  serv: GrafservBase,
  server: Server,
  path: string,
  allow: (req: IncomingMessage) => boolean,
) {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_PAYLOAD });
  const protocol = useServer(makeGraphQLWSConfig(serv) as Parameters<typeof useServer>[0], sockets);
  // Broken frames and too large ones close the socket with the right code; graphql-ws would print each of them.
  sockets.on("connection", (socket) => socket.removeAllListeners("error").on("error", () => undefined));

  const upgrade = (req: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (req.url?.split("?")[0] !== path) {
      if (server.listenerCount("upgrade") === 1) refuse(socket, "404 Not Found");
    } else if (!allow(req)) {
      refuse(socket, "403 Forbidden");
    } else {
      sockets.handleUpgrade(req, socket, head, (client) => sockets.emit("connection", client, req));
    }
  };
  server.on("upgrade", upgrade);

  return async () => {
    server.off("upgrade", upgrade);
    // A client that is gone or stuck would answer the goodbye never.
    const cut = setTimeout(() => {
      for (const client of sockets.clients) client.terminate();
    }, GOODBYE_MS);
    await protocol.dispose();
    clearTimeout(cut);
  };
}

function refuse(socket: Duplex, status: string) {
  socket.on("error", () => socket.destroy());
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
