import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import type { ConnectionInitMessage, ServerOptions } from "graphql-ws";
import { type Extra, useServer } from "graphql-ws/use/ws";
import type { GrafservBase } from "postgraphile/grafserv";
import { makeGraphQLWSConfig } from "postgraphile/grafserv";
import { type WebSocket, WebSocketServer } from "ws";
import type { Hold } from "../http/actor-limits.ts";
import { type Caller, callerOf } from "../http/caller.ts";
import { refuse } from "../http/client-errors.ts";
import { TOO_MANY } from "../http/limits.ts";
import type { Doors } from "../live/doors.ts";
import { ApiError, invalidArgument, toApiError } from "../verbs/errors.ts";
import { callerIn } from "./caller.ts";
import { asGraphQLError } from "./errors.ts";
import { Subscriber } from "./subscriber.ts";

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

/** As GraphQL over WebSockets says it: who is told so does not try again with the same. */
const UNAUTHORIZED = 4401;

interface SocketOptions {
  /** Throws to refuse. */
  admit: (req: IncomingMessage) => void;
  watch: (client: WebSocket, req: IncomingMessage) => void;
  hold: Hold;
  doors: Doors;
  report: (error: unknown) => void;
}

/** grafserv's own handler has no limit for what a client sends and no say in who connects, or for how long. */
export function serveWebSockets(
  serv: GrafservBase,
  server: Server,
  { admit, watch, hold, doors, report }: SocketOptions,
) {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_PAYLOAD });
  // Before the protocol takes its socket: it must see every message.
  sockets.on("connection", watch);
  const config = makeGraphQLWSConfig(serv) as unknown as ServerOptions<ConnectionInitMessage["payload"], Extra>;
  // With it, what is nested too deep to be worked on fails where it is read, and is told so as any other bad message.
  config.jsonMessageReviver = (_name, value) => value;
  config.onOperation = ({ extra }, id, _payload, _args, result) => {
    if (result instanceof Subscriber) result.writeTo(extra.socket, id);
  };
  config.onConnect = ({ extra: { request, socket }, connectionParams }) => {
    const caller = callerIn({ ws: { request, normalizedConnectionParams: normalized(connectionParams) } as never });
    socket.once(
      "close",
      doors.watch(caller, () => socket.close(UNAUTHORIZED, "Unauthorized")),
    );
    try {
      socket.once("close", hold("sockets", notYetCounted(caller, callerOf(request))));
    } catch {
      socket.close(TOO_MANY, "rate_limited");
    }
  };
  const protocol = useServer(config, sockets);
  // Broken frames and too large ones close the socket with the right code; graphql-ws would print each of them.
  sockets.on("connection", (socket) => socket.removeAllListeners("error").on("error", () => undefined));
  sockets.on("wsClientError", ({ message }, socket) =>
    refuse(
      socket,
      invalidArgument(
        "Upgrade",
        `This WebSocket cannot be opened: ${message}.`,
        "Ask for the protocol graphql-transport-ws, as GraphQL clients do.",
      ),
    ),
  );

  const upgrade = (req: IncomingMessage, socket: Duplex, head: Buffer) => {
    try {
      admit(req);
      sockets.handleUpgrade(req, socket, head, (client) => sockets.emit("connection", client, req));
    } catch (error) {
      const refusal = toApiError(error);
      if (refusal.status >= 500) report(error);
      refuse(socket, refusal);
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

/** What the parameters of the connection show beyond the headers, by which the socket was counted when it was opened. */
const notYetCounted = (caller: Caller, before: Caller) => ({
  teamHash: caller.teamHash === before.teamHash ? "" : caller.teamHash,
  keyHash: caller.keyHash === before.keyHash ? "" : caller.keyHash,
  cookieHash: "",
});

/** As grafserv does it for every operation. */
const normalized = (params: Record<string, unknown> = {}) =>
  Object.fromEntries(Object.entries(params).map(([name, value]) => [name.toLowerCase(), value]));
