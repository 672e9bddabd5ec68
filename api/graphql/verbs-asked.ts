import { type DocumentNode, type GraphQLSchema, TypeInfo, visit, visitWithTypeInfo } from "graphql";
import type { Who } from "../verbs/admission.ts";
import type { Catalogue } from "../verbs/catalogue.ts";

const asked = new WeakMap<DocumentNode, { catalogue: Catalogue; whos: Who[] }>();

const fieldOf = (verb: string) => verb.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/**
 * What the verbs that an operation calls, at any depth, ask of their caller; "reader" where it calls none. A verb that asks for
 * the seat of its caller knows better: whether there is such a session comes first.
 */
export function whoMayAsk(document: DocumentNode, schema: GraphQLSchema, catalogue: Catalogue): Who[] {
  const known = asked.get(document);
  if (known?.catalogue === catalogue) return known.whos;
  const byField = new Map(
    catalogue.verbs.map(({ name, who, seated }) => [fieldOf(name), who === "team" && seated ? "open" : who] as const),
  );
  const roots = [schema.getQueryType(), schema.getMutationType()];
  const whos = new Set<Who>();
  const types = new TypeInfo(schema);
  visit(
    document,
    visitWithTypeInfo(types, {
      Field({ name }) {
        const who = byField.get(name.value);
        if (who && roots.includes(types.getParentType() as never)) whos.add(who);
      },
    }),
  );
  if (whos.size === 0) whos.add("reader");
  asked.set(document, { catalogue, whos: [...whos] });
  return [...whos];
}
