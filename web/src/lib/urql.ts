import { Client, fetchExchange, mapExchange } from "@urql/core";
import { signedOut } from "@/people/me.ts";

/** Every question and every verb goes through it. It keeps nothing: what was answered is kept, and forgotten, by who shows it. */
export const client = new Client({
  url: "/graphql",
  preferGetMethod: false,
  requestPolicy: "network-only",
  exchanges: [
    mapExchange({
      onError: ({ graphQLErrors }) => {
        if (graphQLErrors.some(({ extensions }) => extensions.code === "unauthorized")) void signedOut();
      },
    }),
    fetchExchange,
  ],
});
