import { claimedBy, endClaims, freeClaims, newWork, unfinished, workOf } from "./model-work.ts";
import {
  acknowledge,
  announce,
  blank,
  CLOSED,
  countPoll,
  DIGEST_ITEMS,
  type Draft,
  type Expected,
  hasAnswered,
  INVALID,
  isObject,
  type ModelSession,
  type ModelTeam,
  mailAfter,
  messageFor,
  misdraft,
  misfit,
  notListening,
  ok,
  openQuestions,
  post,
  readersOf,
  refused,
  repliesTo,
  rosterFor,
  SOME,
  skippedBy,
  TITLE_MAX,
  tellsOfClose,
  unreadBy,
  urlOf,
  WAIT_PAGE,
  withAppended,
  withConclusion,
  withdrawn,
  write,
  yetToAnswer,
} from "./model-world.ts";

/** What Parley promises, as plainly as it can be said: CONTRACT.md without time, locks or storage. */
export class Model {
  run = 0;
  sessions: ModelSession[] = [];
  teams: ModelTeam[] = [];
  /** The teams that were opened under a key, and with which arguments. */
  keys = new Map<string, { team: ModelTeam; args: string }>();

  create_session(
    args: { title: string; description: string; creator_team_name: string; idempotency_key?: string },
    answer: { session_id: string; ref: string; team_id: string },
  ): Expected {
    if (misfit(args.title, TITLE_MAX) || blank(args.creator_team_name)) return INVALID;
    const again = this.#again("create", args, answer.team_id);
    if (again) return "status" in again ? again : ok(this.#created(again));
    const session: ModelSession = {
      session_id: answer.session_id,
      ref: answer.ref,
      title: args.title,
      description: args.description,
      feed: [],
      teams: [],
      versions: [{ content: "" }],
      appends: new Map(),
      closed: false,
      versionBeforeClose: undefined,
      work: newWork(),
    };
    this.sessions.push(session);
    const team = this.#admit(session, args.creator_team_name, answer.team_id);
    this.#keep("create", args, team);
    return ok(this.#created(team));
  }

  #created(team: ModelTeam) {
    const { session } = team;
    return {
      session_id: session.session_id,
      ref: session.ref,
      url: urlOf(session),
      team_id: team.team_id,
      handle: team.handle,
      cursor: team.cursor,
      title: session.title,
      description: session.description,
    };
  }

  /** The team that a key leads back to, with a new secret; or why it does not. */
  #again(place: string, args: { idempotency_key?: string }, team_id: string): ModelTeam | Expected | undefined {
    const { idempotency_key: key, ...rest } = args;
    const known = key === undefined ? undefined : this.keys.get(`${place} ${key}`);
    if (!known || known.team.left) return undefined;
    if (known.args !== JSON.stringify(rest)) return refused(409, "idempotency_conflict");
    known.team.team_id = team_id;
    known.team.lapsed = false;
    return known.team;
  }

