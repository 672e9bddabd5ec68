import {
  buildClientSchema,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLSchema,
  getIntrospectionQuery,
  getNamedType,
  isCompositeType,
  isNonNullType,
} from "graphql";
import { as } from "../../../testing/access.ts";
import type { Verb } from "../../verbs/catalogue.ts";
import type { World } from "./actors.ts";

type Field = GraphQLField<unknown, unknown>;

export interface Operation {
  kind: "query" | "mutation" | "subscription";
  name: string;
  /** The verb that it calls, if it is one. */
  verb: Verb | undefined;
  /** Whether it names a session. */
  ofSession: boolean;
  query: string;
}

const camel = (name: string) => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** An operation for every root field of the schema, as the server describes it. */
export async function operationsOf(
  { parley, headers, session }: World,
  verbs: Verb[],
  argsOf: (verb: Verb) => Record<string, unknown>,
): Promise<Operation[]> {
  const { data } = await as(parley, { headers: headers.owner }).graphql(getIntrospectionQuery());
  const schema: GraphQLSchema = buildClientSchema(data);
  const literal = ({ type, name }: Pick<GraphQLArgument | GraphQLInputField, "type" | "name">) => {
    const known: Record<string, unknown> = { UUID: session.session_id, Int: 1, Datetime: new Date().toISOString() };
    const text = name === "board" ? "board" : session.ref;
    return `${name}: ${JSON.stringify(known[getNamedType(type).name] ?? text)}`;
  };
  const required = ({ args: [input] }: Field) =>
    Object.values((getNamedType(input?.type) as GraphQLInputObjectType).getFields())
      .filter(({ type }) => isNonNullType(type))
      .map(literal);
  const of = (kind: Operation["kind"], field: Field): Operation => {
    const verb = verbs.find(({ name }) => camel(name) === field.name);
    // Invitations are shown as keys here: no argument of GraphQL may hold a secret.
    const given = Object.entries(verb ? argsOf(verb) : {}).filter(([name]) => name !== "invite");
    const args = verb
      ? given.map(([name, value]) => `${camel(name)}: ${JSON.stringify(value)}`)
      : field.args.filter(({ type }) => isNonNullType(type)).map(literal);
    const list = kind === "mutation" ? [`input: { ${verb ? args : required(field)} }`] : args;
    const selection = isCompositeType(getNamedType(field.type)) ? " { __typename }" : "";
    return {
      ...{ kind, name: field.name, verb, ofSession: field.args.length > 0 },
      query: `${kind} { ${field.name}${list.length > 0 ? `(${list})` : ""}${selection} }`,
    };
  };
  const fields = (type: { getFields(): Record<string, Field> } | null | undefined) =>
    Object.values(type?.getFields() ?? {});
  return [
    ...fields(schema.getQueryType()).map((field) => of("query", field)),
    ...fields(schema.getMutationType()).map((field) => of("mutation", field)),
    ...fields(schema.getSubscriptionType()).map((field) => of("subscription", field)),
  ];
}
