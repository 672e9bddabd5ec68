import type { CombinedError } from "@urql/core";

/** The contract's error body, as GraphQL carries it. */
interface Details {
  hint?: string;
  field?: string;
}

const detailsOf = (error: CombinedError) => (error.graphQLErrors[0]?.extensions?.details ?? {}) as Details;

/** What the server says is wrong, in its own words. */
export function messageOf(error: CombinedError): string {
  if (error.networkError && error.graphQLErrors.length === 0) return "The server does not answer.";
  return error.graphQLErrors.map(({ message }) => message).join(" ") || error.message;
}

/** What to do next, where the server gave a hint. */
export const hintOf = (error: CombinedError) => detailsOf(error).hint;

/** The argument that was refused, where it was one. */
export const fieldOf = (error: CombinedError) => detailsOf(error).field;

export const codeOf = (error: CombinedError) => error.graphQLErrors[0]?.extensions?.code as string | undefined;
