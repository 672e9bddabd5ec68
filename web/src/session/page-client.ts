import { Client, fetchExchange } from "@urql/core";

/** Without a cache: pages of the feed and versions of the document are kept, and forgotten, by who shows them. */
export const pageClient = new Client({
  url: "/graphql",
  exchanges: [fetchExchange],
  preferGetMethod: false,
  requestPolicy: "network-only",
});
