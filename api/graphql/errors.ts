import { GraphQLError, type GraphQLFormattedError } from "graphql";
import type { Logger } from "pino";
import { isSafeError, SafeError } from "postgraphile/grafast";
import { ApiError, toApiError } from "../verbs/errors.ts";

const CODES: Record<number, string> = { 405: "method_not_allowed", 413: "body_too_large" };
const refusal = (status: number, message: string) =>
  new ApiError(status, CODES[status] ?? "invalid_argument", message, {
    field: fieldNamedIn(message),
    hint: "The schema tells what there is: /graphiql, or an introspection query.",
  });

/** What GraphQL itself refuses it tells in a sentence only: the argument that it names is the field, else the whole query. */
const NAMED = [
  /; Field "(\w+)" (?:is not defined|of required type)/,
  / at "\w+\.(\w+)/,
  /^Field "\w+\.(\w+)" of required type/,
  /^Field "(\w+)" is not defined by type "\w+Input"/,
  /^Unknown argument "(\w+)"/,
  /^Field "\w+" argument "(\w+)"/,
  /^Variable "\$(\w+)"/,
];
const fieldNamedIn = (message: string) => NAMED.map((name) => name.exec(message)?.[1]).find(Boolean) ?? "query";

const extensionsOf = ({ status, code, details }: ApiError) => ({ code, details, status });

/** In this form grafserv passes a refusal on instead of hiding it. */
export const safe = (error: ApiError) =>
  new SafeError(error.message, { ...extensionsOf(error), statusCode: error.status });

/** An error as the contract wants it: the sentence, and code, details and HTTP status as extensions. */
export function asGraphQLError(error: ApiError, of?: GraphQLError): GraphQLError {
  const { nodes, source, positions, path } = of ?? {};
  return new GraphQLError(error.message, { nodes, source, positions, path, extensions: extensionsOf(error) });
}

function reason({ message, originalError, path }: GraphQLError): ApiError {
  if (originalError && !(originalError instanceof GraphQLError)) {
    if (!isSafeError(originalError)) return toApiError(originalError);
    const { status = 400, code, details } = (originalError.extensions ?? {}) as Partial<ApiError>;
    return code && details
      ? new ApiError(status, code, originalError.message, details)
      : refusal(status, originalError.message);
  }
  // Without a path nothing was executed yet: syntax, validation or variables.
  return path ? toApiError(new Error(message)) : refusal(400, message);
}

export const createMaskError = (log: Logger) => (error: GraphQLError) => {
  if (error.extensions.status !== undefined) return error;
  const known = reason(error);
  if (known.status >= 500)
    log.error({ err: error.originalError ?? error, path: error.path }, "a GraphQL operation failed");
  return asGraphQLError(known, error);
};

/** What grafserv itself refuses (method, body, media type, syntax, validation) in the same form. */
export function asContract(error: GraphQLFormattedError, httpStatus: number): GraphQLFormattedError {
  const { status, code, details } = (error.extensions ?? {}) as Partial<ApiError>;
  if (status !== undefined) return { ...error, extensions: { code, details, status } };
  const known =
    httpStatus >= 500
      ? toApiError(new Error(error.message))
      : refusal(httpStatus === 200 ? 400 : httpStatus, error.message);
  return { ...error, message: known.message, extensions: extensionsOf(known) };
}
