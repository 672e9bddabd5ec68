import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  type Result,
} from "@modelcontextprotocol/sdk/types.js";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv";
import type { z } from "zod";
import { version } from "../api/version.ts";
import { complete } from "./completion.ts";
import { invalidParams, RpcError, toRpcError } from "./errors.ts";
import { instructions } from "./instructions.ts";
import { getPrompt, listPrompts } from "./prompts.ts";
import { listResources, listResourceTemplates, readResource } from "./resources.ts";
import { callTool, listTools } from "./tools.ts";
import type { Extra, Visit } from "./visit.ts";

type Handler = (request: unknown, visit: Visit, extra: Extra) => Result | Promise<Result>;

function on<Schema extends z.ZodType<{ params?: unknown }>>(
  schema: Schema,
  answer: (params: z.infer<Schema>["params"], visit: Visit, extra: Extra) => Result | Promise<Result>,
): Handler {
  return (request, visit, extra) => {
    const { success, data, error } = schema.safeParse(request);
    if (success) return answer(data.params, visit, extra);
    const [issue] = error.issues;
    throw invalidParams(`${issue?.path.join(".")} is not as it should be: ${issue?.message}.`);
  };
}

const HANDLERS: Record<string, Handler> = {
  "tools/list": on(ListToolsRequestSchema, listTools),
  "tools/call": on(CallToolRequestSchema, callTool),
  "resources/list": on(ListResourcesRequestSchema, listResources),
  "resources/templates/list": on(ListResourceTemplatesRequestSchema, listResourceTemplates),
  "resources/read": on(ReadResourceRequestSchema, readResource),
  "prompts/list": on(ListPromptsRequestSchema, listPrompts),
  "prompts/get": on(GetPromptRequestSchema, getPrompt),
  "completion/complete": on(CompleteRequestSchema, complete),
};

const capabilities = { tools: {}, resources: {}, prompts: {}, completions: {} };
// One for all: a Server makes its own otherwise, and a waiting call would hold on to it.
const jsonSchemaValidator = new AjvJsonSchemaValidator();

/** A server for one request. The handlers are shared by all: a call that waits holds nothing but what it knows of its request. */
export function createServer(base: string, visit: Visit): Server {
  const server = new Server(
    { name: "parley", title: "Parley", version, websiteUrl: base },
    { capabilities, instructions: instructions(base, visit.catalogue.current, visit.toolsets), jsonSchemaValidator },
  );
  server.fallbackRequestHandler = async (request, extra) => {
    const handler = Object.hasOwn(HANDLERS, request.method) ? HANDLERS[request.method] : undefined;
    if (!handler) throw new RpcError(ErrorCode.MethodNotFound, "There is no such method.");
    try {
      return await handler(request, visit, extra as Extra);
    } catch (error) {
      throw toRpcError(error, visit.report);
    }
  };
  return server;
}
