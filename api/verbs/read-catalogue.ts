import type { Argument, Callable, Catalogue, Resource, Verb } from "./catalogue.ts";
import { parseSchema, type RawType, type Shape, Types } from "./catalogue-types.ts";
import { type Comment, parseComment } from "./comments.ts";

interface RawFunction {
  name: string;
  comment: string;
  kind: string;
  variadic: boolean;
  oid: string;
  edition: string | null;
  seated: boolean;
  set: boolean;
  result: Shape;
  arguments: { name: string; type: Shape; optional: boolean; default: string | null }[];
  /** Those that it names itself: of returns table, or OUT. */
  columns: { name: string; type: Shape }[];
}

/** Why a function cannot be called as the surfaces call: by the names of its arguments, for JSON. */
function flawOf(raw: RawFunction, comment: Comment): string | undefined {
  const { name = "" } = raw.arguments.find(({ type }) => type.pseudo) ?? {};
  const declared = (argument: string) => raw.arguments.some((known) => known.name === argument);
  if (raw.kind !== "f") return "it is not a function, but a procedure, an aggregate or a window function";
  if (raw.variadic) return "it is variadic; take an array instead";
  if (raw.arguments.some((argument) => argument.name === "")) return "it has an argument without a name";
  if (name) return `its argument ${name} has no type of its own`;
  if (raw.result.pseudo && raw.result.name !== "void" && raw.columns.length === 0)
    return `it returns ${raw.result.name}; name the columns, or a type`;
  if (comment.has("verb") && declared("team_id")) return "team_id is the name of the credential";

  for (const [argument, text] of comment.schemas) {
    if (!declared(String(argument))) return `@schema names ${argument}, which is none of its arguments`;
    if (!parseSchema(text)) return `the @schema of ${argument} is not a JSON object`;
  }
  if (comment.has("verb") && !WHO.test(comment.get("who") ?? ""))
    return "its comment does not say who may call it: @who open, team, person, or key read, team, run or admin";
  const routes = comment.all("verb");
  const wrong = routes.find((route) => !ROUTE.test(route));
  if (wrong !== undefined) return "@verb wants GET or POST and a path, such as GET /things/{thing}";
  const [stranger] = routes.flatMap(placeholders).filter((argument) => !declared(argument));
  return stranger && `its path names ${stranger}, which is none of its arguments`;
}

const WHO = /^(open|team|person|key (read|team|run|admin))$/;
const ROUTE = /^(GET|POST)\s+(\/\S*)$/;
const placeholders = (route: string) => [...route.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);

function readCallable(raw: RawFunction, comment: Comment, types: Types): Callable {
  const { composite, ...value } = types.read(raw.result);
  const named = raw.columns.length > 0;
  return {
    name: raw.name,
    description: comment.text,
    // What is no verb is read: resources, and what finds them.
    who: (comment.get("who") ?? "reader") as Callable["who"],
    seated: raw.seated,
    idempotent: comment.has("idempotent") || comment.has("readonly"),
    blocking: comment.has("blocking"),
    together: comment.has("together") && !comment.has("blocking"),
    atOnce: atOnce(raw, comment),
    arguments: [...raw.arguments.map((argument) => readArgument(argument, comment, types)), ...secretsOf(comment)],
    answer: { ...value, set: raw.set, columns: named },
    result: named ? types.row(`${raw.name}_row`, raw.columns) : composite,
  };
}

/** `@together parley_private.does_many these, arguments` */
function atOnce({ oid, edition }: RawFunction, comment: Comment): Callable["atOnce"] {
  const [, does, takes] = /^(\w+\.\w+)\s+(\w.*)$/.exec(comment.get("together") ?? "") ?? [];
  return does && takes && edition !== null ? { does, takes: takes.split(/[\s,]+/), oid, edition } : undefined;
}

const unlisted = (comment: Comment) => comment.all("unlisted").flatMap((names) => names.split(/[\s,]+/));

/** `@secret invite From a link.`: what no parameter of the function is, since parameters can land in logs. invite! is required. */
const secretsOf = (comment: Comment): Argument[] =>
  comment.all("secret").map((said) => {
    const [, name = "", required, description = ""] = /^(\w+)(!?)\s+(.*)$/.exec(said) ?? [];
    return {
      ...{ name, description, optional: !required, type: "text", declared: "text", default: undefined },
      ...{
        clamped: false,
        unlisted: unlisted(comment).includes(name),
        labels: undefined,
        schema: undefined,
        secret: true,
      },
    };
  });

function readArgument(raw: RawFunction["arguments"][number], comment: Comment, types: Types): Argument {
  const { type, labels, schema } = types.read(raw.type);
  return {
    name: raw.name,
    type,
    declared: raw.type.name,
    optional: raw.optional,
    default: raw.default ?? undefined,
    clamped: comment.has("clamped"),
    description: comment.params.get(raw.name) ?? "",
    labels,
    schema: parseSchema(comment.schemas.get(raw.name)) ?? schema,
    unlisted: comment.all("unlisted").some((names) => names.split(/[\s,]+/).includes(raw.name)),
  };
}

function readVerb(callable: Callable, comment: Comment): Verb | undefined {
  const routes = comment.all("verb").flatMap((route) => [...route.matchAll(new RegExp(ROUTE, "g"))]);
  const [route] = routes;
  if (!route) return undefined;
  return {
    ...callable,
    method: route[1] as Verb["method"],
    path: route[2] as string,
    paths: routes.map(([, , path]) => path as string),
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
    topics: comment.all("topic"),
  };
}

/** From what catalogue.sql gives: tags become what the surfaces need to know. */
export function readCatalogue(text: string): Catalogue {
  const raw = JSON.parse(text) as { functions: RawFunction[]; types: Record<string, RawType> };
  const types = new Types(raw.types);
  const skipped: Catalogue["skipped"] = [];
  const names = new Set<string>();
  const functions = raw.functions.flatMap((entry) => {
    const comment = parseComment(entry.comment);
    // A name means one thing on every surface; the oldest function keeps it.
    const why = names.has(entry.name) ? "there is another function of this name" : flawOf(entry, comment);
    if (why) {
      skipped.push({ name: entry.name, why });
      return [];
    }
    names.add(entry.name);
    return [{ comment, callable: readCallable(entry, comment, types) }];
  });
  const verbs = functions.flatMap(({ callable, comment }) => readVerb(callable, comment) ?? []);
  const byTag = (tag: string) =>
    new Map(functions.flatMap(({ callable, comment }) => comment.all(tag).map((name) => [name, callable] as const)));
  return {
    verbs,
    byName: new Map(verbs.map((verb) => [verb.name, verb])),
    resources: functions.flatMap(({ callable, comment }) => readResource(callable, comment) ?? []),
    resourceList: functions.flatMap(({ callable, comment }) =>
      comment.has("lists_resources") ? [{ ...callable, topics: comment.all("topic") }] : [],
    )[0],
    completers: byTag("completes"),
    inTopics: byTag("in_topics"),
    skipped,
  };
}
