import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import {
  classifyInboundRequest,
  createMcpHandler,
  type InboundClassificationOutcome,
  type JSONRPCRequest,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { Router } from "express";
import type { Hold } from "../api/http/actor-limits.ts";
import { callerOf } from "../api/http/caller.ts";
import { methodNotAllowed } from "../api/http/error-handler.ts";
import type { Incoming } from "../api/http/handler.ts";
import { parseJson } from "../api/http/json-body.ts";
import type { PublicAddress } from "../api/http/public-address.ts";
import type { Doors } from "../api/live/doors.ts";
import type { Events } from "../api/live/events.ts";
import type { Admission } from "../api/verbs/admission.ts";
import type { Call } from "../api/verbs/call.ts";
import type { LiveCatalogue } from "../api/verbs/catalogue.ts";
import { invalidArgument } from "../api/verbs/errors.ts";
import { asWritten, elements, mayChange, members } from "../api/verbs/exact-json.ts";
import { answerCall, directCall } from "./direct-call.ts";
import { type RpcError, toRpcError } from "./errors.ts";
import { Listeners } from "./listen.ts";
import { formOf, type RequestContext, sessionOf } from "./request-context.ts";
import { createServer } from "./server.ts";
import { PROGRESS_MS, toolsetsOf } from "./tools.ts";

/** Headers that say what the message says, from 2026 on. */
const NAMING = ["mcp-protocol-version", "mcp-method", "mcp-name"];

interface McpOptions {
  catalogue: LiveCatalogue;
  call: Call;
  admission: Admission;
  events: Events;
  doors: Doors;
  hold: Hold;
  publicAddress: PublicAddress;
  report: (error: unknown) => void;
}

/** MCP over Streamable HTTP, in both eras: every POST stands alone, so any replica can serve it. */
export function createMcp(options: McpOptions) {
  const listeners = new Listeners(options);
  const router = Router();
  const answer = async (req: Incoming, res: ServerResponse, query: Query = {}) => {
    const body = readBody(req);
    const context = contextOf(req, query, options);
    // A tool tells by itself whom it is for, and may be given a team_id; what else tells of sessions is for readers.
    if (!isToolCall(body)) await options.admission.admit(tellsOfSessions(body) ? "reader" : "known", context.caller);
    await serve(body, context, listeners, req, res);
  };
  router.post("/", (req, res) => answer(req, res, req.query));
  router.all("/", (req) => {
    throw methodNotAllowed(req, ["POST"]);
  });
  return { router, listeners, answer };
}

type Query = { toolset?: unknown; format?: unknown; session?: unknown };

function readBody(req: Incoming): unknown {
  const body = Buffer.isBuffer(req.body) && req.body.length > 0 ? readMessages(req.body) : undefined;
  if (body === undefined)
    throw invalidArgument(
      "body",
      "The body must be a JSON-RPC message.",
      'POST {"jsonrpc": "2.0", …}; an MCP client does.',
    );
  return body;
}

function contextOf(
  req: Incoming,
  { toolset, format, session }: Query,
  { catalogue, call, publicAddress, report }: McpOptions,
): RequestContext {
  const caller = callerOf(req);
  return {
    catalogue,
    call,
    report,
    caller,
    base: publicAddress.base(caller.origin),
    teamId: header(req, "x-team-id"),
    toolsets: toolsetsOf(catalogue.current, toolset),
    session: sessionOf(session),
    form: formOf(format),
  };
}

async function serve(body: unknown, context: RequestContext, listeners: Listeners, req: Incoming, res: ServerResponse) {
  const [protocolVersionHeader, mcpMethodHeader, mcpNameHeader] = NAMING.map((name) => header(req, name));
  const named = { protocolVersionHeader, mcpMethodHeader, mcpNameHeader };
  const call = directCall(body, named);
  if (call) return answerCall(call, context, res);
  const route = classifyInboundRequest({ httpMethod: "POST", body, ...named });
  const request = toWebRequest(req, res);
  if (route.kind === "legacy") return send(await answerLegacy(body, context, request), res);
  const listens = listenMessage(route);
  if (!listens) return send(await answerModern(body, context, request), res);
  const answer = listeners.listen(listens, context, request, res);
  await send(await answer.catch((error) => refusal(listens, toRpcError(error, context.report))), res);
}

const listenMessage = (route: InboundClassificationOutcome) =>
  route.kind === "modern" && route.messageKind === "request" && route.message.method === "subscriptions/listen"
    ? route.message
    : undefined;

const refusal = ({ id }: JSONRPCRequest, { code, message, data }: RpcError) =>
  globalThis.Response.json({ jsonrpc: "2.0", error: { code, message, data }, id });

/** The versions until 2025-11-25. A stateless transport of the package would stream every answer; curl reads JSON. */
async function answerLegacy(body: unknown, context: RequestContext, request: globalThis.Request) {
  const server = createServer(context, "legacy");
  const transport = new WebStandardStreamableHTTPServerTransport({
    enableJsonResponse: !waits(context, body),
    keepAliveMs: PROGRESS_MS,
  });
  await server.connect(transport);
  request.signal.addEventListener("abort", () => void server.close(), { once: true });
  return transport.handleRequest(request, { parsedBody: body });
}

const answerModern = (body: unknown, context: RequestContext, request: globalThis.Request) =>
  createMcpHandler(() => createServer(context, "modern", String((body as { method?: unknown }).method)), {
    legacy: "reject",
    responseMode: waits(context, body) ? "sse" : "auto",
    keepAliveMs: PROGRESS_MS,
  }).fetch(request, { parsedBody: body });
/** JSON-RPC, with the arguments of tools as they were written. */
function readMessages(body: Buffer): unknown {
  const { value, text } = parseJson(body);
  if (!mayChange(text)) return value;
  const written = Array.isArray(value) ? elements(text) : [text];
  for (const [i, message] of [value].flat().entries()) {
    const { arguments: args } = (message as CallMessage | null)?.params ?? {};
    if (typeof args !== "object" || args === null || Array.isArray(args)) continue;
    const params = new Map(members(written[i] as string)).get("params") as string;
    asWritten(args, new Map(members(params)).get("arguments") as string);
  }
  return value;
}

const isToolCall = (body: unknown) => (body as { method?: unknown } | null)?.method === "tools/call";

/** Tools, prompts and the greeting are the same for everybody. */
const tellsOfSessions = (body: unknown) =>
  [body]
    .flat()
    .some((message) =>
      /^(resources|completion|subscriptions)\//.test(String((message as { method?: unknown } | null)?.method)),
    );

interface CallMessage {
  params?: { arguments?: Record<string, unknown> | null };
}

/** Only a call that waits needs a stream; everything else is one JSON answer. */
function waits({ catalogue }: RequestContext, body: unknown): boolean {
  return [body].flat().some((message) => {
    const { method, params } = (message ?? {}) as { method?: unknown; params?: { name?: unknown } };
    return method === "tools/call" && catalogue.current.byName.get(String(params?.name))?.blocking;
  });
}

const header = (req: Incoming, name: string) => req.headers[name]?.toString();

/** Lenient with curl: whoever posts JSON may leave out what the transport wants to hear. */
function toWebRequest(req: Incoming, res: ServerResponse): globalThis.Request {
  const headers = new Headers({ accept: "application/json, text/event-stream", "content-type": "application/json" });
  for (const name of NAMING) {
    const value = header(req, name);
    if (value !== undefined) headers.set(name, value);
  }
  const gone = new AbortController();
  res.once("close", () => gone.abort());
  const url = new URL("/mcp", "http://localhost");
  return new globalThis.Request(url, { method: "POST", headers, signal: gone.signal });
}

async function send(response: globalThis.Response, res: ServerResponse) {
  res.writeHead(response.status, Object.fromEntries(response.headers));
  if (!response.body) return res.end();
  if (response.headers.get("content-type")?.includes("text/event-stream")) res.write(": waiting\n\n");
  Readable.fromWeb(response.body as never)
    .on("error", () => res.destroy())
    .pipe(res);
}
