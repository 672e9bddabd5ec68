import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import { ApiError } from "../verbs/errors.ts";
import { type ActorLimits, createActorLimits, enter } from "./actor-limits.ts";
import { clientAddress } from "./client-address.ts";
import type { Step } from "./handler.ts";
import { isLoopbackAddress } from "./origin.ts";
import { Rates } from "./rates.ts";

/** What one address may have, and what one actor; 0 is no limit. */
export interface Limits extends ActorLimits {
  /** Requests, and messages over WebSockets, a second; for a while ten times as many. */
  requests: number;
  /** Requests under way, calls that wait among them. */
  open: number;
  connections: number;
}

export const DEFAULT_LIMITS: Limits = {
  requests: 100,
  open: 1_000,
  connections: 1_000,
  sockets: 100,
  waits: 50,
  subscriptions: 500,
};
/** Everything on this machine has one address, a proxy that nobody was told of among it. */
const LOOPBACK_TIMES = 100;
/** Closed for this reason, as graphql-ws calls it. */
export const TOO_MANY = 4429;

const tooMany = (what: string, seconds: number, hint: string) =>
  new ApiError(429, "rate_limited", `There are too many ${what} from your address.`, {
    retry_after_seconds: seconds,
    hint,
  });

/** Holds back who asks for too much, before anything is done for it. */
export function createLimits(limits: Limits, isProxy: (address: string) => boolean) {
  const rates = new Rates();
  const open = new Map<string, number>();
  const connections = new Map<string, number>();
  const sockets = new Map<string, number>();
  const uninvited = new WeakSet<Socket>();
  let refused = 0;

  const limitOf = (name: keyof Limits, address: string) =>
    limits[name] * (isLoopbackAddress(address) ? LOOPBACK_TIMES : 1) || Number.POSITIVE_INFINITY;
  const refuse = (error: ApiError): never => {
    refused++;
    throw error;
  };

  function countRequest(req: IncomingMessage): void {
    const address = clientAddress(req);
    const seconds = rates.take(keyOf(address), limitOf("requests", address));
    if (seconds > 0)
      refuse(tooMany("requests", seconds, "Send the same call again after that. To hear of news, wait: do not poll."));
  }

  return {
    /** How often somebody was refused. */
    get refused() {
      return refused;
    },

    hold: createActorLimits(limits, refuse),

    step: ((req, res, next) => {
      if (uninvited.has(req.socket)) {
        res.shouldKeepAlive = false;
        refuse(
          tooMany("connections", 5, "Use the ones you have: keep them open for the next call, and close the others."),
        );
      }
      countRequest(req);
      const address = clientAddress(req);
      const leave =
        enter(open, keyOf(address), limitOf("open", address)) ??
        refuse(tooMany("calls under way", 5, "Let some of them end: one wait per team is enough."));
      res.on("close", leave);
      next();
    }) satisfies Step as Step,

    /** Throws where a WebSocket may not be opened. */
    admitSocket(req: IncomingMessage): void {
      countRequest(req);
      const address = clientAddress(req);
      const leave =
        enter(sockets, keyOf(address), limitOf("sockets", address)) ??
        refuse(tooMany("WebSockets", 5, "Close some: one carries many subscriptions."));
      req.socket.once("close", leave);
    },

    /** Whoever sends on a socket what it may not send as requests is hung up on. */
    watchSocket(client: WebSocket, req: IncomingMessage): void {
      client.on("message", () => {
        try {
          countRequest(req);
        } catch {
          client.close(TOO_MANY, "rate_limited");
        }
      });
    },

    /** The first request on a connection too many is told so; far beyond that they are closed as they come. */
    watchConnections(server: Server): void {
      server.on("connection", (socket: Socket) => {
        const address = (socket.remoteAddress ?? "").replace(/^::ffff:/, "");
        if (isProxy(address)) return;
        const most = limitOf("connections", address);
        const leave = enter(connections, keyOf(address), 2 * most);
        if (!leave) {
          refused++;
          return void socket.destroy();
        }
        socket.once("close", leave);
        if ((connections.get(keyOf(address)) ?? 0) > most) uninvited.add(socket);
      });
    },
  };
}

/** Whoever has one IPv6 address has the 2⁶⁴ of its network. */
export function keyOf(address: string): string {
  if (!address.includes(":")) return address;
  const [head = "", tail] = address.toLowerCase().split("::");
  const groups = head.split(":").filter(Boolean);
  const behind = tail?.split(":").filter(Boolean) ?? [];
  const zeros = Array.from({ length: Math.max(0, 8 - groups.length - behind.length) }, () => "0");
  return [...groups, ...(tail === undefined ? [] : zeros), ...behind].slice(0, 4).join(":");
}
