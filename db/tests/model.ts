/** What Parley promises, as plainly as it can be said: CONTRACT.md without time, locks or storage. */

export interface Expected {
  status: number;
  code?: string;
  body?: unknown;
}

interface ModelTeam {
  session: ModelSession;
  team_id: string;
  handle: string;
  name: string;
  left: boolean;
  cursor: number;
  emptyPolls: number;
}

interface ModelMessage {
  type: "chat" | "system";
  author: ModelTeam;
  content: Record<string, unknown>;
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
  closed: boolean;
  versionBeforeClose: number | undefined;
}

const ok = (body: unknown): Expected => ({ status: 200, body });
const refused = (status: number, code: string): Expected => ({ status, code });
const blank = (text: string) => text.trim() === "";
/** Limits count characters, not the two halves of which JavaScript makes some of them. */
const misfit = (text: string, max: number) => blank(text) || [...text].length > max;

export const MESSAGE_MAX = 50;
export const TITLE_MAX = 20;
const INVALID = refused(400, "invalid_argument");
const CLOSED = refused(403, "session_closed");

/** Times and ids are told by the database; the model knows only whether there is one. */
const SOME = true;

export class Model {
  sessions: ModelSession[] = [];
  teams: ModelTeam[] = [];

  create_session(
    args: { title: string; description: string; creator_team_name: string },
    answer: { session_id: string; ref: string; team_id: string },
  ): Expected {
    if (misfit(args.title, TITLE_MAX) || blank(args.creator_team_name)) return INVALID;
    const session: ModelSession = {
      session_id: answer.session_id,
      ref: answer.ref,
      title: args.title,
      description: args.description,
      feed: [],
      teams: [],
      versions: [{ content: "" }],
      closed: false,
      versionBeforeClose: undefined,
    };
    this.sessions.push(session);
    const team = this.#admit(session, args.creator_team_name, answer.team_id);
    return ok({
      session_id: session.session_id,
      ref: session.ref,
      url: urlOf(session),
      team_id: team.team_id,
      handle: team.handle,
      cursor: 0,
      title: session.title,
      description: session.description,
    });
  }

  join_session(
    session: ModelSession | undefined,
    args: { team_name: string; replay_from?: number },
    answer: { team_id: string },
  ): Expected {
    if (blank(args.team_name) || (args.replay_from ?? 0) < 0) return INVALID;
    if (!session) return refused(404, "session_not_found");
    if (session.closed) return CLOSED;
    if ((args.replay_from ?? 0) > session.feed.length) return refused(400, "cursor_ahead");
    const team = this.#admit(session, args.team_name, answer.team_id);
    announce(team, { event: "team_joined", team: team.name, handle: team.handle });
    team.cursor = args.replay_from ?? session.feed.length;
    return ok({
      session_id: session.session_id,
      ref: session.ref,
      team_id: team.team_id,
      handle: team.handle,
      cursor: team.cursor,
      participants: rosterFor(team),
      title: session.title,
      description: session.description,
      doc_version: session.versions.length - 1,
    });
  }

