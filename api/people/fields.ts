import type { Incoming } from "../http/handler.ts";
import { parseJson } from "../http/json-body.ts";
import { invalidArgument } from "../verbs/errors.ts";
import { checkTexts } from "../verbs/texts.ts";

/** The texts that a body holds, and nothing but these. What is wrong with one of them is for SQL to say. */
export function readFields<Name extends string>(req: Incoming, ...names: Name[]): Record<Name, string | null> {
  const body = Buffer.isBuffer(req.body) && req.body.length > 0 ? parseJson(req.body).value : {};
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw invalidArgument("body", "The body must be a JSON object.", 'Send something like {"name": "value"}.');
  const given = body as Record<string, unknown>;
  for (const name of Object.keys(given))
    if (!(names as string[]).includes(name))
      throw invalidArgument(name, `There is no argument ${name} here.`, `It takes ${names.join(", ") || "none"}.`);
  const read = names.map((name): [Name, string | null] => {
    const value = given[name] ?? null;
    if (value !== null && typeof value !== "string")
      throw invalidArgument(name, `${name} must be a text.`, "Put it in quotes.");
    checkTexts(name, value);
    return [name, value];
  });
  return Object.fromEntries(read) as Record<Name, string | null>;
}
