import { useEffect, useRef, useState } from "react";
import { ask } from "@/lib/ask.ts";
import { graphql, type ResultOf } from "@/lib/graphql.ts";
import type { SessionStore } from "../store/session-store.ts";

const READ_AGAIN_MS = 2_000;
/** For what is only said, and changes nothing but who said something last. */
const WHEN_TALKING_MS = 15_000;

const DigestQuery = graphql(`
  query Digest($id: UUID!) {
    session(id: $id) {
      digest {
        throughCursor
        teams { handle blocked lastStatus { cursor text at } lastMessage { cursor text at } }
        openQuestions { cursor handle to waitingFor text at }
        decisions { cursor handle text at }
        docChanges { version handle at sections }
        totals { openQuestions decisions }
      }
    }
  }
`);

export type Digest = NonNullable<ResultOf<typeof DigestQuery>["session"]>["digest"];
export type Note = Pick<NonNullable<Digest["openQuestions"]>[number], "cursor" | "handle" | "text" | "at">;

/** Read again when something has come that it tells of, and not for every word of a busy session. */
export function useDigest(store: SessionStore, id: string, shown: boolean) {
  const [state, setState] = useState<{ digest?: Digest; error?: Error }>({});
  const [attempt, setAttempt] = useState(0);
  const known = useRef({ last: 0, version: 0, questions: undefined as unknown, at: 0 });
  useEffect(() => {
    if (!shown) return;
    let current = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let due = Number.POSITIVE_INFINITY;
    const read = async () => {
      timer = undefined;
      due = Number.POSITIVE_INFINITY;
      const { last = 0, doc, openQuestions } = store.session ?? {};
      known.current = { last, version: doc?.version ?? 0, questions: openQuestions, at: Date.now() };
      const { data, error } = await ask(DigestQuery, { id });
      if (!current) return;
      const digest = data?.session?.digest;
      setState((before) => (digest ? { digest } : { ...before, error: error ?? new Error("No answer.") }));
      look();
    };
    const look = () => {
      const gap = current ? gapOf(store, known.current) : undefined;
      const at = gap === undefined ? due : known.current.at + gap;
      if (at >= due) return;
      due = at;
      clearTimeout(timer);
      timer = setTimeout(read, Math.max(0, at - Date.now()));
    };
    const stop = store.subscribe(look);
    // Who comes back to it sees at once what has come meanwhile.
    if (known.current.at === 0 || attempt > 0 || gapOf(store, known.current) !== undefined) void read();
    return () => {
      current = false;
      stop();
      clearTimeout(timer);
    };
  }, [store, id, shown, attempt]);
  return { ...state, retry: () => setAttempt((n) => n + 1) };
}

/** How long to wait before reading again; undefined when nothing has come. */
function gapOf(store: SessionStore, known: { last: number; version: number; questions: unknown }): number | undefined {
  const { session, feed } = store;
  if (!session) return undefined;
  if (session.doc.version !== known.version || session.openQuestions !== known.questions) return READ_AGAIN_MS;
  if (session.last === known.last) return undefined;
  for (let sequence = session.last; sequence > known.last; sequence--) {
    const message = feed.get(sequence);
    if (!message || message.type === "system" || message.kind !== "message") return READ_AGAIN_MS;
  }
  return WHEN_TALKING_MS;
}