  leave_session = this.#byTeam(
    () => false,
    (team) => {
      team.left = true;
      if (!team.session.closed) announce(team, { event: "team_left", team: team.name, handle: team.handle });
      return ok({ session_id: team.session.session_id, handle: team.handle, left_at: SOME });
    },
  );

  list_participants = this.#byTeam(
    () => false,
    (team) => ok({ participants: rosterFor(team) }),
  );

  get_session = this.#byTeam(
    () => false,
    ({ session }) =>
      ok({
        session_id: session.session_id,
        ref: session.ref,
        title: session.title,
        description: session.description,
        status: session.closed ? "closed" : "active",
        created_at: SOME,
        updated_at: SOME,
        closed_at: session.closed,
        session_doc_version: session.versions.length - 1,
        last_cursor: session.feed.length,
        convener: session.teams[0]?.handle,
        url: urlOf(session),
      }),
  );

  wait_for_messages = this.#byTeam(
    ({ since_cursor = 0, timeout = 0 }: { since_cursor?: number; timeout?: number }) => since_cursor < 0 || timeout < 0,
    (team, { since_cursor }) => {
      const { session } = team;
      const since = since_cursor ?? team.cursor;
      if (since > session.feed.length) return refused(400, "cursor_ahead");
      team.cursor = Math.max(team.cursor, since);
      const next = Math.min(session.feed.length, since + 100);
      team.emptyPolls = next > since ? 0 : team.emptyPolls + 1;
      return ok({
        messages: session.feed.slice(since, next).map((_, i) => messageFor(team, since + i + 1)),
        next_cursor: next,
        session_closed: session.closed,
        has_more: next < session.feed.length,
        doc_version: session.versions.length - 1,
        empty_polls: team.emptyPolls,
        session_idle: team.emptyPolls >= 10,
      });
    },
  );

  post_message(
    session: ModelSession | undefined,
    team: ModelTeam | undefined,
    args: { content: unknown; type?: string },
  ): Expected {
    const { content, type = "chat" } = args;
    if (type !== "chat") return refused(400, "system_type_forbidden");
    const text = typeof content === "string" ? content : (content as { text?: unknown } | null)?.text;
    if (typeof text !== "string") return INVALID;
    if (typeof content === "object" && "event" in (content as object)) return refused(400, "system_type_forbidden");
    if (typeof content === "object" && Object.keys(content as object).length > 1) return INVALID;
    if (misfit(text, MESSAGE_MAX)) return INVALID;
    const refusal = this.#stranger(session, team);
    if (refusal) return refusal;
    const author = team as ModelTeam;
    if (author.session.closed) return CLOSED;
    author.session.feed.push({ type: "chat", author, content: { text } });
    return ok({ message_id: SOME, cursor: author.session.feed.length, at: SOME });
  }

  get_history = this.#byTeam(
    ({ before_cursor = 0, limit = 1 }: { before_cursor?: number; limit?: number }) => before_cursor < 0 || limit < 1,
    (team, { before_cursor = Number.POSITIVE_INFINITY, limit = 100 }) => {
      const end = Math.max(0, Math.min(before_cursor - 1, team.session.feed.length));
      const start = Math.max(0, end - (limit > 500 ? 100 : limit));
      return ok({
        messages: team.session.feed.slice(start, end).map((_, i) => messageFor(team, start + i + 1)),
        next_cursor: start > 0 ? start + 1 : null,
        has_more: start > 0,
      });
    },
  );

  read_session_doc = this.#byTeam(
    ({ version = 0 }: { version?: number }) => version < 0,
    ({ session }, { version = session.versions.length - 1 }) => {
      const doc = session.versions[version];
      if (!doc) return refused(404, "version_not_found");
      return ok({ content: doc.content, version, updated_at: version > 0, updated_by: doc.author?.handle ?? null });
    },
  );

  update_session_doc = this.#byTeam(
    ({ expected_version }: { content: string; expected_version: number }) => expected_version < 0,
    (team, { content, expected_version }) => {
      const { session } = team;
      if (session.closed) return CLOSED;
      if (expected_version !== session.versions.length - 1) return refused(409, "version_conflict");
      return ok({ version: write(team, content), updated_at: SOME });
    },
  );

  append_to_session_doc = this.#byTeam(
    ({ text }: { text: string }) => blank(text),
    (team, { text }) => {
      if (team.session.closed) return CLOSED;
      const doc = team.session.versions.at(-1)?.content ?? "";
      return ok({
        version: write(team, doc + (doc === "" || doc.endsWith("\n") ? "" : "\n") + text),
        updated_at: SOME,
      });
    },
  );

  update_session_metadata = this.#byTeam(
    ({ title, description, reason }: { title?: string; description?: string; reason: string }) =>
      blank(reason) ||
      (title === undefined && description === undefined) ||
      (title !== undefined && misfit(title, TITLE_MAX)),
    (team, args) => {
      const { session } = team;
      if (session.closed) return CLOSED;
      const changes: Record<string, { from: string; to: string }> = {};
      for (const field of ["title", "description"] as const) {
        const to = args[field];
        if (to !== undefined && to !== session[field]) changes[field] = { from: session[field], to };
      }
      if (Object.keys(changes).length === 0) return INVALID;
      session.title = args.title ?? session.title;
      session.description = args.description ?? session.description;
      announce(team, {
        event: "session_metadata_updated",
        by: team.name,
        handle: team.handle,
        changes,
        reason: args.reason,
      });
      return ok({ title: session.title, description: session.description, updated_at: SOME, changes });
    },
  );

  conclude_session = this.#byTeam(
    ({ summary_section }: { summary_section: string }) => blank(summary_section),
    (team, { summary_section }) => {
      const { session } = team;
      session.closed = true;
      session.versionBeforeClose ??= session.versions.length - 1;
      const doc = session.versions[session.versionBeforeClose]?.content ?? "";
      const doc_version = write(team, withConclusion(doc, summary_section));
      announce(team, { event: "session_concluded", by: team.name, handle: team.handle, doc_version });
      return ok({ session_id: session.session_id, status: "closed", closed_at: SOME, doc_version });
    },
  );

  /** Arguments, then the session, then the credential, then the rules. */
  #byTeam<Args>(invalid: (args: Args) => boolean, act: (team: ModelTeam, args: Args) => Expected) {
    return (session: ModelSession | undefined, team: ModelTeam | undefined, args: Args): Expected =>
      invalid(args) ? INVALID : (this.#stranger(session, team) ?? act(team as ModelTeam, args));
  }

  #stranger(session: ModelSession | undefined, team: ModelTeam | undefined): Expected | undefined {
    if (!session) return refused(404, "session_not_found");
    return team && team.session === session && !team.left ? undefined : refused(401, "unauthorized");
  }

  #admit(session: ModelSession, name: string, team_id: string): ModelTeam {
    const slug =
      name
        .toLowerCase()
        .replace(/['’`]/g, "")
        .replace(/[^a-z0-9]+/g, "-")
        .replace(/^-+|-+$/g, "") || "team";
    const taken = session.teams.map(({ handle }) => handle);
    let handle = slug;
    for (let n = 2; taken.includes(handle); n++) handle = `${slug}-${n}`;
    const team = { session, team_id, handle, name, left: false, cursor: 0, emptyPolls: 0 };
    session.teams.push(team);
    this.teams.push(team);
    return team;
  }
}

