import type { NextFunction, Request, Response } from "express";
import { GRAPHQL_PATH } from "../graphql/path.ts";
import { ApiError, invalidArgument, toApiError } from "../verbs/errors.ts";
import { sendJson } from "./send.ts";

export const notFound = () =>
  new ApiError(404, "not_found", "There is nothing at this address.", {
    hint: "GET /api/openapi.json lists every route, and GET /AGENTS.md explains them.",
  });

export function methodNotAllowed(req: Request, allowed: string[]): ApiError {
  const error = new ApiError(
    405,
    "method_not_allowed",
    `${req.method} is not for this address; use ${allowed.join(" or ")}.`,
    { allowed },
  );
  req.res?.setHeader("allow", allowed.join(", "));
  return error;
}

/** The last handler: whatever was thrown, the answer has the one shape. */
export function errorHandler(report: (error: unknown, req: Request) => void) {
  return (error: unknown, req: Request, res: Response, next: NextFunction) => {
    const answer = unreadable(error) ?? toApiError(error);
    if (answer.status >= 500) report(error, req);
    if (res.headersSent) return next(error);
    if (answer.retryAfter !== undefined) res.setHeader("retry-after", String(Math.ceil(answer.retryAfter)));
    sendJson(res, JSON.stringify(bodyFor(req.path, answer)), answer.status);
  };
}

/** GraphQL clients look for errors in a list; whoever reads the contract finds the one error beside it. */
function bodyFor(path: string, { status, code, message, details, body }: ApiError) {
  return path === GRAPHQL_PATH ? { ...body, errors: [{ message, extensions: { code, details, status } }] } : body;
}

function unreadable(error: unknown): ApiError | undefined {
  if (error instanceof URIError) {
    return invalidArgument("path", "The path holds a percent sign that does not encode UTF-8 text.");
  }
  const { status, expose } = error as { status?: number; expose?: boolean };
  if (expose && status !== undefined && status < 500) {
    return new ApiError(status, "invalid_argument", "The request could not be read.", { field: "path" });
  }
  return undefined;
}
