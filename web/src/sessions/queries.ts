import { graphql, type ResultOf } from "@/lib/graphql.ts";
import { NeedParts } from "@/needs/queries.ts";

export const RowParts = graphql(`
  fragment RowParts on SessionRow @_unmask {
    id
    ref
    title
    description
    state
    paused
    needs
    openQuestions
    lastCursor
    docVersion
    lastActivityAt
    saidBy
    said
    teamCount
    conclusion
    origin
    relation
    family
    board
    zone
    archived
    teams {
      handle
      teamName
      activity
      doing
    }
  }
`);

export type Row = ResultOf<typeof RowParts>;

export const RowsQuery = graphql(
  `
    query SessionRows($status: String, $search: String, $archived: Boolean, $limit: Int) {
      listSessionRows(status: $status, search: $search, archived: $archived, limit: $limit) {
        total
        hasMore
        rows {
          ...RowParts
        }
      }
    }
  `,
  [RowParts],
);

export const RowsNews = graphql(
  `
    subscription SessionRowsNews {
      sessionRows {
        series
        frame
        whole
        rows {
          ...RowParts
        }
      }
    }
  `,
  [RowParts],
);

export const ArchiveSession = graphql(`
  mutation ArchiveSession($id: String!, $archived: Boolean!) {
    archiveSession(input: { sessionId: $id, archived: $archived }) {
      result
    }
  }
`);

export const NeedsQuery = graphql(
  `
    query NeedsYou {
      needsYou {
        nodes {
          ...NeedParts
        }
      }
    }
  `,
  [NeedParts],
);

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
