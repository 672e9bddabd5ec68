import { useEffect, useRef, useState } from "react";
import { pageClient } from "../page-client.ts";
import { type Message, messagesQuery } from "../queries.ts";
import type { FeedPages } from "./feed-pages.ts";

const PER_QUERY = 25;

/** What the shown replies answer: from the loaded part of the feed, or else looked up by its sequence. */
export function useQuotes(id: string, pages: FeedPages, shown: (Message | undefined)[]) {
  const [found, setFound] = useState<ReadonlyMap<number, Message>>(new Map());
  const asked = useRef(new Set<number>());
  const missing = shown.flatMap((message) => message?.replyTo ?? []).filter((n) => !pages.get(n) && !found.has(n));
  const wanted = [...new Set(missing)].slice(0, PER_QUERY).join(" ");
  useEffect(() => {
    const sequences = wanted
      .split(" ")
      .map(Number)
      .filter((n) => n > 0 && !asked.current.has(n));
    if (sequences.length === 0) return;
    for (const n of sequences) asked.current.add(n);
    pageClient
      .query(messagesQuery(sequences), { id })
      .toPromise()
      .then(({ data }) => {
        for (const n of sequences) asked.current.delete(n);
        const messages = Object.values(data ?? {}).filter((message) => message !== null && typeof message === "object");
        setFound((before) => new Map([...before, ...messages.map((m) => [m.sequence, m] as const)]));
      });
  }, [id, wanted]);
  return (sequence: number | null | undefined) => (sequence ? (pages.get(sequence) ?? found.get(sequence)) : undefined);
}
