import { graphql, type ResultOf } from "@/lib/graphql.ts";

export const SessionRowFragment = graphql(`
  fragment SessionRow on Session @_unmask {
    id
    ref
    title
    description
    state
    lastSequence
    sessionDocVersion
    lastActivityAt
    continues {
      id
      ref
    }
    lastMessage {
      id
      sessionId
      sequence
      type
      content
      postedAt
      postedBy {
        id
        sessionId
        teamName
      }
    }
    teamCount
    participants(first: 12) {
      nodes {
        id
        sessionId
        handle
        teamName
        activity
        leftAt
      }
    }
  }
`);

export type SessionRowData = ResultOf<typeof SessionRowFragment>;

export const SessionsQuery = graphql(
  `
    query Sessions($status: String, $search: String, $first: Int!) {
      countSessions(status: $status, search: $search)
      findSessions(status: $status, search: $search, first: $first) {
        pageInfo {
          hasNextPage
        }
        nodes {
          ...SessionRow
        }
      }
    }
  `,
  [SessionRowFragment],
);

export const SessionListTicks = graphql(`
  subscription SessionListTicks {
    sessionList {
      __typename
    }
  }
`);

export const CreateSession = graphql(`
  mutation CreateSession($title: String!, $description: String!, $name: String!) {
    createSession(input: { title: $title, description: $description, creatorTeamName: $name }) {
      result {
        ref
        title
      }
    }
  }
`);
