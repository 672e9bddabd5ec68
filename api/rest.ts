import { type NextFunction, type Request, type Response, Router } from "express";
import { readQuery } from "./arguments.ts";
import type { Call } from "./call.ts";
import { hashTeamId } from "./call.ts";
import type { LiveCatalogue, Verb } from "./catalogue.ts";
import { ApiError, invalidArgument, toApiError } from "./errors.ts";
import { asWritten } from "./exact-json.ts";
import { GRAPHQL_PATH } from "./graphql/path.ts";
import type { Lines } from "./lines.ts";
import { originOf } from "./origin.ts";

const KEEP_ALIVE_MS = 10_000;

/** The verbs as routes. Nothing here knows any of them: method, path and arguments come from the catalogue. */
export function restRouter(catalogue: LiveCatalogue, call: Call, lines: Lines): Router {
  const router = Router();
  router.use(async (req, res) => {
    const { verb, args } = findVerb(catalogue.current.verbs, req);
    const caller = { teamHash: hashTeamId(req.get("x-team-id")), origin: originOf(req) };
    const { form, query } = takeForm(verb, queryArguments(req));
    const given = {
      ...args,
      ...(verb.method === "GET" ? readQuery(verb, query) : bodyArguments(req, verb, query)),
    };
    for (const name of Object.keys(args)) {
      if (given[name] !== args[name])
        throw invalidArgument(name, `${name} is given by the path; leave it out elsewhere.`);
    }
    const send = async (answer: string) =>
      form === "lines" ? sendLines(res, await lines(verb, answer)) : sendJson(res, answer);
    if (verb.blocking) await answerWaiting(req, res, (options) => call(verb, given, caller, options), send);
    else await send(await call(verb, given, caller, { signal: goneSignal(res) }));
  });
  return router;
}

/** ?format=lines, on any verb; one that has an argument of this name keeps it. */
function takeForm(verb: Verb, { format, ...query }: Record<string, string>) {
  if (format === undefined) return { form: "json", query };
  if (verb.arguments.some(({ name }) => name === "format")) return { form: "json", query: { format, ...query } };
  if (format !== "json" && format !== "lines")
    throw invalidArgument("format", "format must be json or lines.", "Leave it out for JSON.");
  return { form: format, query };
}

function findVerb(verbs: Verb[], req: Request): { verb: Verb; args: Record<string, string> } {
  const segments = req.path.replace(/\/+$/, "").split("/").map(decodeSegment);
  const matches = verbs.flatMap((verb) =>
    verb.paths.flatMap((path) => {
      const args = matchPath(path, segments);
      return args ? [{ verb, args }] : [];
    }),
  );
  const method = req.method === "HEAD" ? "GET" : req.method;
  // A literal part of a path goes before a placeholder.
  matches.sort((a, b) => Object.keys(a.args).length - Object.keys(b.args).length);
  const match = matches.find(({ verb }) => verb.method === method);
  if (match) return match;
  if (matches.length > 0) throw methodNotAllowed(req, [...new Set(matches.map(({ verb }) => verb.method))]);
  throw notFound();
}

function matchPath(path: string, segments: string[]): Record<string, string> | undefined {
  const parts = path.split("/");
  if (parts.length !== segments.length) return undefined;
  const args: Record<string, string> = {};
  for (const [i, part] of parts.entries()) {
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    const segment = segments[i] as string;
    if (name && segment !== "") args[name] = segment;
    else if (part !== segment) return undefined;
  }
  return args;
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw invalidArgument("path", "The path holds a percent sign that does not encode UTF-8 text.");
  }
}

function queryArguments(req: Request): Record<string, string> {
  const args: Record<string, string> = {};
  const [, query = ""] = req.originalUrl.split(/\?(.*)/s);
  for (const pair of query.split("&").filter(Boolean)) {
    const [name, value = ""] = pair.split(/=(.*)/s).map((part) => decodeQuery(part.replaceAll("+", " ")));
    if (name === undefined) continue;
    if (Object.hasOwn(args, name)) throw invalidArgument(name, `${name} is given twice.`);
    Object.defineProperty(args, name, { value, enumerable: true });
  }
  return args;
}

function decodeQuery(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw invalidArgument("query", "The query string holds a percent sign that does not encode UTF-8 text.");
  }
}

function bodyArguments(req: Request, verb: Verb, query: Record<string, string>): Record<string, unknown> {
  const [stray] = Object.keys(query);
  if (stray !== undefined)
    throw invalidArgument(stray, `${verb.name} takes its arguments from the JSON body, not from the query string.`);
  const body: unknown = req.body;
  if (!Buffer.isBuffer(body) || body.length === 0) return {};
  const { value, text } = parseJson(body);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw invalidArgument("body", "The body must be a JSON object.", 'Send something like {"name": "value"}.');
  }
  return asWritten(value as Record<string, unknown>, text);
}

export function parseJson(body: Buffer): { value: unknown; text: string } {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(body);
    return { value: JSON.parse(text), text };
  } catch (error) {
    const why = error instanceof SyntaxError ? "is not valid JSON" : "is not valid UTF-8";
    throw invalidArgument(
      "body",
      `The body ${why}.`,
      "Quote the body with single quotes in the shell, and check its commas and braces.",
    );
  }
}

/** Aborts when the client hangs up. */
function goneSignal(res: Response): AbortSignal {
  const gone = new AbortController();
  res.once("close", () => gone.abort());
  return gone.signal;
}

/** A waiting call answers as JSON, or as an event stream whose first bytes tell proxies that it lives. */
async function answerWaiting(
  req: Request,
  res: Response,
  call: (options: { signal: AbortSignal; onWaiting: () => void }) => Promise<string>,
  send: (answer: string) => Promise<void>,
) {
  const gone = goneSignal(res);
  const streams = req.headers.accept?.includes("text/event-stream") ?? false;
  let keepAlive: NodeJS.Timeout | undefined;
  const open = () => {
    if (!streams || res.headersSent) return;
    res.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store", "x-accel-buffering": "no" });
    res.write(": waiting\n\n");
    keepAlive = setInterval(() => res.write(": still waiting\n\n"), KEEP_ALIVE_MS);
  };
  try {
    const answer = await call({ signal: gone, onWaiting: open });
    if (!streams) return await send(answer);
    open();
    res.end(`event: result\ndata: ${answer}\n\n`);
  } catch (error) {
    if (gone.aborted) return;
    if (!res.headersSent) throw error;
    res.end(`event: error\ndata: ${JSON.stringify(toApiError(error).body)}\n\n`);
  } finally {
    clearInterval(keepAlive);
  }
}

const sendJson = (res: Response, json: string, status = 200) => sendText(res, json, "application/json", status);

const sendLines = (res: Response, lines: string) => sendText(res, lines, "text/plain", 200);

/** Ends its line: answers are read in shells. */
function sendText(res: Response, text: string, type: string, status: number) {
  const whole = text.endsWith("\n") ? text : `${text}\n`;
  res.writeHead(status, {
    "content-type": `${type}; charset=utf-8`,
    "cache-control": "no-store",
    "content-length": Buffer.byteLength(whole),
  });
  res.end(whole);
}

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
