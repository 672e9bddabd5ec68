import type { ServerResponse } from "node:http";
import {
  type CallToolRequest,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  isSpecType,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  SERVER_INFO_META_KEY,
  SUPPORTED_PROTOCOL_VERSIONS,
} from "@modelcontextprotocol/server";
import type { RequestContext } from "./request-context.ts";
import { type Era, serverInfo } from "./server.ts";
import { callTool, PROGRESS_MS } from "./tools.ts";

const MODERN_VERSION = "2026-07-28";

export interface DirectCall {
  id: string | number;
  era: Era;
  params: CallToolRequest["params"];
}

interface Named {
  protocolVersionHeader?: string | undefined;
  mcpMethodHeader?: string | undefined;
  mcpNameHeader?: string | undefined;
}

/**
 * A tool call in which nothing is missing or odd. Nearly every request is one, and none needs a server object and its
 * transport; whatever is not as plain as this is left to the package.
 */
export function directCall(body: unknown, named: Named): DirectCall | undefined {
  if (!isObject(body) || body.method !== "tools/call" || body.jsonrpc !== "2.0") return undefined;
  const { id, params } = body;
  if (Object.keys(body).length !== 4) return undefined;
  if (typeof id !== "string" && !Number.isSafeInteger(id)) return undefined;
  if (!isObject(params) || typeof params.name !== "string" || !isOptionalObject(params.arguments)) return undefined;
  if (!isOptionalObject(params._meta) || !isToken(params._meta?.progressToken)) return undefined;
  const era = eraOf(params.name, params._meta ?? {}, named);
  return era && { id: id as string | number, era, params: params as DirectCall["params"] };
}

function eraOf(tool: string, meta: Record<string, unknown>, named: Named): Era | undefined {
  const { protocolVersionHeader: version, mcpMethodHeader, mcpNameHeader } = named;
  if (!(PROTOCOL_VERSION_META_KEY in meta)) return version === undefined || isLegacy(version) ? "legacy" : undefined;
  const client = meta[CLIENT_INFO_META_KEY];
  const plain =
    meta[PROTOCOL_VERSION_META_KEY] === MODERN_VERSION &&
    version === MODERN_VERSION &&
    mcpMethodHeader === "tools/call" &&
    mcpNameHeader === tool &&
    isSpecType.ClientCapabilities(meta[CLIENT_CAPABILITIES_META_KEY]) &&
    (client === undefined || isSpecType.Implementation(client)) &&
    !(LOG_LEVEL_META_KEY in meta);
  return plain ? "modern" : undefined;
}

const isLegacy = (version: string) => SUPPORTED_PROTOCOL_VERSIONS.includes(version);
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isOptionalObject = (value: unknown): value is Record<string, unknown> | undefined =>
  value === undefined || isObject(value);
const isToken = (value: unknown) => value === undefined || typeof value === "string" || Number.isSafeInteger(value);

/** Answers as the package does: a call that waits with a stream, any other with one JSON text. */
export async function answerCall(call: DirectCall, context: RequestContext, res: ServerResponse) {
  const gone = new AbortController();
  res.once("close", () => {
    if (!res.writableFinished) gone.abort();
  });
  const stream = context.catalogue.current.byName.get(call.params.name)?.blocking ? openStream(res) : undefined;
  const result = await callTool(call.params, context, {
    signal: gone.signal,
    sendNotification: async (notification) => stream?.send({ ...notification, jsonrpc: "2.0" }),
  });
  const answer = { result: encoded(result, call.era, context), jsonrpc: "2.0", id: call.id };
  if (stream) return stream.end(answer);
  const json = JSON.stringify(answer);
  res.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(json) });
  res.end(json);
}

const encoded = (result: CallToolResult, era: Era, { base }: RequestContext) =>
  era === "legacy"
    ? result
    : { ...result, resultType: "complete", _meta: { [SERVER_INFO_META_KEY]: serverInfo(base) } };

/** The first bytes come at once, and some from time to time: they tell proxies that it lives. */
function openStream(res: ServerResponse) {
  res.writeHead(200, {
    "content-type": "text/event-stream",
    "cache-control": "no-cache, no-transform",
    "x-accel-buffering": "no",
  });
  res.write(": waiting\n\n");
  const keepAlive = setInterval(() => res.write(": keepalive\n\n"), PROGRESS_MS);
  res.once("close", () => clearInterval(keepAlive));
  const send = (message: unknown) => {
    res.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  };
  return {
    send,
    end(message: unknown) {
      clearInterval(keepAlive);
      if (res.closed) return;
      send(message);
      res.end();
    },
  };
}
