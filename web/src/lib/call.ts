import type { CombinedError, TypedDocumentNode } from "@urql/core";
import { codeOf, fieldOf, hintOf, messageOf } from "./errors.ts";
import { client } from "./urql.ts";

/** What the server would not do, in its own words. */
export interface Refusal {
  message: string;
  hint?: string | undefined;
  /** The argument that it did not like. */
  field?: string | undefined;
  /** The contract's word for it. */
  code?: string | undefined;
}

export const refusalOf = (error: CombinedError): Refusal => ({
  message: messageOf(error),
  hint: hintOf(error),
  field: fieldOf(error),
  code: codeOf(error),
});

export type Outcome<Data> = { data: Data; refusal?: undefined } | { data?: undefined; refusal: Refusal };

/** Calls a verb that writes. It never throws: whoever calls has a person to tell. */
export async function call<Data, Variables extends object>(
  verb: TypedDocumentNode<Data, Variables>,
  variables: Variables,
): Promise<Outcome<Data>> {
  const { data, error } = await client.mutation<Data, object>(verb, variables).toPromise();
  return error || !data ? { refusal: error ? refusalOf(error) : { message: "The server does not answer." } } : { data };
}
