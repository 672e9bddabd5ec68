import {
  type CacheHint,
  type Implementation,
  ProtocolErrorCode,
  type Result,
  Server,
  type ServerCapabilities,
  type StandardSchemaV1Sync,
  specTypeSchemas,
} from "@modelcontextprotocol/server";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/server/validators/ajv";
import { version } from "../api/version.ts";
import { complete } from "./completion.ts";
import { invalidParams, RpcError, toRpcError } from "./errors.ts";
import { instructions } from "./instructions.ts";
import { getPrompt, listPrompts } from "./prompts.ts";
import type { Extra, RequestContext } from "./request-context.ts";
import { listResources, listResourceTemplates, readResource } from "./resources.ts";
import { callTool, listTools } from "./tools.ts";

/** legacy: the versions until 2025-11-25, which begin with initialize. modern: 2026-07-28, where every request stands alone. */
export type Era = "legacy" | "modern";

type Handler = (request: unknown, context: RequestContext, extra: Extra) => Result | Promise<Result>;

function on<Request extends { params?: unknown }>(
  schema: StandardSchemaV1Sync<unknown, Request>,
  answer: (params: Request["params"], context: RequestContext, extra: Extra) => Result | Promise<Result>,
): Handler {
  return (request, context, extra) => {
    const read = schema["~standard"].validate(request);
    if (!read.issues) return answer(read.value.params, context, extra);
    const [issue] = read.issues;
    throw invalidParams(`${issue?.path?.join(".")} is not as it should be: ${issue?.message}.`);
  };
}

const HANDLERS: Record<string, Handler> = {
  "tools/list": on(specTypeSchemas.ListToolsRequest, listTools),
  "tools/call": on(specTypeSchemas.CallToolRequest, callTool),
  "resources/list": on(specTypeSchemas.ListResourcesRequest, listResources),
  "resources/templates/list": on(specTypeSchemas.ListResourceTemplatesRequest, listResourceTemplates),
  "resources/read": on(specTypeSchemas.ReadResourceRequest, readResource),
  "prompts/list": on(specTypeSchemas.ListPromptsRequest, listPrompts),
  "prompts/get": on(specTypeSchemas.GetPromptRequest, getPrompt),
  "completion/complete": on(specTypeSchemas.CompleteRequest, complete),
};

/** How long a modern client may keep an answer. What is not named here is old as soon as it is read. */
const KEEP: Record<string, CacheHint> = {
  "server/discover": { ttlMs: 300_000, cacheScope: "public" },
  "tools/list": { ttlMs: 60_000, cacheScope: "private" },
  "resources/templates/list": { ttlMs: 60_000, cacheScope: "public" },
  "prompts/list": { ttlMs: 300_000, cacheScope: "public" },
};

const CAPABILITIES: Record<Era, ServerCapabilities> = {
  // Without a session nothing can be pushed to a legacy client.
  legacy: { tools: {}, resources: {}, prompts: {}, completions: {} },
  modern: {
    tools: { listChanged: true },
    resources: { subscribe: true, listChanged: true },
    prompts: {},
    completions: {},
  },
};

// One for all: a Server makes its own otherwise.
const jsonSchemaValidator = new AjvJsonSchemaValidator();

export const serverInfo = (base: string): Implementation => ({
  name: "parley",
  title: "Parley",
  version,
  websiteUrl: base,
});

const handlerOf = (method: string) => (Object.hasOwn(HANDLERS, method) ? HANDLERS[method] : undefined);

/** A server for one request; the handlers are shared by all. */
export function createServer(context: RequestContext, era: Era, method?: string): Server {
  const server = new Server(serverInfo(context.base), {
    capabilities: CAPABILITIES[era],
    instructions: instructions(context),
    cacheHints: KEEP,
    jsonSchemaValidator,
  });
  // A method that nobody handles is refused by the package, which then answers 404.
  if (method !== undefined && !handlerOf(method)) return server;
  server.fallbackRequestHandler = async (request, { mcpReq }) => {
    const handler = handlerOf(request.method);
    if (!handler) throw new RpcError(ProtocolErrorCode.MethodNotFound, "There is no such method.");
    try {
      const result = await handler(request, context, { signal: mcpReq.signal, sendNotification: mcpReq.notify });
      return era === "modern" ? { ...result, ...KEEP[request.method] } : result;
    } catch (error) {
      throw toRpcError(error, context.report);
    }
  };
  return server;
}
