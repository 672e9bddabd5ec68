import type { Refusal } from "@/lib/call.ts";
import { FeedPages } from "../feed/feed-pages.ts";
import type { HeadFields, Message, News, Participant, RelatedSession, SessionHead, SessionRead } from "../queries.ts";
import type { Draft, PendingMessage } from "./pending.ts";
import { keep, keepRows } from "./shallow.ts";
import { spliced } from "./splice.ts";
import { type Transport, transport } from "./transport.ts";

const LISTEN_AGAIN_MS = 2_000;

/** The session that this one picks up, and those that pick this one up. */
export interface Lineage {
  continues: RelatedSession | null;
  continuations: readonly RelatedSession[];
}

/** How a session is, as far as this page knows. What has not changed is the same object as before. */
export interface SessionData {
  head: SessionHead;
  /** The cursor of the newest message. */
  last: number;
  participants: readonly Participant[];
  lineage: Lineage;
  doc: { version: number; text: string };
  /** The cursors of the questions that nobody has answered. */
  openQuestions: readonly number[];
  /** Grows whenever tasks or held paths may have changed: who shows them reads them again. */
  tasksRevision: number;
  /** The same for the sessions that it comes from, and that come from it. */
  familyRevision: number;
  pending: readonly PendingMessage[];
}

export type StoreState =
  | { phase: "loading" }
  | { phase: "unknown" }
  | { phase: "deleted" }
  | { phase: "failed"; error: Error }
  | { phase: "open"; session: SessionData };

/**
 * One session, outside of React. It is read once; then one stream says what is new. A frame that does not follow the one
 * before leaves something out: then all is read again, so nothing can be missed.
 */
export class SessionStore {
  readonly ref: string;
  readonly feed: FeedPages;
  readonly #transport: Transport;
  readonly #listeners = new Set<() => void>();
  readonly #onMessages = new Set<(messages: readonly Message[]) => void>();
  #state: StoreState = { phase: "loading" };
  /** What was told before anything was known. */
  #early: News[] = [];
  #seen: Pick<News, "series" | "frame"> | undefined;
  #rosterFrames = 0;
  #reading = false;
  #readAgain = false;
  #readingDoc = false;
  #stop: (() => void) | undefined;

  constructor(ref: string, given: Transport = transport) {
    this.ref = ref;
    this.#transport = given;
    this.feed = new FeedPages(async (from, to) => given.readFeed(this.session?.head.id ?? "", from, to));
  }

  readonly getState = (): StoreState => this.#state;

  readonly subscribe = (listener: () => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Calls with each frame that brings messages. */
  onMessages(listener: (messages: readonly Message[]) => void): () => void {
    this.#onMessages.add(listener);
    return () => void this.#onMessages.delete(listener);
  }

  get session(): SessionData | undefined {
    return this.#state.phase === "open" ? this.#state.session : undefined;
  }

  /** Listens first and reads then, so that nothing comes between. */
  start(): () => void {
    let stopped = false;
    const listen = () => {
      const ended = () => {
        if (stopped || this.#state.phase === "deleted" || this.#state.phase === "unknown") return;
        const timer = setTimeout(listen, LISTEN_AGAIN_MS);
        this.#stop = () => clearTimeout(timer);
      };
      this.#stop = this.#transport.listen(this.ref, { news: (news) => this.take(news), ended });
    };
    listen();
    void this.read();
    return () => {
      stopped = true;
      this.#stop?.();
    };
  }

  /** Reads everything that is not a message. */
  readonly read = async (): Promise<void> => {
    if (this.#reading) {
      this.#readAgain = true;
      return;
    }
    this.#reading = true;
    const rosterFrames = this.#rosterFrames;
    try {
      const read = await this.#transport.readSession(this.ref);
      if (!read) this.#set({ phase: this.session ? "deleted" : "unknown" });
      else this.#takeWhole(read, this.#rosterFrames === rosterFrames);
    } catch (error) {
      if (!this.session) this.#set({ phase: "failed", error: error as Error });
    }
    this.#reading = false;
    if (this.#readAgain) {
      this.#readAgain = false;
      await this.read();
    }
  };

  #takeWhole(read: SessionRead, rosterIsNews: boolean) {
    const before = this.session;
    this.#change({
      ...(before ?? { tasksRevision: 0, familyRevision: 0, pending: [] }),
      ...headOf(before, read),
      participants: keepRows(
        before?.participants ?? [],
        before && !rosterIsNews ? before.participants : read.participants.nodes,
      ),
      lineage: lineageOf(before, read.continues, read.continuations.nodes),
      doc:
        before && before.doc.version >= read.sessionDocVersion
          ? before.doc
          : { version: read.sessionDocVersion, text: read.sessionDoc ?? "" },
    });
    for (const news of this.#early.splice(0)) this.take(news);
  }

