import type {
  ExecutionArgs,
  FieldNode,
  FragmentDefinitionNode,
  GraphQLCompositeType,
  GraphQLField,
  GraphQLSchema,
  SelectionSetNode,
} from "graphql";
import {
  getArgumentValues,
  getNamedType,
  getNullableType,
  getOperationAST,
  getVariableValues,
  isCompositeType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
} from "graphql";
import { ApiError, invalidArgument } from "../verbs/errors.ts";
import { DEFAULT_PAGE, MAX_PAGE } from "./pages.ts";

export const MAX_DEPTH = 12;
export const MAX_ALIASES = 30;
/** About one per row that is read; what a field costs beyond that is told by @cost in the comment of its function. */
export const MAX_COST = 50_000;
// Ends the walk through fragments that spread each other by the thousand.
const MAX_FIELDS = 2_000;

const tooMuch = (message: string, hint: string) =>
  new ApiError(400, "invalid_argument", message, { field: "query", hint });

/** What an operation asks for, with its real variables; throws when that is more than anyone should ask for. */
export function checkLimits({ schema, document, operationName, variableValues }: ExecutionArgs): void {
  const operation = getOperationAST(document, operationName);
  const root = operation && schema.getRootType(operation.operation);
  if (!root) return;
  const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], variableValues ?? {});
  // Variables that don't fit are reported by the execution.
  if (!coerced) return;
  const fragments = new Map(
    document.definitions.filter((d) => d.kind === Kind.FRAGMENT_DEFINITION).map((d) => [d.name.value, d]),
  );
  new Walk(schema, fragments, coerced).through(operation.selectionSet, root, { depth: 1, rows: 1, page: 1 });
}

interface Place {
  depth: number;
  /** How many objects this selection is read for. */
  rows: number;
  /** How many items a list in this selection may hold. */
  page: number;
}

class Walk {
  #schema: GraphQLSchema;
  #fragments: Map<string, FragmentDefinitionNode>;
  #variables: Record<string, unknown>;
  #aliases = 0;
  #fields = 0;
  #cost = 0;

  constructor(
    schema: GraphQLSchema,
    fragments: Map<string, FragmentDefinitionNode>,
    variables: Record<string, unknown>,
  ) {
    this.#schema = schema;
    this.#fragments = fragments;
    this.#variables = variables;
  }

  through(selections: SelectionSetNode, type: GraphQLCompositeType, place: Place): void {
    for (const node of selections.selections) {
      if (node.kind === Kind.FIELD) {
        this.#field(node, type, place);
        continue;
      }
      const fragment = node.kind === Kind.FRAGMENT_SPREAD ? this.#fragments.get(node.name.value) : node;
      const on = fragment?.typeCondition && this.#schema.getType(fragment.typeCondition.name.value);
      if (fragment) this.through(fragment.selectionSet, isCompositeType(on) ? on : type, place);
    }
  }

  #field(node: FieldNode, type: GraphQLCompositeType, { depth, rows, page }: Place) {
    if (depth > MAX_DEPTH)
      throw tooMuch(`The query is nested deeper than ${MAX_DEPTH} levels.`, "Ask for it in several queries.");
    if (++this.#fields > MAX_FIELDS)
      throw tooMuch(`The query has more than ${MAX_FIELDS} fields.`, "Ask for it in several queries.");
    if (node.alias && ++this.#aliases > MAX_ALIASES) {
      throw tooMuch(`The query has more than ${MAX_ALIASES} aliases.`, "Ask for it in several queries.");
    }
    const field = isObjectType(type) || isInterfaceType(type) ? type.getFields()[node.name.value] : undefined;
    // Introspection has a rule of its own among GraphQL's validation rules.
    if (!field) return;

    const each = isListType(getNullableType(field.type)) ? rows * page : rows;
    this.#cost += each * (Number(field.extensions.cost ?? 0) + (node.selectionSet ? 1 : 0));
    if (this.#cost > MAX_COST) {
      throw tooMuch(
        "The query asks for too much at once.",
        "Ask for smaller pages (first, last) or fewer levels of them.",
      );
    }
    const of = getNamedType(field.type);
    if (node.selectionSet && isCompositeType(of)) {
      this.through(node.selectionSet, of, { depth: depth + 1, rows: each, page: this.#pageOf(field, node) });
    }
  }

  #pageOf(field: GraphQLField<unknown, unknown>, node: FieldNode): number {
    if (!field.args.some(({ name }) => name === "first")) return 1;
    const { first, last, before, after } = getArgumentValues(field, node, this.#variables) as Record<string, unknown>;
    for (const [name, size] of Object.entries({ first, last })) {
      if (typeof size === "number" && (size < 0 || size > MAX_PAGE)) {
        throw invalidArgument(
          name,
          `${name} must be from 0 to ${MAX_PAGE}.`,
          "Read further pages with after or before and the cursors of pageInfo.",
        );
      }
    }
    if ((first ?? after) != null && (last ?? before) != null) {
      throw invalidArgument(
        first == null ? "last" : "first",
        "A page is read from one end: first and after, or last and before.",
        "Leave out one of the pairs.",
      );
    }
    return (first ?? last ?? DEFAULT_PAGE) as number;
  }
}
