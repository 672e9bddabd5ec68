import type { ServerResponse } from "node:http";
import { callerOf } from "../http/caller.ts";
import type { Incoming } from "../http/handler.ts";
import { sendJson, sendLines } from "../http/send.ts";
import { readQuery } from "./arguments.ts";
import type { Call } from "./call.ts";
import type { LiveCatalogue, Verb } from "./catalogue.ts";
import { invalidArgument, toApiError } from "./errors.ts";
import { bodyArguments, queryArguments } from "./request-arguments.ts";
import { findVerb } from "./routes.ts";
import type { Form } from "./statement.ts";

const KEEP_ALIVE_MS = 10_000;

/** The verbs as routes. Nothing here knows any of them: method, path and arguments come from the catalogue. */
export function createRest(catalogue: LiveCatalogue, call: Call) {
  return async (req: Incoming, res: ServerResponse, path: string, url: string): Promise<void> => {
    const { verb, args } = findVerb(catalogue.current, path, req);
    const caller = callerOf(req);
    const { form, query } = takeForm(verb, queryArguments(url));
    const given = {
      ...args,
      ...(verb.method === "GET" ? readQuery(verb, query) : bodyArguments(req, verb, query)),
    };
    for (const name of Object.keys(args)) {
      if (given[name] !== args[name])
        throw invalidArgument(name, `${name} is given by the path, and otherwise elsewhere.`, "Leave it out there.");
    }
    if (verb.blocking) await answerWaiting(req, res, (options) => call(verb, given, caller, options), form);
    else send(res, form, await call(verb, given, caller, { signal: goneSignal(res), form }));
  };
}

/** ?format=lines, on any verb; one that has an argument of this name keeps it. */
function takeForm(
  verb: Verb,
  { format, ...query }: Record<string, string>,
): { form: Form; query: Record<string, string> } {
  if (format === undefined) return { form: "json", query };
  if (verb.arguments.some(({ name }) => name === "format")) return { form: "json", query: { format, ...query } };
  if (format !== "json" && format !== "lines")
    throw invalidArgument("format", "format must be json or lines.", "Leave it out for JSON.");
  return { form: format, query };
}

const send = (res: ServerResponse, form: Form, answer: string) =>
  form === "lines" ? sendLines(res, answer) : sendJson(res, answer);

/** Aborts when the client hangs up. */
function goneSignal(res: ServerResponse): AbortSignal {
  const gone = new AbortController();
  res.on("close", () => {
    if (!res.writableFinished) gone.abort();
  });
  return gone.signal;
}

/** A waiting call answers as JSON, or as an event stream whose first bytes tell proxies that it lives. */
async function answerWaiting(
  req: Incoming,
  res: ServerResponse,
  call: (options: { signal: AbortSignal; onWaiting: () => void; form: Form }) => Promise<string>,
  form: Form,
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
    const answer = await call({ signal: gone, onWaiting: open, form: streams ? "json" : form });
    if (!streams) return send(res, form, answer);
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