const urlOf = (session: ModelSession) => `http://parley.test/s/${session.ref}`;

function announce(author: ModelTeam, content: Record<string, unknown>): void {
  author.session.feed.push({ type: "system", author, content });
}

function write(author: ModelTeam, content: string): number {
  return author.session.versions.push({ content, author }) - 1;
}

/** For documents without headings and fences; conclusion.test.ts has the others. */
function withConclusion(doc: string, summary: string): string {
  const br = doc.includes("\r\n") ? "\r\n" : "\n";
  const section = `## Conclusion${br}${br}${summary}${br}`;
  if (doc === "") return section;
  return doc + (doc.endsWith("\n") ? "" : br) + br + section;
}

export function messageFor(reader: ModelTeam, cursor: number) {
  const { type, author, content } = reader.session.feed[cursor - 1] as ModelMessage;
  const system = type === "system";
  return {
    message_id: SOME,
    cursor,
    type,
    team: system ? (content.team ?? content.by ?? null) : author.name,
    handle: author.handle,
    sender: system ? "system" : "agent",
    mine: !system && author === reader,
    content,
    at: SOME,
    event: (system && content.event) || null,
    by: (system && content.by) || null,
    changes: (system && content.changes) || null,
    reason: (system && content.reason) || null,
    doc_version: (system && content.doc_version) || null,
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
    status: team.left ? "disconnected" : "active",
    listening: false,
    cursor: team.cursor,
    acked_cursor: 0,
  }));
}
