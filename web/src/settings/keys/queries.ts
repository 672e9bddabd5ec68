import { graphql, type ResultOf } from "@/lib/graphql.ts";

export const KeyFragment = graphql(`
  fragment KeyFields on AccessKey @_unmask {
    key
    name
    scopes
    session
    createdAt
    createdBy
    expiresAt
    lastUsedAt
    revokedAt
  }
`);

export type KeyData = ResultOf<typeof KeyFragment>;

export const KeysQuery = graphql(
  `
    query Keys {
      listKeys {
        keys {
          ...KeyFields
        }
      }
    }
  `,
  [KeyFragment],
);

export const CreateKey = graphql(`
  mutation CreateKey($name: String!, $scopes: [String!]!, $session: String, $expiresIn: Duration) {
    createKey(input: { name: $name, scopes: $scopes, session: $session, expiresIn: $expiresIn }) {
      result {
        name
        secret
        session
      }
    }
  }
`);

export const RevokeKey = graphql(`
  mutation RevokeKey($key: String!) {
    revokeKey(input: { key: $key }) {
      result {
        key
      }
    }
  }
`);
