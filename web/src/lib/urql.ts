import { Client, fetchExchange, mapExchange, subscriptionExchange } from "@urql/core";
import { cacheExchange, type KeyGenerator } from "@urql/exchange-graphcache";
import { signedOut } from "@/people/me.ts";
import { socket } from "./socket.ts";

export { type Connection, connectionState, useConnection } from "./connection.ts";

/** Without all parts of its key a row is kept inside its parent, which is always right. */
const keyOf =
  (...fields: string[]): KeyGenerator =>
  (row) =>
    fields.every((field) => row[field] != null) ? fields.map((field) => row[field]).join(":") : null;

const embedded: KeyGenerator = () => null;

const ANSWERS_OF_VERBS = [
  "AccessKey",
  "AccessKeys",
  "AuditEntry",
  "AuditPage",
  "Browser",
  "ChangedFunction",
  "ConcludedSession",
  "CreatedSession",
  "FeedMessage",
  "HistoryPage",
  "InvitedPerson",
  "JoinedSession",
  "LeftSession",
  "People",
  "Person",
  "PostedMessage",
  "ResumedSession",
  "Roster",
  "RosterEntry",
  "SessionChange",
  "SessionDetails",
  "SessionDoc",
  "SessionListChange",
  "SettingsChange",
  "UpdatedMetadata",
  "WrittenDoc",
];

export const client = new Client({
  url: "/graphql",
  preferGetMethod: false,
  exchanges: [
    cacheExchange({
      keys: {
        ...Object.fromEntries(ANSWERS_OF_VERBS.map((type) => [type, embedded])),
        Message: keyOf("sessionId", "sequence"),
        Participant: keyOf("sessionId", "id"),
        SessionDocHistory: keyOf("sessionId", "version"),
        Setting: keyOf("name"),
      },
    }),
    mapExchange({
      onError: ({ graphQLErrors }) => {
        if (graphQLErrors.some(({ extensions }) => extensions.code === "unauthorized")) void signedOut();
      },
    }),
    fetchExchange,
    subscriptionExchange({
      forwardSubscription: ({ query, variables }) => ({
        subscribe: (sink) => ({ unsubscribe: socket.subscribe({ query: query ?? "", variables }, sink) }),
      }),
    }),
  ],
});
