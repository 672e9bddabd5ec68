import type {
  ListResourcesRequest,
  ListResourcesResult,
  ReadResourceRequest,
  ReadResourceResult,
  ResourceTemplate,
} from "@modelcontextprotocol/sdk/types.js";
import type { Catalogue, Resource } from "../api/catalogue.ts";
import { mayChange } from "../api/exact-json.ts";
import { invalidParams, RESOURCE_NOT_FOUND, RpcError } from "./errors.ts";
import { callerOf, type Visit } from "./visit.ts";

const VARIABLE = /\{(\w+)\}/;

interface Known {
  templates: ResourceTemplate[];
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

export const listResourceTemplates = (_params: unknown, { catalogue }: Visit) => ({
  resourceTemplates: knownOf(catalogue.current).templates,
});

export async function listResources(params: ListResourcesRequest["params"], visit: Visit) {
  const { resourceList } = visit.catalogue.current;
  const { fixed } = knownOf(visit.catalogue.current);
  const { cursor } = params ?? {};
  if (!resourceList) return { resources: fixed };
  const page = JSON.parse(await visit.call(resourceList, { cursor }, callerOf(visit))) as ListResourcesResult;
  return cursor === undefined ? { ...page, resources: [...fixed, ...page.resources] } : page;
}

export async function readResource({ uri }: ReadResourceRequest["params"], visit: Visit): Promise<ReadResourceResult> {
  if (!URL.canParse(uri)) throw invalidParams("uri is not an address, such as those of resources/list.", { uri });
  const found = knownOf(visit.catalogue.current).patterns.flatMap(({ resource, pattern }) => {
    const match = pattern.exec(uri);
    return match ? [{ resource, args: decoded(uri, match.groups ?? {}) }] : [];
  })[0];
  const answer = found && (await visit.call(found.resource, found.args, callerOf(visit)));
  const content: unknown = JSON.parse(answer ?? "null");
  if (!found || !answer || content === null) {
    const hint = `There are ${knownOf(visit.catalogue.current)
      .templates.map((known) => known.uriTemplate)
      .join(", ")}.`;
    throw new RpcError(RESOURCE_NOT_FOUND, "There is no resource at this address.", { uri, details: { hint } });
  }
  const text = typeof content === "string" ? content : mayChange(answer) ? answer : JSON.stringify(content);
  return { contents: [{ uri, mimeType: found.resource.mimeType, text }] };
}

function decoded(uri: string, variables: Record<string, string>): Record<string, string> {
  try {
    return Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, decodeURIComponent(value)]));
  } catch {
    throw invalidParams("uri holds a percent sign that does not encode UTF-8 text.", { uri });
  }
}
