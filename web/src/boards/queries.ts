import { graphql, type ResultOf } from "@/lib/graphql.ts";
import { RowParts } from "@/sessions/queries.ts";

export const BoardsQuery = graphql(`
  query Boards {
    listBoards {
      hasMore
      boards {
        board
        name
        description
        zones
        sessions
      }
    }
  }
`);

export const BoardTicks = graphql(`
  subscription BoardTicks {
    boardList {
      __typename
    }
  }
`);

export const BoardQuery = graphql(
  `
    query Board($slug: String!) {
      board(slug: $slug) {
        slug
        name
        description
        zones
      }
      listBoardRows(board: $slug) {
        hasMore
        rows {
          ...RowParts
        }
      }
    }
  `,
  [RowParts],
);

export type Board = NonNullable<ResultOf<typeof BoardQuery>["board"]>;

export const CreateBoard = graphql(`
  mutation CreateBoard($name: String!, $description: String!, $zones: [String!]) {
    createBoard(input: { name: $name, description: $description, zones: $zones }) {
      result {
        board
      }
    }
  }
`);

export const PlaceSession = graphql(`
  mutation PlaceSession($id: String!, $board: String!, $zone: String) {
    placeSession(input: { sessionId: $id, board: $board, zone: $zone }) {
      result {
        zone
      }
    }
  }
`);
