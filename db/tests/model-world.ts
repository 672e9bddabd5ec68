import { claimedBy, type ModelWork } from "./model-work.ts";

/** The sessions of the model, and what its verbs say and do in them. */

export interface Expected {
  status: number;
  code?: string;
  body?: unknown;
}

export interface ModelTeam {
  session: ModelSession;
  team_id: string;
  handle: string;
  name: string;
  left: boolean;
  /** Who was there to the end is still asked. */
  leftAfterClose?: boolean;
  cursor: number;
  handed: number;
  acked: number;
  /** The cursor that it joined with. */
  startedFrom: number;
  emptyPolls: number;
  /** The version of the document that those empty polls saw. */
  idleVersion: number;
  about: Record<string, string>;
  doing: string | null;
  /** Nothing was heard of it for longer than a lease lasts. */
  lapsed: boolean;
}

interface ModelMessage {
  type: "chat" | "system";
  author: ModelTeam;
  content: Record<string, unknown>;
  kind?: string;
  replyTo?: number | undefined;
  to?: string[] | undefined;
  expectsReply?: boolean;
  metadata?: object | undefined;
  key?: string | undefined;
}

/** What post_message takes, and what stands in the outbox of sync. */
export interface Draft {
  content: unknown;
  kind?: string;
  reply_to?: number;
  to?: string[];
  expects_reply?: boolean;
  metadata?: unknown;
  client_message_id?: string;
}

export interface ModelSession {
  session_id: string;
  ref: string;
  title: string;
  description: string;
  feed: ModelMessage[];
  teams: ModelTeam[];
  /** Version n is at n; the document is empty before anybody has written it. */
  versions: { content: string; author?: ModelTeam }[];
  /** The appends that were sent with a key, by team and key. */
  appends: Map<string, { text: string; version: number }>;
  closed: boolean;
  versionBeforeClose: number | undefined;
  work: ModelWork;
}

/** Who has caused what the server says by itself. */
export const NOBODY = { handle: null } as unknown as ModelTeam;

export const ok = (body: unknown): Expected => ({ status: 200, body });
export const refused = (status: number, code: string): Expected => ({ status, code });
export const isObject = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);
export const blank = (text: string) => text.trim() === "";
/** Limits count characters, not the two halves of which JavaScript makes some of them. */
export const misfit = (text: string, max: number) => blank(text) || [...text].length > max;

export const MESSAGE_MAX = 110;
export const LIST_TEXT_MAX = 100;
export const TITLE_MAX = 20;
export const WAIT_PAGE = 100;
export const DIGEST_ITEMS = 50;
export const INVALID = refused(400, "invalid_argument");
export const CLOSED = refused(403, "session_closed");

/** Times and ids are told by the database; the model knows only whether there is one. */
export const SOME = true;

export const urlOf = (session: ModelSession) => `http://parley.test/s/${session.ref}`;

/** How many waits in a row were empty, after one more: a new version of the document ends the count. */
export function countPoll(team: ModelTeam, hasNews: boolean): void {
  const version = team.session.versions.length - 1;
  team.emptyPolls = hasNews ? 0 : team.idleVersion === version ? team.emptyPolls + 1 : 1;
  team.idleVersion = version;
}

/** The cursors of what came after one, without what the reader has said or caused itself unless it asks for that. */
export const mailAfter = (reader: ModelTeam, cursor: number, includeSelf = false) =>
  reader.session.feed.flatMap(({ author }, i) => (i + 1 > cursor && (includeSelf || author !== reader) ? [i + 1] : []));

/** How many messages of others a cursor jumps over that were never handed over. */
export function skippedBy(reader: ModelTeam, since: number): number | null {
  const known = Math.max(reader.cursor, reader.handed);
  return mailAfter(reader, known).filter((cursor) => cursor <= since).length || null;
}

/** What others have said after a cursor, and what the server has said of them; else after what was handed over last. */
export const unreadBy = (reader: ModelTeam, after = Math.max(reader.cursor, reader.handed)) =>
  reader.session.feed.slice(after).filter(({ author }) => author !== reader).length;

export function acknowledge(reader: ModelTeam, cursor: number): void {
  reader.acked = Math.max(reader.acked, cursor);
  reader.cursor = Math.max(reader.cursor, cursor);
}

export const repliesTo = (session: ModelSession, cursor: number) =>
  session.feed.flatMap(({ type, replyTo }, i) => (type === "chat" && replyTo === cursor ? [i + 1] : []));