  #keep(place: string, { idempotency_key: key, ...rest }: { idempotency_key?: string }, team: ModelTeam): void {
    if (key !== undefined) this.keys.set(`${place} ${key}`, { team, args: JSON.stringify(rest) });
  }

  join_session(
    session: ModelSession | undefined,
    args: { team_name: string; replay_from?: number; idempotency_key?: string },
    answer: { team_id: string },
  ): Expected {
    if (blank(args.team_name) || (args.replay_from ?? 0) < 0) return INVALID;
    if (!session) return refused(404, "session_not_found");
    const before = session.feed.length;
    const again = this.#again(session.session_id, args, answer.team_id);
    if (again && "status" in again) return again;
    if (!again && session.closed) return CLOSED;
    if (!again && (args.replay_from ?? 0) > before) return refused(400, "cursor_ahead");
    const team = again ?? this.#admit(session, args.team_name, answer.team_id);
    if (!again) {
      this.#keep(session.session_id, args, team);
      announce(team, { event: "team_joined", team: team.name, handle: team.handle });
      team.cursor = args.replay_from ?? session.feed.length;
      team.startedFrom = team.cursor;
    }
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
      unread: unreadBy(team),
      handoff: null,
      earlier: before > 0 ? { messages: before, digest_tokens: SOME } : null,
      briefing: SOME,
    });
  }

  leave_session = this.#byTeam(
    () => false,
    (team) => {
      team.left = true;
      team.leftAfterClose = team.session.closed;
      if (!team.session.closed) freeClaims(team, "team left", team);
      if (!team.session.closed) announce(team, { event: "team_left", team: team.name, handle: team.handle });
      return ok({ session_id: team.session.session_id, handle: team.handle, left_at: SOME, unread: unreadBy(team) });
    },
  );

  list_participants = this.#byTeam(
    () => false,
    (team) => ok({ participants: rosterFor(team), unread: unreadBy(team) }),
  );

  get_session = this.#byTeam(
    () => false,
    (team) => {
      const { session } = team;
      return ok({
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
        continues: null,
        continued_by: null,
        unread: unreadBy(team),
        spawned_from: null,
        forked_from: null,
        board: null,
        zone: null,
        visibility: "everyone",
        mode: "intervention",
        paused: false,
        paused_at: null,
        pause_reason: null,
      });
    },
  );

  wait_for_messages = this.#byTeam(
    ({
      since_cursor = 0,
      timeout = 0,
    }: {
      since_cursor?: number;
      timeout?: number;
      full?: boolean;
      include_self?: boolean;
    }) => since_cursor < 0 || timeout < 0,
    (team, { since_cursor, full = false, include_self = false }) => {
      const { session } = team;
      const since = since_cursor ?? team.cursor;
      if (since > session.feed.length) return refused(400, "cursor_ahead");
      const skipped = skippedBy(team, since);
      team.cursor = Math.max(team.cursor, since);
      const mail = mailAfter(team, since, include_self);
      const more = mail.length > WAIT_PAGE;
      const end = more ? (mail[WAIT_PAGE - 1] as number) : session.feed.length;
      team.handed = Math.max(team.handed, end);
      countPoll(team, mail.length > 0);
      return ok({
        messages: mail.slice(0, WAIT_PAGE).map((cursor) => messageFor(team, cursor, { whole: full })),
        next_cursor: mail.length > 0 ? end : since,
        session_closed: tellsOfClose(session, more, end),
        has_more: more,
        doc_version: session.versions.length - 1,
        empty_polls: team.emptyPolls,
        session_idle: team.emptyPolls >= 10,
        unread: unreadBy(team),
        skipped,
      });
    },
  );

  /** The credential alone tells the session. */
  whoami(_session: ModelSession | undefined, team: ModelTeam | undefined): Expected {
    if (!team || team.left) return refused(401, "unauthorized");
    const { session } = team;
    return ok({
      session_id: session.session_id,
      ref: session.ref,
      title: session.title,
      description: session.description,
      status: session.closed ? "closed" : "active",
      handle: team.handle,
      team_name: team.name,
      convener: session.teams[0] === team,
      cursor: team.cursor,
      acked_cursor: team.acked,
      last_cursor: session.feed.length,
      doc_version: session.versions.length - 1,
      open_questions: openQuestions(session)
        .filter(({ message: { author, to } }) => author !== team && (!to || to.includes(team.handle)))
        .filter(({ message: { to }, cursor }) => !to || !hasAnswered(team, cursor))
        .toReversed()
        .slice(0, DIGEST_ITEMS)
        .map(({ cursor, message }) => ({
          cursor,
          message_id: SOME,
          handle: message.author.handle,
          to: message.to ?? null,
          waiting_for: null,
          sender: "agent",
          guest: null,
          text: message.content.text,
          at: SOME,
        })),
      url: urlOf(session),
      unread: unreadBy(team),
      unconfirmed: unreadBy(team, team.cursor) - unreadBy(team),
      tasks: claimedBy(team).length > 0 ? claimedBy(team) : null,
      work: workOf(session),
    });
  }

  ack_messages = this.#byTeam(
    ({ through_cursor }: { through_cursor: number }) => through_cursor < 0,
    (team, { through_cursor }) => {
      if (through_cursor > team.session.feed.length) return refused(400, "cursor_ahead");
      acknowledge(team, through_cursor);
      return ok({ acked_cursor: team.acked, cursor: team.cursor, unread: unreadBy(team) });
    },
  );

  get_message = this.#byTeam(
    ({ message_id }: { message_id: number }) => message_id < 0,
    (team, { message_id: cursor }) => {
      if (!team.session.feed[cursor - 1]) return refused(404, "message_not_found");
      return ok({
        ...messageFor(team, cursor, { whole: true }),
        read_by: readersOf(team.session, cursor),
        replies: repliesTo(team.session, cursor),
        unread: unreadBy(team),
      });
    },
  );

  wait_for_reply = this.#byTeam(
    ({ message_id, timeout = 0 }: { message_id: number; timeout?: number }) => message_id < 0 || timeout < 0,
    (team, { message_id: cursor }) => {
      const { session } = team;
      if (!session.feed[cursor - 1]) return refused(404, "message_not_found");
      const replies = repliesTo(session, cursor).filter((reply) => session.feed[reply - 1]?.author !== team);
      return ok({
        messages: replies.map((reply) => messageFor(team, reply)),
        session_closed: session.closed,
        unread: unreadBy(team),
        answer: null,
        expired: null,
        yet_to_answer: session.feed[cursor - 1]?.expectsReply ? yetToAnswer(session, cursor) : null,
      });
    },
  );

  withdraw_question = this.#byTeam(
    ({ message }: { message: number }) => message < 0,
    (team, { message: cursor }) => {
      const { session } = team;
      const question = session.feed[cursor - 1];
      if (!question) return refused(404, "message_not_found");
      if (!question.expectsReply) return INVALID;
      if (question.author !== team) return refused(403, "forbidden");
      if (!withdrawn(session, cursor)) {
        if (session.closed) return CLOSED;
        announce(team, { event: "question_withdrawn", by: team.name, handle: team.handle, cursor }, cursor);
      }
      return ok({ message_id: SOME, cursor, at: SOME, unread: unreadBy(team) });
    },
  );

  sync(
    session: ModelSession | undefined,
    team: ModelTeam | undefined,
    args: {
      outbox?: (string | Draft)[];
      since_cursor?: number;
      timeout?: number;
      max_items?: number;
      include_self?: boolean;
      auto_advance?: boolean;
      ack_through?: number;
      full?: boolean;
    },
  ): Expected {
    const { outbox = [], timeout = 0, max_items = 50, include_self = false, full = false } = args;
    if ((args.since_cursor ?? 0) < 0 || (args.ack_through ?? 0) < 0 || timeout < 0 || max_items < 1) return INVALID;
    const drafts = outbox.map((item) => (typeof item === "string" ? { content: item } : item));
    for (const draft of drafts) {
      // Inside a list no signature has checked the types: they go first.
      const refusal = isObject(draft.metadata ?? {}) ? misdraft(draft) : INVALID;
      if (refusal) return refusal;
    }
    const stranger = this.#stranger(session, team);
    if (stranger) return stranger;
    const reader = team as ModelTeam;
    const { feed } = reader.session;

    // All or nothing: what was posted before a refusal is taken back.
    const before = feed.length;
    const undo = (refusal: Expected) => {
      feed.length = before;
      return refusal;
    };
    const sent: number[] = [];
    for (const draft of drafts) {
      const cursor = post(reader, draft);
      if (typeof cursor !== "number") return undo(cursor);
      sent.push(cursor);
    }
    if ((args.since_cursor ?? 0) > feed.length || (args.ack_through ?? 0) > feed.length)
      return undo(refused(400, "cursor_ahead"));
    if (args.ack_through !== undefined) acknowledge(reader, args.ack_through);

    const since = args.since_cursor ?? reader.cursor;
    const skipped = skippedBy(reader, since);
    const mail = mailAfter(reader, since, include_self);
    if (args.auto_advance ?? true) reader.cursor = Math.max(reader.cursor, since);
    // Who has spoken was not idle, and only who has waited can be.
    if (mail.length > 0 || sent.length > 0) countPoll(reader, true);
    else if (reader.idleVersion !== reader.session.versions.length - 1) reader.emptyPolls = 0;
    if (mail.length === 0 && timeout > 0 && !reader.session.closed) countPoll(reader, false);
    const next = mail.length > max_items ? (mail[max_items - 1] as number) : feed.length;
    reader.handed = Math.max(reader.handed, next);
    return ok({
      sent: sent.map((cursor) => ({
        message_id: SOME,
        cursor,
        at: SOME,
        client_message_id: feed[cursor - 1]?.key ?? null,
      })),
      messages: mail.slice(0, max_items).map((cursor) => messageFor(reader, cursor, { whole: full })),
      next_cursor: next,
      session_closed: tellsOfClose(reader.session, mail.length > max_items, next),
      has_more: mail.length > max_items,
      doc_version: reader.session.versions.length - 1,
      empty_polls: reader.emptyPolls,
      session_idle: reader.emptyPolls >= 10,
      unread: unreadBy(reader),
      skipped,
    });
  }

  post_message(
    session: ModelSession | undefined,
    team: ModelTeam | undefined,
    args: Draft & { type?: string; expected_cursor?: number },
  ): Expected {
    if ((args.type ?? "chat") !== "chat") return refused(400, "system_type_forbidden");
    const refusal = misdraft(args) ?? ((args.expected_cursor ?? 0) < 0 ? INVALID : this.#stranger(session, team));
    if (refusal) return refusal;
    const author = team as ModelTeam;
    const cursor = post(author, args, args.expected_cursor);
    if (typeof cursor !== "number") return cursor;
    return ok({
      message_id: SOME,
      cursor,
      at: SOME,
      unread: unreadBy(author),
      not_listening: notListening(author, cursor),
    });
  }

  get_history = this.#byTeam(
    ({ before_cursor = 0, limit = 1 }: { before_cursor?: number; limit?: number; full?: boolean }) =>
      before_cursor < 0 || limit < 1,
    (team, { before_cursor = Number.POSITIVE_INFINITY, limit = 100, full = false }) => {
      const end = Math.max(0, Math.min(before_cursor - 1, team.session.feed.length));
      const start = Math.max(0, end - (limit > 500 ? 100 : limit));
      return ok({
        messages: team.session.feed
          .slice(start, end)
          .map((_, i) => messageFor(team, start + i + 1, { whole: full, receipts: true })),
        next_cursor: start > 0 ? start + 1 : null,
        has_more: start > 0,
        unread: unreadBy(team),
      });
    },
  );

  read_session_doc = this.#byTeam(
    ({ version = 0 }: { version?: number }) => version < 0,
    (team, { version = team.session.versions.length - 1 }) => {
      const doc = team.session.versions[version];
      if (!doc) return refused(404, "version_not_found");
      return ok({
        content: doc.content,
        version,
        updated_at: version > 0,
        updated_by: doc.author?.handle ?? null,
        unread: unreadBy(team),
      });
    },
  );

  update_session_doc = this.#byTeam(
    ({ expected_version }: { content: string; expected_version: number }) => expected_version < 0,
    (team, { content, expected_version }) => {
      const { session } = team;
      if (session.closed) return CLOSED;
      if (expected_version !== session.versions.length - 1) return refused(409, "version_conflict");
      return ok({ version: write(team, content), updated_at: SOME, unread: unreadBy(team) });
    },
  );

  append_to_session_doc = this.#byTeam(
    ({ text }: { text: string; idempotency_key?: string; made: string }) => blank(text),
    (team, { text, idempotency_key: key, made }) => {
      const { session } = team;
      const before = key && session.appends.get(`${team.handle} ${key}`);
      if (before && before.text !== text) return refused(409, "idempotency_conflict");
      if (before) return ok({ version: before.version, updated_at: SOME, unread: unreadBy(team) });
      if (session.closed) return CLOSED;
      const doc = session.versions.at(-1)?.content ?? "";
      const version = write(team, withAppended(doc, text, made));
      if (key) session.appends.set(`${team.handle} ${key}`, { text, version });
      return ok({ version, updated_at: SOME, unread: unreadBy(team) });
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
      return ok({
        title: session.title,
        description: session.description,
        updated_at: SOME,
        changes,
        unread: unreadBy(team),
      });
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
      endClaims(session);
      announce(team, { event: "session_concluded", by: team.name, handle: team.handle, doc_version });
      return ok({
        session_id: session.session_id,
        status: "closed",
        closed_at: SOME,
        doc_version,
        unread: unreadBy(team),
        open_tasks: unfinished(session),
      });
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
        .normalize("NFD")
        .toLowerCase()
        .replace(/['’`]|\p{Mn}/gu, "")
        .replace(/[^a-z0-9]+/g, "-")
        .replace(/^-+|-+$/g, "") || "team";
    const taken = session.teams.map(({ handle }) => handle);
    let handle = slug;
    for (let n = 2; taken.includes(handle); n++) handle = `${slug}-${n}`;
    const team = {
      session,
      team_id,
      handle,
      name,
      left: false,
      cursor: 0,
      handed: 0,
      acked: 0,
      startedFrom: 0,
      emptyPolls: 0,
      idleVersion: 0,
      about: {},
      doing: null,
      lapsed: false,
    };
    session.teams.push(team);
    this.teams.push(team);
    return team;
  }
}
