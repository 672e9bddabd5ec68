import type { Incoming } from "../http/handler.ts";
import { parseJson } from "../http/json-body.ts";
import type { Verb } from "./catalogue.ts";
import { invalidArgument } from "./errors.ts";
import { asWritten } from "./exact-json.ts";

export function queryArguments(url: string): Record<string, string> {
  const args: Record<string, string> = {};
  const mark = url.indexOf("?");
  if (mark < 0) return args;
  const query = url.slice(mark + 1);
  for (const pair of query.split("&").filter(Boolean)) {
    const [name, value = ""] = pair.split(/=(.*)/s).map((part) => decodeQuery(part.replaceAll("+", " ")));
    if (name === undefined) continue;
    if (Object.hasOwn(args, name)) throw invalidArgument(name, `${name} is given twice.`, "Give each argument once.");
    Object.defineProperty(args, name, { value, enumerable: true });
  }
  return args;
}

function decodeQuery(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw invalidArgument(
      "query",
      "The query string holds a percent sign that does not encode UTF-8 text.",
      "Write the sign itself as %25.",
    );
  }
}

export function bodyArguments(req: Incoming, verb: Verb, query: Record<string, string>): Record<string, unknown> {
  const [stray] = Object.keys(query);
  if (stray !== undefined)
    throw invalidArgument(
      stray,
      `${verb.name} takes its arguments from the JSON body, not from the query string.`,
      `Send {"${stray}": …} as the body.`,
    );
  const body: unknown = req.body;
  if (!Buffer.isBuffer(body) || body.length === 0) return {};
  const { value, text } = parseJson(body);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw invalidArgument("body", "The body must be a JSON object.", 'Send something like {"name": "value"}.');
  }
  return asWritten(value as Record<string, unknown>, text);
}
