import type { Request } from "express";
import { methodNotAllowed, notFound } from "../http/error-handler.ts";
import type { Verb } from "./catalogue.ts";
import { invalidArgument } from "./errors.ts";

export function findVerb(verbs: Verb[], req: Request): { verb: Verb; args: Record<string, string> } {
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
