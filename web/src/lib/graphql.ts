import { initGraphQLTada } from "gql.tada";
import type { introspection } from "../graphql-env.d.ts";

/** Typed documents: `graphql("query …")` knows the schema. */
export const graphql = initGraphQLTada<{
  introspection: introspection;
  scalars: { BigInt: string; Cursor: string; Datetime: string; Duration: string; JSON: unknown; UUID: string };
}>();

export type { FragmentOf, ResultOf, VariablesOf } from "gql.tada";
export { readFragment } from "gql.tada";
