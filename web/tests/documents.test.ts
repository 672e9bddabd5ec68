import { globSync, readFileSync } from "node:fs";
import {
  buildSchema,
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  NoUnusedFragmentsRule,
  parse,
  specifiedRules,
  validate,
} from "graphql";
import { expect, test } from "vitest";

// The types of the page know fields, and not whether a variable fits where it is used.
const schema = buildSchema(`directive @_unmask on FRAGMENT_DEFINITION\n${readFileSync("web/schema.graphql", "utf8")}`);
const rules = specifiedRules.filter((rule) => rule !== NoUnusedFragmentsRule);

const ASKED = /\bgraphql\(\s*(?:`([^`]*)`|"([^"]*)")/g;
const documents = globSync("web/src/**/*.{ts,tsx}").flatMap((file) =>
  [...readFileSync(file, "utf8").matchAll(ASKED)]
    // An example in a comment is no document.
    .filter(([, long, short]) => /^\s*(query|mutation|subscription|fragment)\b[^…]*$/.test(long ?? short ?? ""))
    .map(([, long, short]): [string, DocumentNode] => [file, parse(long ?? short ?? "")]),
);
const fragments = new Map(
  documents
    .flatMap(([, { definitions }]) => definitions)
    .filter((definition): definition is FragmentDefinitionNode => definition.kind === Kind.FRAGMENT_DEFINITION)
    .map((fragment) => [fragment.name.value, fragment]),
);

test("the server understands everything that the page asks for", () => {
  expect(documents.length).toBeGreaterThan(30);
  const faults = documents.flatMap(([file, { definitions }]) => {
    const own = new Set(definitions.map((definition) => ("name" in definition ? definition.name?.value : undefined)));
    const others = [...fragments.values()].filter(({ name }) => !own.has(name.value));
    const whole: DocumentNode = { kind: Kind.DOCUMENT, definitions: [...definitions, ...others] };
    return validate(schema, whole, rules).map(({ message }) => `${file}: ${message}`);
  });
  expect([...new Set(faults)]).toEqual([]);
});
