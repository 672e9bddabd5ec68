import { graphql, type ResultOf } from "@/lib/graphql.ts";

const Head = graphql(`
  fragment Head on Session @_unmask {
    id ref title description status state createdAt closedAt lastSequence sessionDocVersion
    mode visibility capacity pausedAt pauseReason pausedBy openQuestions
    you { handle mayWrite mayLead mayOwn mayDelete refusal hint }
  }
`);

const MessageParts = graphql(`
  fragment MessageParts on Message @_unmask {
    sequence type content postedAt kind replyTo addressedTo expectsReply
    postedBy { id handle teamName kind guest }
    ask { options default expiresAt open answer answeredBy answeredAt expired }
  }
`);

const Team = graphql(`
  fragment Team on Participant @_unmask {
    id handle teamName kind guest status activity convener joinedAt leftAt lastSeenAt startedFrom cursor ackedCursor about doing
    claimedTasks(first: 10) { nodes { task title } }
  }
`);

const Edit = graphql(`
  fragment Edit on SessionDocHistory @_unmask { version afterCursor writtenAt sections writtenBy { id handle } }
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

/** How a session is, as it was read. */
export type HeadFields = ResultOf<typeof Head>;
/** What changes seldom: how far the feed has come, and what is open in it, is told apart. */
export type SessionHead = Omit<HeadFields, "lastSequence" | "openQuestions">;
/** What whoever looks may do. */
export type Standing = SessionHead["you"];
export type Message = ResultOf<typeof MessageParts>;
/** Chat has a text, a system message an event and its fields. */
export const contentOf = ({ content }: Message) => (content ?? {}) as Record<string, unknown>;
/** A version of the document, and between which messages it was written. */
export type DocEdit = ResultOf<typeof Edit>;
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

/** All that an open page is told, in one stream: what is new, and how things are where that is little. */
export const SessionNews = graphql(
  `
    subscription SessionNews($ref: String!) {
      sessionNews(sessionId: $ref) {
        series frame whole after
        session { ...Head }
        messages { ...MessageParts ownKey }
        roster { participants(first: 500) { nodes { ...Team } } }
        lineage { ...Continuations }
        tasks { id }
        docEdits { ...Edit }
        docSplice { fromVersion toVersion startAt removed inserted }
      }
    }
  `,
  [Head, MessageParts, Team, Continuations, Edit],
);
export type News = NonNullable<ResultOf<typeof SessionNews>["sessionNews"]>;

export const DocQuery = graphql("query Doc($id: UUID!) { session(id: $id) { sessionDocVersion sessionDoc } }");

export const FeedPageQuery = graphql(
  `
    query FeedPage($id: UUID!, $before: Int!, $from: Int!, $to: Int!) {
      session(id: $id) {
        feed(fromCursor: $from, toCursor: $to, first: 100) { nodes { ...MessageParts } }
        docEdits(fromCursor: $before, toCursor: $to, first: 300) { nodes { ...Edit } }
      }
    }
  `,
  [MessageParts, Edit],
);

export const FindQuery = graphql(
  `
    query Find(
      $id: UUID!, $search: String, $team: String, $kind: String, $addressees: [String], $before: Int, $first: Int!
    ) {
      session(id: $id) {
        findMessages(
          search: $search, team: $team, kind: $kind, addressees: $addressees, beforeCursor: $before, first: $first
        ) { nodes { ...MessageParts } }
      }
    }
  `,
  [MessageParts],
);

export const MessagesAtQuery = graphql(
  `
    query MessagesAt($id: UUID!, $cursors: [Int]!) {
      session(id: $id) { messagesAt(cursors: $cursors, first: 300) { nodes { ...MessageParts } } }
    }
  `,
  [MessageParts],
);

/** A single message, wherever in the feed it is. */
export const MessageQuery = graphql(
  "query Message($id: UUID!, $sequence: Int!) { message(sessionId: $id, sequence: $sequence) { ...MessageParts } }",
  [MessageParts],
);

export type SessionRead = NonNullable<ResultOf<typeof SessionQuery>["sessionByRef"]>;

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
        nodes { version writtenAt size sections writtenBy { id handle teamName kind } }
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
