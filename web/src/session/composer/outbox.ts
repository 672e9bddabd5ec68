import { useEffect } from "react";
import { call, type Refusal } from "@/lib/call.ts";
import { graphql } from "@/lib/graphql.ts";
import type { Draft, PendingMessage } from "../store/pending.ts";
import { useSession, useSessionStore } from "../store/session-provider.tsx";
import type { SessionStore } from "../store/session-store.ts";

const PostMessage = graphql(`
  mutation PostMessage($id: String!, $content: JSON!, $kind: String, $replyTo: MessageRef, $to: [String], $key: String) {
    postMessage(
      input: { sessionId: $id, content: $content, kind: $kind, replyTo: $replyTo, to: $to, clientMessageId: $key }
    ) { result { cursor } }
  }
`);

// randomUUID is there on https and localhost only.
const newKey = () => [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(36)).join("");

/** Shown at once, and kept until the feed has it or somebody drops it. With the same key it is said once, however often it is sent. */
export async function send(store: SessionStore, draft: Draft, key = newKey()): Promise<void> {
  const { text, kind, replyTo, to } = draft;
  store.addPending({ text, kind, replyTo, to }, key);
  const { data, refusal } = await call(PostMessage, {
    id: store.session?.head.id ?? store.ref,
    content: text,
    kind,
    replyTo: replyTo === undefined ? null : String(replyTo),
    to: to.length > 0 ? [...to] : null,
    key,
  });
  const cursor = data?.postMessage?.result?.cursor;
  if (cursor) store.confirm(key, cursor);
  else store.fail(key, refusal ?? { message: "The server does not answer." });
}

const WITHOUT_ANSWER: Refusal = {
  message: "The page was left before the server had answered.",
  hint: "To send it again is safe: it is said once.",
};

const keyOf = (ref: string) => `parley:outbox:${ref}`;

function kept(ref: string): PendingMessage[] {
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem(keyOf(ref)) ?? "[]");
    return Array.isArray(found) ? found : [];
  } catch {
    return [];
  }
}

/** What is not in the feed yet. A reload loses none of it. */
export function useOutbox(): readonly PendingMessage[] {
  const store = useSessionStore();
  const pending = useSession((session) => session.pending);
  useEffect(() => {
    for (const { key, failed, ...draft } of kept(store.ref)) {
      store.addPending(draft, key);
      store.fail(key, failed ?? WITHOUT_ANSWER);
    }
  }, [store]);
  useEffect(() => {
    const unsent = pending.filter(({ sequence }) => sequence === undefined);
    if (unsent.length === 0 && kept(store.ref).length === 0) return;
    try {
      sessionStorage.setItem(keyOf(store.ref), JSON.stringify(unsent));
    } catch {}
  }, [store, pending]);
  return pending;
}
