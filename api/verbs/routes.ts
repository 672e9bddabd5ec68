import type { IncomingMessage } from "node:http";
import { methodNotAllowed, notFound } from "../http/error-handler.ts";
import type { Catalogue, Verb } from "./catalogue.ts";
import { invalidArgument } from "./errors.ts";

interface Route {
  verb: Verb;
  /** A literal part, or the name of the argument that stands there. */
  parts: { literal: string | undefined; argument: string }[];
  placeholders: number;
}

const tables = new WeakMap<Catalogue, Map<number, Route[]>>();

/** The routes of a catalogue by their length, made once. A literal part of a path goes before a placeholder. */
function routesOf(catalogue: Catalogue): Map<number, Route[]> {
  const known = tables.get(catalogue);
  if (known) return known;
  const routes = catalogue.verbs.flatMap((verb) => verb.paths.map((path) => toRoute(verb, path)));
  routes.sort((a, b) => a.placeholders - b.placeholders);
  const table = Map.groupBy(routes, ({ parts }) => parts.length);
  tables.set(catalogue, table);
  return table;
}

function toRoute(verb: Verb, path: string): Route {
  const parts = path.split("/").map((part) => {
    const argument = /^\{(\w+)\}$/.exec(part)?.[1];
    return argument === undefined ? { literal: part, argument: "" } : { literal: undefined, argument };
  });
  return { verb, parts, placeholders: parts.filter(({ literal }) => literal === undefined).length };
}

export function findVerb(catalogue: Catalogue, path: string, req: IncomingMessage) {
  const segments = path.replace(/\/+$/, "").split("/").map(decodeSegment);
  const method = req.method === "HEAD" ? "GET" : req.method;
  const others = new Set<string>();
  for (const { verb, parts } of routesOf(catalogue).get(segments.length) ?? []) {
    if (!parts.every(({ literal }, i) => (literal === undefined ? segments[i] !== "" : literal === segments[i])))
      continue;
    if (verb.method === method) return { verb, args: argumentsOf(parts, segments) };
    others.add(verb.method);
  }
  if (others.size > 0) throw methodNotAllowed(req, [...others]);
  throw notFound();
}

function argumentsOf(parts: Route["parts"], segments: string[]): Record<string, string> {
  const args: Record<string, string> = {};
  for (const [i, { literal, argument }] of parts.entries())
    if (literal === undefined) args[argument] = segments[i] as string;
  return args;
}

function decodeSegment(segment: string): string {
  try {
    return segment.includes("%") ? decodeURIComponent(segment) : segment;
  } catch {
    throw invalidArgument(
      "path",
      "The path holds a percent sign that does not encode UTF-8 text.",
      "Write the sign itself as %25.",
    );
  }
}
