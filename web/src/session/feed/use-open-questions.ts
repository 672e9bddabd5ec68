import { useEffect, useState } from "react";
import { pageClient } from "../page-client.ts";
import { type Message, OpenQuestionsQuery } from "../queries.ts";
import type { FeedPages } from "./feed-pages.ts";

const READ_AGAIN_MS = 5_000;

interface Known {
  through: number;
  open: ReadonlySet<number>;
}

/**
 * Whether a message still waits for a reply. A reply that is loaded settles it at once; one that is far away is known
 * to the server, which is asked only while such a message is on the screen.
 */
export function useOpenQuestions(id: string, last: number, pages: FeedPages, shown: (Message | undefined)[]) {
  const [known, setKnown] = useState<Known>();
  const [readAt, setReadAt] = useState(0);
  const isAnswered = ({ sequence, postedBy }: Message) =>
    pages.repliesTo(sequence).some(({ handle, kind }) => handle !== postedBy?.handle || kind === "answer");
  const inDoubt = shown.some((message) => message?.expectsReply && !isAnswered(message));
  const stale = inDoubt && last > (known?.through ?? 0);
  useEffect(() => {
    if (!stale) return;
    let current = true;
    const read = async () => {
      const { data } = await pageClient.query(OpenQuestionsQuery, { id }).toPromise();
      if (!current) return;
      setReadAt(Date.now());
      const digest = data?.session?.digest;
      if (!digest) return;
      const open = new Set((digest.openQuestions ?? []).flatMap(({ cursor }) => cursor ?? []));
      setKnown({ through: digest.throughCursor ?? 0, open });
    };
    const timer = setTimeout(read, Math.max(0, readAt + READ_AGAIN_MS - Date.now()));
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [id, stale, readAt]);
  return (message: Message | undefined) =>
    message?.expectsReply === true &&
    known !== undefined &&
    !isAnswered(message) &&
    (message.sequence > known.through || known.open.has(message.sequence));
}
