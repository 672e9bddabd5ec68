import { type CombinedError, stringifyDocument } from "@urql/core";
import { ask } from "@/lib/ask.ts";
import { socket } from "@/lib/socket.ts";
import type { FeedPart } from "../feed/feed-pages.ts";
import {
  DocQuery,
  FeedPageQuery,
  type Message,
  MessageQuery,
  type News,
  SessionNews,
  SessionQuery,
  type SessionRead,
} from "../queries.ts";

export interface Listener {
  /** Undefined: something could not be read, and nobody knows what. */
  news(news: News | undefined): void;
  ended(): void;
}

/** What a store asks of the server. */
export interface Transport {
  readSession(ref: string): Promise<SessionRead | null>;
  readFeed(id: string, from: number, to: number): Promise<FeedPart>;
  readMessage(id: string, sequence: number): Promise<Message | undefined>;
  readDoc(id: string): Promise<{ version: number; text: string } | undefined>;
  listen(ref: string, listener: Listener): () => void;
}

interface Answer<T> {
  data?: T | undefined;
  error?: CombinedError | undefined;
}

async function answered<T>(asking: Promise<Answer<T>>): Promise<T | undefined> {
  const { data, error } = await asking;
  if (error) throw error;
  return data;
}

export const transport: Transport = {
  readSession: async (ref) => (await answered(ask(SessionQuery, { ref })))?.sessionByRef ?? null,
  readFeed: async (id, from, to) => {
    // What was written after the last message that is known, too: it may have been while nobody listened.
    const read = await answered(ask(FeedPageQuery, { id, before: from - 1, from, to }));
    return { messages: read?.session?.feed.nodes ?? [], edits: read?.session?.docEdits.nodes ?? [] };
  },
  readMessage: async (id, sequence) => (await answered(ask(MessageQuery, { id, sequence })))?.message ?? undefined,
  readDoc: async (id) => {
    const session = (await answered(ask(DocQuery, { id })))?.session;
    return session ? { version: session.sessionDocVersion, text: session.sessionDoc ?? "" } : undefined;
  },
  // The socket subscribes again by itself after every lost connection.
  listen: (ref, { news, ended }) =>
    socket.subscribe<{ sessionNews: News | null }>(
      { query: stringifyDocument(SessionNews), variables: { ref } },
      {
        next: ({ data, errors }) => news(errors ? undefined : (data?.sessionNews ?? undefined)),
        error: ended,
        complete: ended,
      },
    ),
};
