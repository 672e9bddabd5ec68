import { graphql, type ResultOf } from "@/lib/graphql.ts";

const Head = graphql(`
  fragment Head on Session @_unmask {
    id ref title description status state createdAt closedAt lastSequence sessionDocVersion
  }
`);

const MessageParts = graphql(`
  fragment MessageParts on Message @_unmask {
    sequence type content postedAt kind replyTo addressedTo expectsReply
    postedBy { handle teamName kind guest }
  }
`);

const Team = graphql(`
  fragment Team on Participant @_unmask {
    id handle teamName kind guest status activity convener joinedAt leftAt lastSeenAt cursor ackedCursor
  }
`);

const Related = graphql("fragment Related on Session @_unmask { id ref title state }");

const Continuations = graphql(
  `
    fragment Continuations on Session @_unmask {
      id
      continuations(first: 20) { nodes { ...Related } }
    }
  `,
  [Related],
);

/** What the top of the page shows, and how far feed and document have come. */
export type SessionHead = ResultOf<typeof Head>;
export type Message = ResultOf<typeof MessageParts>;
/** Chat has a text, a system message an event and its fields. */
export const contentOf = ({ content }: Message) => (content ?? {}) as Record<string, unknown>;
export type Participant = ResultOf<typeof Team>;
export type RelatedSession = ResultOf<typeof Related>;

export const SessionQuery = graphql(
  `
    query Session($ref: String!) {
      sessionByRef(ref: $ref) {
        ...Head
        sessionDoc
        participants(first: 500) { nodes { ...Team } }
        continues { ...Related }
        ...Continuations
      }
    }
  `,
  [Head, Team, Related, Continuations],
);

/** The newest few come along, so that a page that is up to date need not ask for them. */
export const FeedTicks = graphql(
  `
    subscription FeedTicks($id: String!) {
      sessionFeed(sessionId: $id) { session { ...Head messages(last: 5) { nodes { ...MessageParts } } } }
    }
  `,
  [Head, MessageParts],
);

export const DocTicks = graphql(
  `
    subscription DocTicks($id: String!) {
      sessionDoc(sessionId: $id) { session { ...Head sessionDoc ...Continuations } }
    }
  `,
  [Head, Continuations],
);

export const RosterTicks = graphql(
  `
    subscription RosterTicks($id: String!) {
      sessionRoster(sessionId: $id) { session { id state participants(first: 500) { nodes { ...Team } } } }
    }
  `,
  [Team],
);

export const RosterQuery = graphql(
  "query Roster($id: UUID!) { session(id: $id) { id state participants(first: 500) { nodes { ...Team } } } }",
  [Team],
);

export const FeedPageQuery = graphql(
  `
    query FeedPage($id: UUID!, $from: Int!, $to: Int!) {
      session(id: $id) { feed(fromCursor: $from, toCursor: $to, first: 100) { nodes { ...MessageParts } } }
    }
  `,
  [MessageParts],
);

export const FindQuery = graphql(
  `
    query Find($id: UUID!, $search: String, $team: String, $kind: String, $first: Int!) {
      session(id: $id) {
        findMessages(search: $search, team: $team, kind: $kind, first: $first) { nodes { ...MessageParts } }
      }
    }
  `,
  [MessageParts],
);

/** A single message, wherever in the feed it is. */
export const MessageQuery = graphql(
  "query Message($id: UUID!, $sequence: Int!) { message(sessionId: $id, sequence: $sequence) { ...MessageParts } }",
  [MessageParts],
);

export const OpenQuestionsQuery = graphql(
  "query OpenQuestions($id: UUID!) { session(id: $id) { lastSequence openQuestions } }",
);

/** What is only looked up when somebody asks about a message; cursors of waits move without a tick. */
export const MessageDetailsQuery = graphql(
  `
    query MessageDetails($id: UUID!, $sequence: Int!) {
      message(sessionId: $id, sequence: $sequence) { metadata }
      session(id: $id) { participants(first: 500) { nodes { ...Team } } }
    }
  `,
  [Team],
);

export const DocVersionsQuery = graphql(`
  query DocVersions($id: UUID!, $first: Int!) {
    session(id: $id) {
      sessionDocHistories(first: $first, orderBy: [VERSION_DESC]) {
        nodes { version writtenAt size writtenBy { handle teamName kind } }
      }
    }
  }
`);

type Versions = NonNullable<ResultOf<typeof DocVersionsQuery>["session"]>["sessionDocHistories"];
export type DocVersion = Versions["nodes"][number];

export const DocVersionQuery = graphql(`
  query DocVersion($id: UUID!, $version: Int!) {
    sessionDocHistory(sessionId: $id, version: $version) { version content }
  }
`);

export const MarkdownExport = graphql("query MarkdownExport($id: UUID!) { session(id: $id) { asMarkdown } }");

export const JsonExport = graphql("query JsonExport($id: UUID!) { session(id: $id) { asJson } }");

export const ResumeSession = graphql(`
  mutation ResumeSession($id: String!, $name: String!) {
    resumeSession(input: { sessionId: $id, teamName: $name }) { result { ref } }
  }
`);
