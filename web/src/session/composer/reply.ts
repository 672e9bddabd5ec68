import { useEffect, useRef } from "react";

const REPLY = "parley:reply";

/** Puts what is written next under a message. */
export const replyTo = (sequence: number) => dispatchEvent(new CustomEvent(REPLY, { detail: sequence }));

export function useReplies(onReply: (sequence: number) => void) {
  const latest = useRef(onReply);
  latest.current = onReply;
  useEffect(() => {
    const follow = (event: Event) => latest.current((event as CustomEvent<number>).detail);
    addEventListener(REPLY, follow);
    return () => removeEventListener(REPLY, follow);
  }, []);
}

/** The message of the feed that has the focus, or in which something has. */
export function focusedMessage(): number | undefined {
  const row = document.activeElement?.closest<HTMLElement>("[data-sequence]");
  return row ? Number(row.dataset.sequence) : undefined;
}
