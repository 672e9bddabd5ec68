import type { Argument, Callable, Catalogue, Resource, ResultType, Verb } from "./catalogue.ts";

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
    const comment = parseComment(type.comment ?? "");
    const writer = /^\w+\.\w+$/.exec(comment.get("text") ?? "")?.[0];
    types.set(oid, { name: type.name, description: comment.text, attributes, prunable, writer });
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

/** From what catalogue.sql gives: tags become what the surfaces need to know. */
export function readCatalogue(text: string): Catalogue {
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
