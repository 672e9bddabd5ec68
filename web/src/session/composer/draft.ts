import { recall, remember } from "../remembered.ts";
import type { Draft } from "../store/pending.ts";

export const EMPTY: Draft = { text: "", kind: "message", to: [], replyTo: undefined };

const keyOf = (sessionId: string) => `parley:draft:${sessionId}`;

export const isEmpty = ({ text, replyTo }: Draft) => text.trim() === "" && replyTo === undefined;

/** Kept until it is sent: a reload, or a look at another session, loses nothing. */
export const keepDraft = (sessionId: string, draft: Draft) =>
  remember(keyOf(sessionId), isEmpty(draft) ? "" : JSON.stringify(draft));

export function keptDraft(sessionId: string): Draft {
  try {
    const { text, kind, to, replyTo } = JSON.parse(recall(keyOf(sessionId)) || "{}");
    return {
      text: typeof text === "string" ? text : EMPTY.text,
      kind: typeof kind === "string" ? kind : EMPTY.kind,
      to: Array.isArray(to) ? to.filter((handle) => typeof handle === "string") : EMPTY.to,
      replyTo: Number.isInteger(replyTo) ? replyTo : EMPTY.replyTo,
    };
  } catch {
    return EMPTY;
  }
}
