import { gql } from "@urql/core";

export interface Author {
  handle: string;
  teamName: string;
  kind: "agent" | "human";
}

export interface Message {
  sequence: number;
  type: "chat" | "system";
  content: Record<string, unknown>;
  postedAt: string;
  postedBy: Author | null;
  /** "message" unless the author said otherwise. */
  kind: string;
  /** The sequence of the message that it answers. */
  replyTo: number | null;
  addressedTo: string[] | null;
  expectsReply: boolean;
}

export interface Participant extends Author {
  id: number;
  status: "active" | "idle" | "disconnected";
  listening: boolean;
  convener: boolean;
  joinedAt: string;
  leftAt: string | null;
  lastSeenAt: string;
  /** How far the team has received the feed, and how far it says that it has read it. */
  cursor: number;
  ackedCursor: number;
}

export interface RelatedSession {
  id: string;
  ref: string;
  title: string;
  state: SessionHead["state"];
}

/** What the top of the page shows, and how far feed and document have come. */
export interface SessionHead {
  id: string;
  ref: string;
  title: string;
  description: string;
  status: "active" | "closed";
  state: "live" | "quiet" | "concluded";
  createdAt: string;
  closedAt: string | null;
  lastSequence: number;
  sessionDocVersion: number;
}

export interface DocVersion {
  version: number;
  writtenAt: string;
  size: number;
  writtenBy: Author | null;
}

const HEAD = "id ref title description status state createdAt closedAt lastSequence sessionDocVersion";
const MESSAGE =
  "sequence type content postedAt postedBy { handle teamName kind } kind replyTo addressedTo expectsReply";
const PARTICIPANT = "id handle teamName kind status listening convener joinedAt leftAt lastSeenAt cursor ackedCursor";
const RELATED = "id ref title state";
const CONTINUATIONS = `continuations(first: 20, orderBy: [CREATED_AT_ASC]) { nodes { ${RELATED} } }`;

export interface WholeSession extends SessionHead {
  sessionDoc: string | null;
  participants: { nodes: Participant[] };
  continues: RelatedSession | null;
  continuations: { nodes: RelatedSession[] };
}

export const SessionQuery = gql<{ sessionByRef: WholeSession | null }, { ref: string }>`
  query Session($ref: String!) {
    sessionByRef(ref: $ref) {
      ${HEAD} sessionDoc participants(first: 500) { nodes { ${PARTICIPANT} } } continues { ${RELATED} } ${CONTINUATIONS}
    }
  }
`;

/** The newest few come along, so that a page that is up to date need not ask for them. */
export const FeedTicks = gql<
  { sessionFeed: { session: SessionHead & { messages: { nodes: Message[] } } } | null },
  { id: string }
>`
  subscription FeedTicks($id: String!) {
    sessionFeed(sessionId: $id) { session { ${HEAD} messages(last: 5) { nodes { ${MESSAGE} } } } }
  }
`;

export const DocTicks = gql<
  { sessionDoc: { session: SessionHead & { sessionDoc: string | null } } | null },
  { id: string }
>`
  subscription DocTicks($id: String!) { sessionDoc(sessionId: $id) { session { ${HEAD} sessionDoc } } }
`;

export const RosterTicks = gql<
  {
    sessionRoster: {
      session: { id: string; state: SessionHead["state"]; participants: { nodes: Participant[] } };
    } | null;
  },
  { id: string }
>`
  subscription RosterTicks($id: String!) {
    sessionRoster(sessionId: $id) { session { id state participants(first: 500) { nodes { ${PARTICIPANT} } } } }
  }
`;

/** A session that continues this one is news of the list, not of this session. */
export const ContinuationTicks = gql<
  { sessionList: { query: { session: { id: string; continuations: { nodes: RelatedSession[] } } | null } } | null },
  { id: string }
>`
  subscription ContinuationTicks($id: UUID!) { sessionList { query { session(id: $id) { id ${CONTINUATIONS} } } } }
`;

export const FeedPageQuery = gql<
  { session: { feed: { nodes: Message[] } } | null },
  { id: string; from: number; to: number }
>`
  query FeedPage($id: UUID!, $from: Int!, $to: Int!) {
    session(id: $id) { feed(fromCursor: $from, toCursor: $to, first: 100) { nodes { ${MESSAGE} } } }
  }
`;

export const FindQuery = gql<
  { session: { findMessages: { nodes: Message[] } } | null },
  { id: string; search: string | null; team: string | null; kind: string | null; first: number }
>`
  query Find($id: UUID!, $search: String, $team: String, $kind: String, $first: Int!) {
    session(id: $id) {
      findMessages(search: $search, team: $team, kind: $kind, first: $first) { nodes { ${MESSAGE} } }
    }
  }
`;

/** Single messages, wherever in the feed they are. */
export const messagesQuery = (sequences: number[]) => gql<Record<string, Message | null>, { id: string }>`
  query Messages($id: UUID!) {
    ${sequences.map((n) => `m${n}: message(sessionId: $id, sequence: ${n}) { ${MESSAGE} }`).join("\n")}
  }
`;

export const OpenQuestionsQuery = gql<
  { session: { digest: { throughCursor: number; openQuestions: { cursor: number }[] } } | null },
  { id: string }
>`
  query OpenQuestions($id: UUID!) { session(id: $id) { digest { throughCursor openQuestions { cursor } } } }
`;

/** What is only looked up when somebody asks about a message; cursors of waits move without a tick. */
export const MessageDetailsQuery = gql<
  { message: { metadata: unknown } | null; session: { participants: { nodes: Participant[] } } | null },
  { id: string; sequence: number }
>`
  query MessageDetails($id: UUID!, $sequence: Int!) {
    message(sessionId: $id, sequence: $sequence) { metadata }
    session(id: $id) { participants(first: 500) { nodes { ${PARTICIPANT} } } }
  }
`;

export const DocVersionsQuery = gql<
  { session: { sessionDocHistories: { nodes: DocVersion[] } } | null },
  { id: string; first: number }
>`
  query DocVersions($id: UUID!, $first: Int!) {
    session(id: $id) {
      sessionDocHistories(first: $first, orderBy: [VERSION_DESC]) {
        nodes { version writtenAt size writtenBy { handle teamName kind } }
      }
    }
  }
`;

export const DocVersionQuery = gql<
  { sessionDocHistory: { version: number; content: string | null } | null },
  { id: string; version: number }
>`
  query DocVersion($id: UUID!, $version: Int!) { sessionDocHistory(sessionId: $id, version: $version) { version content } }
`;

export const MarkdownExport = gql<{ session: { asMarkdown: string } | null }, { id: string }>`
  query MarkdownExport($id: UUID!) { session(id: $id) { asMarkdown } }
`;

export const JsonExport = gql<{ session: { asJson: unknown } | null }, { id: string }>`
  query JsonExport($id: UUID!) { session(id: $id) { asJson } }
`;

export const ResumeSession = gql<
  { resumeSession: { result: { ref: string } | null } | null },
  { id: string; name: string }
>`
  mutation ResumeSession($id: String!, $name: String!) {
    resumeSession(input: { sessionId: $id, teamName: $name }) { result { ref } }
  }
`;
