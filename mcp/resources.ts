import type {
  ListResourcesRequest,
  ListResourcesResult,
  ReadResourceRequest,
  ReadResourceResult,
  ResourceTemplateType,
} from "@modelcontextprotocol/server";
import type { Catalogue, Resource } from "../api/verbs/catalogue.ts";
import { mayChange } from "../api/verbs/exact-json.ts";
import { invalidParams, toRpcError } from "./errors.ts";
import { callerOf, type RequestContext } from "./request-context.ts";

const VARIABLE = /\{(\w+)\}/;

interface Known {
  templates: ResourceTemplateType[];
  /** Those whose address has no variable. */
  fixed: ListResourcesResult["resources"];
  patterns: { resource: Resource; pattern: RegExp }[];
}

const known = new WeakMap<Catalogue, Known>();

/** What the catalogue says of resources, made once. */
function knownOf(catalogue: Catalogue): Known {
  const before = known.get(catalogue);
  if (before) return before;
  const [templates, fixed] = [true, false].map((varies) =>
    catalogue.resources.filter(({ uriTemplate }) => VARIABLE.test(uriTemplate) === varies),
  ) as [Resource[], Resource[]];
  const made = {
    templates: templates.map((resource) => ({ uriTemplate: resource.uriTemplate, ...described(resource) })),
    fixed: fixed.map((resource) => ({ uri: resource.uriTemplate, ...described(resource) })),
    patterns: catalogue.resources.map((resource) => ({ resource, pattern: toPattern(resource.uriTemplate) })),
  };
  known.set(catalogue, made);
  return made;
}

const described = ({ label, title, description, mimeType }: Resource) => ({
  name: label,
  ...(title && { title }),
  description,
  mimeType,
});

/** A variable stands for one part of the path. */
function toPattern(template: string): RegExp {
  const parts = template.split(/(\{\w+\})/).map((part) => {
    const name = VARIABLE.exec(part)?.[1];
    return name ? `(?<${name}>[^/?#]+)` : part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  });
  return new RegExp(`^${parts.join("")}$`);
}

export const listResourceTemplates = (_params: unknown, { catalogue }: RequestContext) => ({
  resourceTemplates: knownOf(catalogue.current).templates,
});

export async function listResources(params: ListResourcesRequest["params"], context: RequestContext) {
  const { resourceList } = context.catalogue.current;
  const { fixed } = knownOf(context.catalogue.current);
  const { cursor } = params ?? {};
  if (!resourceList) return { resources: fixed };
  const page = JSON.parse(await context.call(resourceList, { cursor }, callerOf(context))) as ListResourcesResult;
  return cursor === undefined ? { ...page, resources: [...fixed, ...page.resources] } : page;
}

export async function readResource(
  { uri }: ReadResourceRequest["params"],
  context: RequestContext,
): Promise<ReadResourceResult> {
  const { resource, args } = findResource(uri, context);
  const answer = await aboutUri(uri, context, context.call(resource, args, callerOf(context)));
  const content: unknown = JSON.parse(answer);
  if (content === null) throw notFound(uri, context);
  const text = typeof content === "string" ? content : mayChange(answer) ? answer : JSON.stringify(content);
  return { contents: [{ uri, mimeType: resource.mimeType, text }] };
}

/** What is announced when the resource changes: its topics, with what their variables stand for. */
export async function topicsOf(uri: string, context: RequestContext): Promise<string[]> {
  const { resource, args } = findResource(uri, context);
  const { inTopics } = context.catalogue.current;
  for (const name of Object.keys(args)) {
    const resolver = inTopics.get(name);
    if (!resolver) continue;
    args[name] = JSON.parse(
      await aboutUri(uri, context, context.call(resolver, { [name]: args[name] }, callerOf(context))),
    );
  }
  return resource.topics.map((topic) => topic.replace(/\{(\w+)\}/g, (_, name: string) => args[name] ?? ""));
}

function findResource(uri: string, context: RequestContext): { resource: Resource; args: Record<string, string> } {
  if (!URL.canParse(uri)) throw invalidParams("uri is not an address, such as those of resources/list.", { uri });
  for (const { resource, pattern } of knownOf(context.catalogue.current).patterns) {
    const match = pattern.exec(uri);
    if (match) return { resource, args: decoded(uri, match.groups ?? {}) };
  }
  throw notFound(uri, context);
}

function notFound(uri: string, { catalogue }: RequestContext) {
  const templates = knownOf(catalogue.current).templates.map((known) => known.uriTemplate);
  const hint = `There are ${templates.join(", ")}.`;
  return invalidParams("There is no resource at this address.", { uri, details: { hint } });
}

/** By the address among its data a client knows that a resource is missing, and not an argument wrong. */
async function aboutUri<Answer>(uri: string, { report }: RequestContext, answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    const refusal = toRpcError(error, report);
    refusal.data = { ...(refusal.data as object), uri };
    throw refusal;
  }
}

function decoded(uri: string, variables: Record<string, string>): Record<string, string> {
  try {
    return Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, decodeURIComponent(value)]));
  } catch {
    throw invalidParams("uri holds a percent sign that does not encode UTF-8 text.", { uri });
  }
}
