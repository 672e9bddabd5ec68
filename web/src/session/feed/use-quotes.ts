import { useEffect, useRef, useState } from "react";
import { ask } from "@/lib/ask.ts";
import { type Message, MessageQuery } from "../queries.ts";
import type { FeedPages } from "./feed-pages.ts";

/** What the shown replies answer: from the loaded part of the feed, or else looked up by its sequence. */
export function useQuotes(id: string, pages: FeedPages, shown: (Message | undefined)[]) {
  const [found, setFound] = useState<ReadonlyMap<number, Message>>(new Map());
  const asked = useRef(new Set<number>());
  const missing = shown.flatMap((message) => message?.replyTo ?? []).filter((n) => !pages.get(n) && !found.has(n));
  const wanted = missing.join(" ");
  useEffect(() => {
    const lookUp = async (sequence: number) => {
      asked.current.add(sequence);
      const { data } = await ask(MessageQuery, { id, sequence });
      asked.current.delete(sequence);
      const message = data?.message;
      if (message) setFound((before) => new Map(before).set(sequence, message));
    };
    for (const sequence of new Set(wanted.split(" ").map(Number)))
      if (sequence > 0 && !asked.current.has(sequence)) void lookUp(sequence);
  }, [id, wanted]);
  return (sequence: number | null | undefined) => (sequence ? (pages.get(sequence) ?? found.get(sequence)) : undefined);
}
