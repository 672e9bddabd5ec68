import { Readable } from "node:stream";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { CallToolRequestSchema, type CallToolResult, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv";
import { type Request, type Response, Router, raw } from "express";
import { type Call, hashTeamId } from "../api/call.ts";
import type { LiveCatalogue } from "../api/catalogue.ts";
import { ApiError, invalidArgument, toApiError } from "../api/errors.ts";
import { originOf } from "../api/origin.ts";
import type { PublicAddress } from "../api/public-address.ts";
import { BODY_LIMIT, methodNotAllowed, parseJson } from "../api/rest.ts";
import { version } from "../api/version.ts";
import { instructions } from "./instructions.ts";
import { toolsOf } from "./tools.ts";

const PROGRESS_MS = 10_000;
// One for all: a Server makes its own otherwise, and a waiting call would hold on to it.
const jsonSchemaValidator = new AjvJsonSchemaValidator();

interface Surroundings {
  catalogue: LiveCatalogue;
  call: Call;
  publicAddress: PublicAddress;
  report: (error: unknown) => void;
}

/** MCP over Streamable HTTP, stateless: every POST stands alone, so any replica can serve it. */
export function mcpRouter(surroundings: Surroundings): Router {
  const router = Router();
  router.post("/", raw({ type: () => true, limit: BODY_LIMIT }), (req, res) => serve(surroundings, req, res));
  router.all("/", (req) => {
    throw methodNotAllowed(req, ["POST"]);
  });
  return router;
}

async function serve(surroundings: Surroundings, req: Request, res: Response) {
  const body = Buffer.isBuffer(req.body) ? parseJson(req.body) : undefined;
  if (body === undefined) throw invalidArgument("body", "The body must be a JSON-RPC message.");
  checkToolset(surroundings.catalogue, toolsetOf(req));
  const transport = new WebStandardStreamableHTTPServerTransport({
    enableJsonResponse: !waits(surroundings.catalogue, body),
    keepAliveMs: PROGRESS_MS,
  });
  const server = createServer(surroundings, req);
  await server.connect(transport);
  res.once("close", () => void server.close());
  const response = await transport.handleRequest(toWebRequest(req), { parsedBody: body });
  await send(response, res);
}

const toolsetOf = (req: Request) => (req.query.toolset === undefined ? undefined : String(req.query.toolset));

function checkToolset({ current }: LiveCatalogue, toolset: string | undefined) {
  const known = [...new Set(current.verbs.map((verb) => verb.toolset))];
  if (toolset !== undefined && !known.includes(toolset)) {
    throw invalidArgument("toolset", "There is no such toolset.", `Leave it out, or use one of: ${known.join(", ")}.`);
  }
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

function createServer({ catalogue, call, publicAddress, report }: Surroundings, req: Request): Server {
  const base = publicAddress.base(originOf(req));
  const server = new Server(
    { name: "parley", title: "Parley", version, websiteUrl: base },
    { capabilities: { tools: {} }, instructions: instructions(base), jsonSchemaValidator },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: toolsOf(catalogue.current, toolsetOf(req)) }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, sendNotification }) => {
    const progressToken = params._meta?.progressToken;
    let progress = 0;
    const timer = setInterval(() => {
      if (progressToken === undefined) return;
      progress += PROGRESS_MS / 1_000;
      sendNotification({
        method: "notifications/progress",
        params: { progressToken, progress, message: "waiting" },
      }).catch(() => undefined);
    }, PROGRESS_MS);
    try {
      const verb = catalogue.current.byName.get(params.name);
      if (!verb)
        throw new ApiError(404, "not_found", `There is no tool ${params.name.slice(0, 100)}.`, {
          hint: "tools/list names them all.",
        });
      const { team_id: teamId, ...args } =
        (verb.who === "team" ? params.arguments : { ...params.arguments, team_id: undefined }) ?? {};
      if (teamId !== undefined && teamId !== null && typeof teamId !== "string")
        throw invalidArgument("team_id", "team_id must be a string.");
      const caller = { teamHash: hashTeamId(teamId ?? req.get("x-team-id")), origin: originOf(req) };
      return text(await call(verb, args, caller, { signal }));
    } catch (error) {
      const refusal = toApiError(error);
      if (refusal.status >= 500) report(error);
      return { ...text(JSON.stringify(refusal.body)), isError: true };
    } finally {
      clearInterval(timer);
    }
  });
  return server;
}

const text = (json: string): CallToolResult => ({ content: [{ type: "text", text: json }] });