export const readersOf = (session: ModelSession, cursor: number) => {
  const { type, author } = session.feed[cursor - 1] as ModelMessage;
  return session.teams
    .filter((team) => team.acked >= cursor && team.startedFrom < cursor && (type === "system" || team !== author))
    .map(({ handle }) => handle);
};

const settles = ({ kind }: ModelMessage) => kind !== "question" && kind !== "status";

export const hasAnswered = (team: ModelTeam, cursor: number) =>
  team.session.feed.some((m) => m.type === "chat" && m.replyTo === cursor && m.author === team && settles(m));

/** Who was asked by name, is here and has not answered. */
export function yetToAnswer(session: ModelSession, cursor: number): string[] | null {
  const { to, author } = session.feed[cursor - 1] as ModelMessage;
  const missing = session.teams.filter(
    (team) =>
      to?.includes(team.handle) && team !== author && (!team.left || team.leftAfterClose) && !hasAnswered(team, cursor),
  );
  return missing.length > 0 ? missing.map(({ handle }) => handle) : null;
}

export const withdrawn = (session: ModelSession, cursor: number) =>
  session.feed.some(({ type, replyTo }) => type === "system" && replyTo === cursor);

/** What expects a reply: of everybody until one replies, of some until each has answered; or its author settles it. */
export const openQuestions = (session: ModelSession) =>
  session.feed.flatMap((message, i) =>
    message.expectsReply &&
    !withdrawn(session, i + 1) &&
    (message.to
      ? yetToAnswer(session, i + 1) !== null &&
        !session.feed.some((m) => m.replyTo === i + 1 && m.kind === "answer" && m.author === message.author)
      : !session.feed.some(
          (m) => m.replyTo === i + 1 && (m.kind === "answer" || (m.author !== message.author && settles(m))),
        ))
      ? [{ cursor: i + 1, message }]
      : [],
  );

/** Told when a reply is expected or somebody is addressed. */
export function notListening(author: ModelTeam, cursor: number): string[] | null {
  const { to, expectsReply } = author.session.feed[cursor - 1] as ModelMessage;
  if (!to && !expectsReply) return null;
  const away = author.session.teams.filter(
    (team) => team !== author && (team.left || team.lapsed) && (to ? to.includes(team.handle) : !team.left),
  );
  return away.length > 0 ? away.map(({ handle }) => handle) : null;
}

/** What can be said against a message without knowing the session. */
export function misdraft({
  content,
  kind = "message",
  reply_to = 0,
  metadata,
  client_message_id,
}: Draft): Expected | undefined {
  const text = typeof content === "string" ? content : (content as { text?: unknown } | null)?.text;
  if (typeof text !== "string") return INVALID;
  if (typeof content === "object" && "event" in (content as object)) return refused(400, "system_type_forbidden");
  if (typeof content === "object" && Object.keys(content as object).length > 1) return INVALID;
  if (misfit(text, MESSAGE_MAX)) return INVALID;
  if (/^(system|team_joined|session_concluded)$/.test(kind)) return refused(400, "system_type_forbidden");
  if (!/^[a-z][a-z0-9_-]{0,31}$/.test(kind)) return INVALID;
  if (!isObject(metadata ?? {})) return INVALID;
  if (client_message_id !== undefined && misfit(client_message_id, 200)) return INVALID;
  return reply_to < 0 ? INVALID : undefined;
}

/** Adds a message, or finds the one that was posted with its key: the cursor, or why not. */
export function post(author: ModelTeam, draft: Draft, expectedCursor?: number): number | Expected {
  const { session } = author;
  const { reply_to, kind = "message", client_message_id: key, metadata } = draft;
  if (reply_to !== undefined && !session.feed[reply_to - 1]) return refused(404, "message_not_found");
  const to = draft.to?.length ? [...new Set(draft.to)].sort() : undefined;
  if (to?.some((handle) => !session.teams.some((team) => team.handle === handle))) return INVALID;
  const message: ModelMessage = {
    type: "chat",
    author,
    content: { text: typeof draft.content === "string" ? draft.content : (draft.content as { text: string }).text },
    kind,
    replyTo: reply_to,
    to,
    expectsReply: draft.expects_reply ?? kind === "question",
    metadata: metadata as object | undefined,
    key,
  };
  const before = key === undefined ? -1 : session.feed.findIndex((m) => m.author === author && m.key === key);
  if (before >= 0) {
    const said = ({ author: _, ...rest }: ModelMessage) => JSON.stringify(rest);
    return said(session.feed[before] as ModelMessage) === said(message)
      ? before + 1
      : refused(409, "idempotency_conflict");
  }
  const asked = session.teams.filter((team) => to?.includes(team.handle));
  if (message.expectsReply && to && asked.every(({ left }) => left)) return INVALID;
  if (session.closed) return CLOSED;
  if (expectedCursor !== undefined && expectedCursor > session.feed.length) return refused(400, "cursor_ahead");
  if (expectedCursor !== undefined && unreadBy(author, expectedCursor) > 0) return refused(409, "stale_post");
  return session.feed.push(message);
}

