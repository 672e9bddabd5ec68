import type { GraphQLFormattedError } from "graphql";
import type { GrafservBody, JSONResult, RequestDigest, Result } from "postgraphile/grafserv";
import { parseJson } from "../http/json-body.ts";
import { ApiError, invalidArgument } from "../verbs/errors.ts";
import { checkTexts } from "../verbs/texts.ts";
import { asContract, safe } from "./errors.ts";
import { checkNumbers, checkQuery } from "./texts.ts";

/** How requests come in and answers go out: strict about texts, lenient about media types, with the status of the error. */
export const HttpPlugin: GraphileConfig.Plugin = {
  name: "ParleyHttpPlugin",
  grafserv: {
    middleware: {
      async processRequest(next, { requestDigest, resolvedPreset }) {
        if (requestDigest.path !== resolvedPreset.grafserv?.graphqlPath) return next();
        readAsJson(requestDigest);
        // As an object, so that its errors can be looked at.
        requestDigest.preferJSON = true;
        return withStatus(await next());
      },

      processGraphQLRequestBody(next, { body }) {
        try {
          if (typeof body.query === "string") checkQuery(body.query);
          for (const [name, value] of Object.entries(body.variableValues ?? {})) {
            checkTexts(name, value);
            checkNumbers(name, value);
          }
        } catch (error) {
          throw error instanceof ApiError ? safe(error) : error;
        }
        return next();
      },
    },
  },
};

/** `curl -d` calls everything a form; what it sends is JSON all the same. */
function readAsJson(digest: RequestDigest) {
  const isQuery = digest.headers["content-type"]?.startsWith("application/graphql") ?? false;
  digest.headers["content-type"] = isQuery ? "application/graphql" : "application/json";
  const getBody = digest.getBody.bind(digest);
  const parsed = async () => parse(await getBody(), isQuery);
  digest.getBody = parsed;
}

function parse(body: GrafservBody, isQuery: boolean): GrafservBody {
  if (body.type !== "buffer") return body;
  try {
    if (isQuery) return { type: "text", text: new TextDecoder("utf-8", { fatal: true }).decode(body.buffer) };
    return { type: "json", json: parseJson(body.buffer).value as JSONResult["json"] };
  } catch (error) {
    throw safe(
      error instanceof ApiError ? error : invalidArgument("body", "The body is not valid UTF-8.", "Send it as UTF-8."),
    );
  }
}

function withStatus(result: Result | null): Result | null {
  if (result?.type !== "json") return result;
  const { errors, ...rest } = result.json as { errors?: GraphQLFormattedError[] };
  result.headers["cache-control"] = "no-store";
  if (!errors?.length) return result;
  const known = errors.map((error) => asContract(error, result.statusCode));
  const [{ status, details }] = known.map(({ extensions }) => extensions as unknown as ApiError) as [ApiError];
  if (status === 405) result.headers.allow = "POST";
  if (details.retry_after_seconds !== undefined) result.headers["retry-after"] = String(details.retry_after_seconds);
  return { ...result, statusCode: status, json: { errors: known, ...rest } as unknown as JSONResult["json"] };
}
