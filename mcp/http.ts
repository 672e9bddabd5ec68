import { Readable } from "node:stream";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { type Request, type Response, Router } from "express";
import type { Call } from "../api/call.ts";
import type { LiveCatalogue } from "../api/catalogue.ts";
import { invalidArgument } from "../api/errors.ts";
import { asWritten, elements, mayChange, members } from "../api/exact-json.ts";
import { originOf } from "../api/origin.ts";
import type { PublicAddress } from "../api/public-address.ts";
import { methodNotAllowed, parseJson } from "../api/rest.ts";
import { createServer } from "./server.ts";
import { PROGRESS_MS, toolsetsOf } from "./tools.ts";

interface Surroundings {
  catalogue: LiveCatalogue;
  call: Call;
  publicAddress: PublicAddress;
  report: (error: unknown) => void;
}

/** MCP over Streamable HTTP, stateless: every POST stands alone, so any replica can serve it. */
export function mcpRouter(surroundings: Surroundings): Router {
  const router = Router();
  router.post("/", (req, res) => serve(surroundings, req, res));
  router.all("/", (req) => {
    throw methodNotAllowed(req, ["POST"]);
  });
  return router;
}

async function serve({ catalogue, call, publicAddress, report }: Surroundings, req: Request, res: Response) {
  const body = Buffer.isBuffer(req.body) && req.body.length > 0 ? readMessages(req.body) : undefined;
  if (body === undefined) throw invalidArgument("body", "The body must be a JSON-RPC message.");
  const origin = originOf(req);
  const server = createServer(publicAddress.base(origin), {
    catalogue,
    call,
    report,
    origin,
    teamId: req.get("x-team-id"),
    toolsets: toolsetsOf(catalogue.current, req.query.toolset),
  });
  const transport = new WebStandardStreamableHTTPServerTransport({
    enableJsonResponse: !waits(catalogue, body),
    keepAliveMs: PROGRESS_MS,
  });
  await server.connect(transport);
  res.once("close", () => void server.close());
  const response = await transport.handleRequest(toWebRequest(req), { parsedBody: body });
  await send(response, res);
}

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

interface CallMessage {
  params?: { arguments?: Record<string, unknown> | null };
}

/** Only a call that waits needs a stream; everything else is one JSON answer. */
function waits(catalogue: LiveCatalogue, body: unknown): boolean {
  return [body].flat().some((message) => {
    const { method, params } = (message ?? {}) as { method?: unknown; params?: { name?: unknown } };
    return method === "tools/call" && catalogue.current.byName.get(String(params?.name))?.blocking;
  });
}

/** Lenient with curl: whoever posts JSON may leave out what the transport wants to hear. */
function toWebRequest(req: Request): globalThis.Request {
  const headers = new Headers({ accept: "application/json, text/event-stream", "content-type": "application/json" });
  const protocolVersion = req.get("mcp-protocol-version");
  if (protocolVersion) headers.set("mcp-protocol-version", protocolVersion);
  return new globalThis.Request(new URL(req.originalUrl, "http://localhost"), { method: "POST", headers });
}

async function send(response: globalThis.Response, res: Response) {
  res.writeHead(response.status, Object.fromEntries(response.headers));
  if (!response.body) return res.end();
  if (response.headers.get("content-type")?.includes("text/event-stream")) res.write(": waiting\n\n");
  Readable.fromWeb(response.body as never)
    .on("error", () => res.destroy())
    .pipe(res);
}