  /** Takes in a frame; undefined stands for one that could not be read. */
  take(news: News | undefined) {
    const session = this.session;
    if (!news) {
      this.#seen = undefined;
      if (session) void this.read();
      return;
    }
    if (!session) {
      if (this.#state.phase === "loading") this.#early.push(news);
      return;
    }
    if (!news.session) {
      this.#set({ phase: "deleted" });
      return;
    }
    const seen = this.#seen;
    const follows = seen?.series === news.series && (news.frame === seen.frame || news.frame === seen.frame + 1);
    this.#seen = { series: news.series, frame: news.frame };
    if (news.roster) this.#rosterFrames++;
    this.feed.offer(news.messages, news.docEdits);
    if (news.messages.length > 0) for (const listener of this.#onMessages) listener(news.messages);
    const moved = (part: unknown) => (part && (!news.whole || !follows) ? 1 : 0);
    this.#change({
      ...session,
      ...headOf(session, news.session),
      participants: news.roster ? keepRows(session.participants, news.roster.participants.nodes) : session.participants,
      lineage: news.lineage
        ? lineageOf(session, session.lineage.continues, news.lineage.continuations.nodes)
        : session.lineage,
      doc: docAfter(session.doc, news.docSplice),
      tasksRevision: session.tasksRevision + moved(news.tasks),
      familyRevision: session.familyRevision + moved(news.lineage),
      pending: settle(session.pending, news),
    });
    this.#settleAsks(session.openQuestions);
    if (!news.whole && !follows) void this.read();
    else this.#catchUpWithDoc(news);
  }

  /** What was written is told as a change; where that does not fit, the document is read. */
  #catchUpWithDoc({ docSplice }: News) {
    const { doc, head } = this.session ?? {};
    // The next frame brings what was written while this one was read.
    if (!doc || !head || doc.version >= head.sessionDocVersion || docSplice?.toVersion === doc.version) return;
    if (this.#readingDoc) return;
    this.#readingDoc = true;
    void this.#catchUpWithEdits(head.id);
    this.#transport
      .readDoc(head.id)
      .then((read) => {
        const session = this.session;
        if (read && session && read.version > session.doc.version) this.#change({ ...session, doc: read });
      })
      .catch(() => undefined)
      .finally(() => {
        this.#readingDoc = false;
      });
  }

  async #catchUpWithEdits(id: string) {
    const last = this.session?.last ?? 0;
    const read = await this.#transport.readFeed(id, last + 1, last + 1).catch(() => undefined);
    if (read) this.feed.offer(read.messages, read.edits);
  }

  /** An ask that was open and is no more has an answer now, which came without its message. */
  #settleAsks(before: readonly number[]) {
    const { openQuestions, head } = this.session ?? {};
    if (!openQuestions || !head || before === openQuestions) return;
    for (const sequence of before) {
      if (openQuestions.includes(sequence) || !this.feed.get(sequence)?.ask) continue;
      this.#transport.readMessage(head.id, sequence).then(
        (message) => message && this.feed.replace(message),
        () => undefined,
      );
    }
  }

  /** Shows words before the server has taken them. */
  addPending(draft: Draft, key: string = crypto.randomUUID()): string {
    const words = { ...draft, key, at: new Date().toISOString(), failed: undefined, sequence: undefined };
    this.#pend((pending) => [...pending.filter((one) => one.key !== key), words]);
    return key;
  }

  /** They are a message now, and go when it is here. */
  confirm(key: string, sequence: number) {
    this.#pend((pending) => pending.map((one) => (one.key === key ? { ...one, sequence } : one)));
  }

  /** They were not taken: they stay, with the reason, until they are sent again or dropped. */
  fail(key: string, failed: Refusal) {
    this.#pend((pending) => pending.map((one) => (one.key === key ? { ...one, failed } : one)));
  }

  drop(key: string) {
    this.#pend((pending) => pending.filter((one) => one.key !== key));
  }

  #pend(next: (pending: readonly PendingMessage[]) => readonly PendingMessage[]) {
    const { session } = this;
    if (session) this.#change({ ...session, pending: next(session.pending) });
  }

  #change(changed: SessionData) {
    const session = { ...changed, pending: unseen(changed.pending, changed.last) };
    if (this.session && keep(this.session, session) === this.session) return;
    this.#set({ phase: "open", session });
  }

  #set(state: StoreState) {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

/** Whatever changes a session is told in its feed: of two that were read, the one with the longer feed is newer. */
function headOf(
  before: SessionData | undefined,
  fields: HeadFields,
): Pick<SessionData, "head" | "last" | "openQuestions"> {
  if (before && before.last > fields.lastSequence) return before;
  const { lastSequence, openQuestions, ...head } = fields;
  const questions = openQuestions.filter((n) => n !== null);
  return {
    head: before ? keepHead(before.head, head) : head,
    last: lastSequence,
    openQuestions: before ? keep(before.openQuestions, questions) : questions,
  };
}

const keepHead = (before: SessionHead, { you, ...after }: SessionHead): SessionHead =>
  keep(before, { ...after, you: keep(before.you, you) });

function lineageOf(
  before: SessionData | undefined,
  continues: RelatedSession | null,
  found: readonly RelatedSession[],
) {
  const lineage = { continues, continuations: keepRows(before?.lineage.continuations ?? [], found) };
  return before && JSON.stringify(before.lineage) === JSON.stringify(lineage) ? before.lineage : lineage;
}

function docAfter(doc: SessionData["doc"], splice: News["docSplice"]): SessionData["doc"] {
  if (!splice || splice.fromVersion !== doc.version) return doc;
  return { version: splice.toVersion, text: spliced(doc.text, splice) };
}

/** What a frame brings is told from what is on its way by its key; what was confirmed, by how far the feed has come. */
function settle(pending: readonly PendingMessage[], { messages }: News): readonly PendingMessage[] {
  if (pending.length === 0) return pending;
  const keys = new Set(messages.map(({ ownKey }) => ownKey));
  return pending.filter(({ key }) => !keys.has(key));
}

const unseen = (pending: readonly PendingMessage[], last: number) =>
  keep(
    pending,
    pending.filter(({ sequence }) => sequence === undefined || sequence > last),
  );
