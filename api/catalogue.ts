import { EventEmitter } from "node:events";
import { readFileSync } from "node:fs";
import type pg from "pg";
import type { Logger } from "pino";
import { query } from "./database.ts";

const CATALOGUE_SQL = readFileSync(new URL("./catalogue.sql", import.meta.url), "utf8");
const LOOK_EVERY_MS = 1_000;

export interface Argument {
  name: string;
  type: string;
  optional: boolean;
  description: string;
}

export interface ResultType {
  name: string;
  description: string;
  attributes: Attribute[];
  /** Whether an answer of this type may hold fields that are left out when null. */
  prunable: boolean;
}

export interface Attribute {
  name: string;
  type: string;
  description: string;
  optional: boolean;
  composite: ResultType | undefined;
}

/** A function that can be called: a verb, or what serves one surface only. */
export interface Callable {
  name: string;
  description: string;
  idempotent: boolean;
  blocking: boolean;
  arguments: Argument[];
  result: ResultType | undefined;
}

export interface Verb extends Callable {
  method: "GET" | "POST";
  path: string;
  /** Every path that leads to it; the first is the one that is shown. */
  paths: string[];
  who: "open" | "team";
  toolset: string;
  readonly: boolean;
}

/** What an MCP client may read: the variables of its template are the arguments of its function. */
export interface Resource extends Callable {
  uriTemplate: string;
  mimeType: string;
  label: string;
  title: string | undefined;
}

export interface Catalogue {
  verbs: Verb[];
  byName: Map<string, Verb>;
  resources: Resource[];
  /** Lists what the templates of the resources stand for. */
  resourceList: Callable | undefined;
  /** Those who know what the beginning of an argument may become, by the name of the argument. */
  completers: Map<string, Callable>;
}

interface RawFunction {
  name: string;
  comment: string;
  result: string;
  arguments: Omit<Argument, "description">[];
}

interface RawType {
  name: string;
  comment: string | null;
  attributes: { name: string; type: string; composite: string; comment: string | null }[];
}

/** The tags on top of a comment, and the text below them. */
function parseComment(comment: string) {
  const tags: { tag: string; text: string }[] = [];
  const text: string[] = [];
  for (const line of comment.trim().split("\n")) {
    const match = text.length === 0 ? /^@(\w+)\s*(.*)$/.exec(line.trim()) : null;
    if (match) tags.push({ tag: match[1] as string, text: match[2] as string });
    else text.push(line);
  }
  return {
    has: (tag: string) => tags.some((t) => t.tag === tag),
    get: (tag: string) => tags.find((t) => t.tag === tag)?.text,
    all: (tag: string) => tags.filter((t) => t.tag === tag).map((t) => t.text),
    params: new Map(
      tags.filter((t) => t.tag === "param").map((t) => [t.text.split(" ", 1)[0], t.text.replace(/^\S+\s*/, "")]),
    ),
    text: text.join("\n").trim(),
  };
}

function readTypes(raw: Record<string, RawType>): Map<string, ResultType> {
  const types = new Map<string, ResultType>();
  const read = (oid: string): ResultType | undefined => {
    const type = raw[oid];
    if (!type || types.has(oid)) return types.get(oid);
    const attributes = type.attributes.map((attribute) => {
      const comment = parseComment(attribute.comment ?? "");
      return {
        name: attribute.name,
        type: attribute.type,
        description: comment.text,
        optional: comment.has("optional"),
        composite: read(attribute.composite),
      };
    });
    const prunable = attributes.some((a) => a.optional || a.composite?.prunable);
    types.set(oid, { name: type.name, description: parseComment(type.comment ?? "").text, attributes, prunable });
    return types.get(oid);
  };
  Object.keys(raw).forEach(read);
  return types;
}

type Comment = ReturnType<typeof parseComment>;

const readCallable = (raw: RawFunction, comment: Comment, types: Map<string, ResultType>): Callable => ({
  name: raw.name,
  description: comment.text,
  idempotent: comment.has("idempotent") || comment.has("readonly"),
  blocking: comment.has("blocking"),
  arguments: raw.arguments.map((a) => ({ ...a, description: comment.params.get(a.name) ?? "" })),
  result: types.get(raw.result),
});

function readVerb(callable: Callable, comment: Comment): Verb | undefined {
  const routes = comment.all("verb").flatMap((route) => [...route.matchAll(/^(GET|POST)\s+(\/\S*)$/g)]);
  const [route] = routes;
  if (!route) return undefined;
  return {
    ...callable,
    method: route[1] as Verb["method"],
    path: route[2] as string,
    paths: routes.map(([, , path]) => path as string),
    // A verb that does not say who may call it is not thereby open.
    who: comment.get("who") === "open" ? "open" : "team",
    toolset: comment.get("toolset") || "extra",
    readonly: comment.has("readonly"),
  };
}

function readResource(callable: Callable, comment: Comment): Resource | undefined {
  const [uriTemplate, mimeType = "text/plain"] = comment.get("resource")?.split(/\s+/) ?? [];
  if (!uriTemplate) return undefined;
  return {
    ...callable,
    uriTemplate,
    mimeType,
    label: comment.get("name") ?? callable.name,
    title: comment.get("title"),
  };
}

export function parseCatalogue(text: string): Catalogue {
  const raw = JSON.parse(text) as { functions: RawFunction[]; types: Record<string, RawType> };
  const types = readTypes(raw.types);
  const functions = raw.functions.map((entry) => {
    const comment = parseComment(entry.comment);
    return { comment, callable: readCallable(entry, comment, types) };
  });
  const verbs = functions.flatMap(({ callable, comment }) => readVerb(callable, comment) ?? []);
  return {
    verbs,
    byName: new Map(verbs.map((verb) => [verb.name, verb])),
    resources: functions.flatMap(({ callable, comment }) => readResource(callable, comment) ?? []),
    resourceList: functions.find(({ comment }) => comment.has("lists_resources"))?.callable,
    completers: new Map(
      functions.flatMap(({ callable, comment }) => comment.all("completes").map((name) => [name, callable] as const)),
    ),
  };
}

/** The catalogue as it is now: looked at every second, so that a verb made by SQL is there without a restart. */
export class LiveCatalogue extends EventEmitter<{ change: [Catalogue] }> {
  current: Catalogue = parseCatalogue('{"functions": [], "types": {}}');
  #text = "";
  #timer: NodeJS.Timeout | undefined;
  #pool: pg.Pool;
  #log: Logger;

  constructor(pool: pg.Pool, log: Logger) {
    super();
    this.#pool = pool;
    this.#log = log;
  }

  async start(): Promise<void> {
    await this.#look();
    this.#timer = setInterval(
      () => this.#look().catch((err) => this.#log.debug({ err }, "catalogue not readable")),
      LOOK_EVERY_MS,
    );
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    const [{ catalogue: text }] = (await query(this.#pool, {
      name: "catalogue",
      text: CATALOGUE_SQL,
      query_timeout: 5_000,
    })) as [{ catalogue: string }];
    if (text === this.#text) return;
    this.current = parseCatalogue(text);
    if (this.#text) this.#log.info({ verbs: this.current.verbs.length }, "the verbs have changed");
    this.#text = text;
    this.emit("change", this.current);
  }
}
