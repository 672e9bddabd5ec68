import { useEffect, useState } from "react";
import { pageClient } from "../page-client.ts";
import { type Message, OpenQuestionsQuery } from "../queries.ts";

const READ_AGAIN_MS = 1_000;

interface Known {
  through: number;
  open: ReadonlySet<number>;
}

/**
 * Whether a message still waits for a reply: the server knows what settles a question. It is asked when the feed has
 * moved, and only while such a message is on the screen.
 */
export function useOpenQuestions(id: string, last: number, shown: (Message | undefined)[]) {
  const [known, setKnown] = useState<Known>();
  const [readAt, setReadAt] = useState(0);
  const stale = last > (known?.through ?? 0) && shown.some((message) => message?.expectsReply);
  useEffect(() => {
    if (!stale) return;
    let current = true;
    const read = async () => {
      const { data } = await pageClient.query(OpenQuestionsQuery, { id }).toPromise();
      if (!current) return;
      setReadAt(Date.now());
      const session = data?.session;
      if (session) setKnown({ through: session.lastSequence, open: new Set(session.openQuestions as number[]) });
    };
    const timer = setTimeout(read, Math.max(0, readAt + READ_AGAIN_MS - Date.now()));
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [id, stale, readAt]);
  return (message: Message | undefined) => message?.expectsReply === true && known?.open.has(message.sequence) === true;
}
