import type { IncomingMessage, ServerResponse } from "node:http";
import type { NextFunction, Request, Response, Router } from "express";
import { GRAPHQL_PATH } from "../graphql/path.ts";
import { ApiError, invalidArgument, toApiError } from "../verbs/errors.ts";
import { sendJson } from "./send.ts";

export const notFound = () =>
  new ApiError(404, "not_found", "There is nothing at this address.", {
    hint: "GET /api/openapi.json lists every route, and GET /AGENTS.md explains them.",
  });

export const methodNotAllowed = ({ method }: IncomingMessage, allowed: string[]) =>
  new ApiError(405, "method_not_allowed", `${method} is not for this address; use ${allowed.join(" or ")}.`, {
    allowed,
    hint: "GET /api/openapi.json lists every route with its method.",
  });

/** What these routes give is only read: whoever comes with another method is told so, not that nothing is there. */
export function onlyRead(router: Router): Router {
  const paths = router.stack.flatMap(({ route }) => route?.path ?? []);
  return router.all(paths, (req, _res, next) => {
    if (!["GET", "HEAD"].includes(req.method)) throw methodNotAllowed(req, ["GET"]);
    next();
  });
}

export const onlyPosted = (req: Request, _res: Response, next: NextFunction) => {
  if (req.method !== "POST" && req.originalUrl.split("?", 1)[0] === GRAPHQL_PATH) throw methodNotAllowed(req, ["POST"]);
  next();
};

/** The last handler: whatever was thrown, the answer has the one shape. */
export function errorHandler(report: (error: unknown, req: Request) => void) {
  return (error: unknown, req: Request, res: Response, next: NextFunction) => {
    const answer = unreadable(error) ?? toApiError(error);
    if (answer.status >= 500) report(error, req);
    if (res.headersSent) return next(error);
    sendError(res, answer, bodyFor(req.path, answer));
  };
}

export function sendError(res: ServerResponse, answer: ApiError, body: object = answer.body) {
  const { allowed } = answer.details;
  if (answer.status === 405 && Array.isArray(allowed)) res.setHeader("allow", allowed.join(", "));
  if (answer.status === 401) res.setHeader("www-authenticate", "Bearer");
  if (answer.retryAfter !== undefined) res.setHeader("retry-after", String(Math.ceil(answer.retryAfter)));
  sendJson(res, JSON.stringify(body), answer.status);
}

/** GraphQL clients look for errors in a list; whoever reads the contract finds the one error beside it. */
function bodyFor(path: string, { status, code, message, details, body }: ApiError) {
  return path === GRAPHQL_PATH ? { ...body, errors: [{ message, extensions: { code, details, status } }] } : body;
}

function unreadable(error: unknown): ApiError | undefined {
  if (error instanceof URIError) {
    return invalidArgument(
      "path",
      "The path holds a percent sign that does not encode UTF-8 text.",
      "Write the sign itself as %25.",
    );
  }
  const { status, expose } = error as { status?: number; expose?: boolean };
  if (expose && status !== undefined && status < 500) {
    return new ApiError(status, "invalid_argument", "The request could not be read.", {
      field: "path",
      hint: "GET /api/openapi.json lists the addresses and what they take.",
    });
  }
  return undefined;
}
