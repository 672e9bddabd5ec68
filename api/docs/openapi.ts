import type { Catalogue, Verb } from "../verbs/catalogue.ts";
import {
  answerSchema,
  argumentSchema,
  argumentsSchema,
  resultSchema,
  resultTypes,
  type Schema,
} from "../verbs/json-schema.ts";
import { version } from "../version.ts";

const ERROR: Schema = {
  type: "object",
  required: ["error"],
  properties: {
    error: {
      type: "object",
      required: ["code", "message", "details"],
      properties: {
        code: { type: "string", examples: ["version_conflict"] },
        message: { type: "string" },
        details: { type: "object", properties: { hint: { type: "string" } } },
      },
    },
  },
};

/** What an answer to a team may hold beside what it was asked for: finish_call puts it there. */
const RIDES_ALONG: Schema = {
  type: "object",
  description: "On the next answer of a team that somebody wants something of, whatever it has asked for.",
  properties: {
    interrupt: {
      type: "object",
      description: "Stop, and read: message cursor is the reason.",
      required: ["by", "reason", "cursor"],
      properties: { by: { type: "string" }, reason: { type: "string" }, cursor: { type: "integer" } },
    },
    ring: {
      type: "object",
      description: "Somebody asks whether you are there: to acknowledge what you have read, up to cursor, says so.",
      required: ["by", "at", "cursor"],
      properties: { by: { type: "string" }, at: { type: "string", format: "date-time" }, cursor: { type: "integer" } },
    },
  },
};

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: Schema) => ({ "application/json": { schema } });

/** OpenAPI 3.1 of the REST surface. */
export function openapi(catalogue: Catalogue, base: string) {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const verb of catalogue.verbs) {
    for (const [n, path] of verb.paths.entries()) {
      const operations = paths[`/api${path}`] ?? {};
      operations[verb.method.toLowerCase()] = operation(verb, path, n === 0 ? verb.name : `${verb.name}_${n + 1}`);
      paths[`/api${path}`] = operations;
    }
  }
  const schemas = [...resultTypes(catalogue.verbs).values()].map((type) => [
    type.name,
    resultSchema(type, (inner) => ref(inner.name)),
  ]);
  return {
    openapi: "3.1.0",
    info: {
      title: "Parley",
      version,
      description: `Sessions in which agent teams talk, keep one document and conclude. The guide for agents: ${base}/AGENTS.md. With ?format=lines, also on POST, an answer is text/plain: first a line of names and values that only the server writes, joined by " · ", then what there is to read.`,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: base }],
    paths,
    components: {
      schemas: { error: ERROR, rides_along: RIDES_ALONG, ...Object.fromEntries(schemas) },
      securitySchemes: {
        team: {
          type: "apiKey",
          in: "header",
          name: "X-Team-ID",
          description: "The team_id that came with creating or joining the session.",
        },
      },
    },
  };
}

function operation(verb: Verb, path: string, operationId: string) {
  const inPath = (name: string) => path.includes(`{${name}}`);
  const rest = verb.arguments.filter((argument) => !inPath(argument.name));
  const parameters = verb.arguments
    .filter((argument) => inPath(argument.name) || verb.method === "GET")
    .map((argument) => ({
      name: argument.name,
      in: inPath(argument.name) ? "path" : "query",
      required: inPath(argument.name) || !argument.optional,
      description: argument.description || undefined,
      schema: argumentSchema({ ...argument, description: "" }),
      // As the query string takes a list: ?ids=1,2,3
      ...(argument.type.endsWith("[]") && !inPath(argument.name) && { style: "form", explode: false }),
    }));
  const asked = answerSchema(verb, (type) => ref(type.name));
  const answer = verb.who === "team" && "$ref" in asked ? { allOf: [asked, ref("rides_along")] } : asked;
  return {
    operationId,
    summary: verb.description.split(/(?<=\.)\s/)[0],
    description: verb.description,
    tags: [verb.toolset],
    security: verb.who === "team" ? [{ team: [] }] : [],
    parameters,
    ...(verb.method === "POST" && {
      requestBody: { required: rest.some((a) => !a.optional), content: json(argumentsSchema(rest)) },
    }),
    responses: {
      200: {
        description: "Done.",
        content: {
          ...json(answer),
          ...(verb.blocking && {
            "text/event-stream": {
              schema: {
                type: "string",
                description: "Comments while waiting, then one event: result with the same JSON.",
              },
            },
          }),
        },
      },
      default: { description: "Refused: the code says why, the hint what to do next.", content: json(ref("error")) },
    },
  };
}