export const announce = (author: ModelTeam, content: Record<string, unknown>, replyTo?: number) =>
  tell(author.session, author, content, replyTo);

export function tell(
  session: ModelSession,
  author: ModelTeam,
  content: Record<string, unknown>,
  replyTo?: number,
): void {
  session.feed.push({ type: "system", author, content, replyTo });
}

/** A page that ends before the conclusion does not tell of it yet. */
export const tellsOfClose = ({ closed, feed }: ModelSession, more: boolean, end: number) =>
  closed && (!more || feed.slice(0, end).some(({ content }) => content.event === "session_concluded"));

/** The document with a text that starts on a line of its own; made tells whether a blank line goes before it. */
export function withAppended(doc: string, text: string, made: string): string {
  const between = made.slice(doc.length, made.length - text.length);
  const fits = doc === "" ? between === "" : /^(\r?\n){0,2}$/.test(between) && (doc + between).endsWith("\n");
  return doc + (fits ? between : "\n") + text;
}

export function write(author: ModelTeam, content: string): number {
  return author.session.versions.push({ content, author }) - 1;
}

/** For documents without headings and fences; conclusion.test.ts has the others. */
export function withConclusion(doc: string, summary: string): string {
  const br = doc.includes("\r\n") ? "\r\n" : "\n";
  const section = `## Conclusion${br}${br}${summary}${br}`;
  if (doc === "") return section;
  return doc + (doc.endsWith("\n") ? "" : br) + br + section;
}

const FIELDS_OF_EVENTS = [
  "ref",
  "conclusion",
  "answer",
  "expired",
  "task",
  "title",
  "tasks",
  "result",
  "passed",
  "paths",
  "teams",
];

/** A message in a list: a long text is cut, and with receipts the reader's own tell who has read them. */
export function messageFor(reader: ModelTeam, cursor: number, { whole = false, receipts = false } = {}) {
  const { type, author, content, ...more } = reader.session.feed[cursor - 1] as ModelMessage;
  const system = type === "system";
  const mine = !system && author === reader;
  const letters = [...((content.text as string | undefined) ?? "")];
  const cut = !whole && !system && letters.length > LIST_TEXT_MAX;
  const readers = mine && receipts ? readersOf(reader.session, cursor) : [];
  return {
    message_id: SOME,
    cursor,
    type,
    team: system ? (content.team ?? content.by ?? null) : author.name,
    handle: author.handle,
    sender: system ? "system" : "agent",
    mine,
    content: cut ? { text: letters.slice(0, LIST_TEXT_MAX).join("") } : content,
    at: SOME,
    event: (system && content.event) || null,
    by: (system && content.by) || null,
    changes: (system && content.changes) || null,
    reason: (system && content.reason) || null,
    doc_version: (system && content.doc_version) || null,
    kind: more.kind ?? null,
    reply_to: more.replyTo !== undefined,
    reply_to_cursor: more.replyTo ?? null,
    to: more.to ?? null,
    expects_reply: more.expectsReply || null,
    metadata: more.metadata ?? null,
    truncated: cut || null,
    text_length: cut ? letters.length : null,
    read_by: readers.length > 0 ? readers : null,
    replies: null,
    unread: null,
    guest: null,
    ...Object.fromEntries(FIELDS_OF_EVENTS.map((field) => [field, system ? (content[field] ?? null) : null])),
  };
}

export function rosterFor(reader: ModelTeam) {
  return reader.session.teams.map((team, i) => ({
    handle: team.handle,
    team_name: team.name,
    kind: "agent",
    convener: i === 0,
    you: team === reader,
    joined_at: SOME,
    left_at: team.left,
    last_seen_at: SOME,
    status: team.left || team.lapsed ? "disconnected" : "active",
    listening: false,
    cursor: team.cursor,
    acked_cursor: team.acked,
    activity: team.left ? "left" : team.lapsed ? "silent" : "working",
    about: team.about,
    doing: team.doing,
    tasks: claimedBy(team),
    unread: null,
    guest: false,
  }));
}
