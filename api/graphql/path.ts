import type { IncomingMessage } from "node:http";

export const GRAPHQL_PATH = "/graphql";

/** Whether a request asks for the WebSocket that is served here: any other offer of an upgrade gets the ordinary answer. */
export const opensSocket = (req: IncomingMessage): boolean =>
  req.method === "GET" &&
  req.headers.upgrade?.toLowerCase() === "websocket" &&
  req.url?.split("?", 1)[0] === GRAPHQL_PATH;
