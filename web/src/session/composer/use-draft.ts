import { useCallback, useState } from "react";
import type { Draft } from "../store/pending.ts";
import { EMPTY, keepDraft, keptDraft } from "./draft.ts";

/** What is being written in a session; as it was left, when somebody comes back. */
export function useDraft(sessionId: string) {
  const [draft, setDraft] = useState(() => keptDraft(sessionId));
  const change = useCallback(
    (changes: Partial<Draft>) =>
      setDraft((before) => {
        const next = { ...before, ...changes };
        keepDraft(sessionId, next);
        return next;
      }),
    [sessionId],
  );
  const clear = useCallback(() => change(EMPTY), [change]);
  return { draft, change, clear };
}
