import type { AnyVariables, OperationResult, TypedDocumentNode } from "@urql/core";
import { client } from "./urql.ts";

/** Asks the server. It never throws: the answer may be an error. */
export const ask = <Data, Variables extends AnyVariables>(
  query: TypedDocumentNode<Data, Variables>,
  variables: Variables,
): Promise<OperationResult<Data, Variables>> => client.query(query, variables).toPromise();
