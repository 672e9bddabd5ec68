import { ArrowDown } from "lucide-react";
import { useCallback, useMemo, useRef, useState } from "react";
import { Button } from "@/components/ui/button";
import { count } from "../format.ts";
import type { Message, Participant, SessionHead } from "../queries.ts";
import { FeedRow } from "./feed-row.tsx";
import { FindBar } from "./find-bar.tsx";
import { NoMessages } from "./no-messages.tsx";
import { RosterContext } from "./receipts.ts";
import { useFeedKeys } from "./use-feed-keys.ts";
import { useFeedList } from "./use-feed-list.ts";
import { useFeedPages, useShown } from "./use-feed-pages.ts";
import { useOpenQuestions } from "./use-open-questions.ts";
import { useQuotes } from "./use-quotes.ts";

interface FeedProps {
  head: SessionHead;
  participants: Participant[];
  newest: Message[];
}

export function Feed({ head, participants, newest }: FeedProps) {
  const last = head.lastSequence;
  const pages = useFeedPages(head.id, newest);
  const { scroller, list, items, atEnd, highlighted, focused, focusOn, move, toEnd, unseen, firstUnread } = useFeedList(
    head.id,
    last,
  );
  useShown(pages, (items[0]?.index ?? 0) + 1, (items.at(-1)?.index ?? -1) + 1);
  const shown = items.map(({ index }) => pages.get(index + 1));
  const quoteOf = useQuotes(head.id, pages, shown);
  const isOpen = useOpenQuestions(head.id, last, shown);
  const receipts = useMemo(() => ({ sessionId: head.id, roster: participants }), [head.id, participants]);

  const [unfolded, setUnfolded] = useState<ReadonlySet<number>>(new Set());
  const toggle = useCallback((sequence: number) => {
    setUnfolded((before) =>
      before.has(sequence) ? new Set([...before].filter((n) => n !== sequence)) : new Set([...before, sequence]),
    );
  }, []);
  const search = useRef<HTMLInputElement>(null);
  const next = useCallback(() => move(1), [move]);
  const previous = useCallback(() => move(-1), [move]);
  const find = useCallback(() => search.current?.focus(), []);
  useFeedKeys({ next, previous, find, newest: toEnd });

  if (last === 0) return <NoMessages sessionRef={head.ref} />;
  return (
    <section aria-label="Feed" className="relative flex h-full min-h-0 flex-col">
      <FindBar sessionId={head.id} participants={participants} pages={pages} newest={newest} inputRef={search} />
      {pages.failed ? (
        <p role="status" className="border-b bg-muted px-4 py-1 text-xs">
          Some messages could not be read; trying again.
        </p>
      ) : null}
      <div
        ref={scroller}
        role="log"
        aria-label={`${count(last)} messages`}
        // Rows also appear by scrolling; only what arrives at the end is news.
        aria-live={atEnd ? "polite" : "off"}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling box must be reachable by keyboard
        tabIndex={0}
        className="min-h-0 flex-1 overflow-y-auto overscroll-contain [overflow-anchor:none]"
      >
        <div className="relative w-full" style={{ height: list.getTotalSize() }}>
          <div className="absolute inset-x-0 top-0" style={{ transform: `translateY(${items[0]?.start ?? 0}px)` }}>
            <RosterContext value={receipts}>
              {items.map(({ key, index }) => {
                const message = pages.get(index + 1);
                const replies = pages.repliesTo(index + 1);
                return (
                  <div key={key} data-index={index} ref={list.measureElement} className="flow-root">
                    <FeedRow
                      sequence={index + 1}
                      message={message}
                      previous={index > 0 ? pages.get(index) : undefined}
                      firstUnread={firstUnread === index + 1}
                      highlighted={highlighted === index + 1}
                      focused={focused === index + 1}
                      unfolded={unfolded.has(index + 1)}
                      onUnfold={toggle}
                      answered={quoteOf(message?.replyTo)}
                      replies={replies.length}
                      firstReply={replies.length > 0 ? Math.min(...replies.map((reply) => reply.sequence)) : undefined}
                      open={isOpen(message)}
                      onFollow={focusOn}
                    />
                  </div>
                );
              })}
            </RosterContext>
          </div>
        </div>
      </div>
      {atEnd ? null : (
        <Button
          size="sm"
          variant={unseen > 0 ? "default" : "secondary"}
          className="absolute right-4 bottom-4 border shadow-md"
          onClick={toEnd}
        >
          <ArrowDown className="size-4" />
          {unseen > 0 ? `${count(unseen)} new` : "Latest"}
        </Button>
      )}
    </section>
  );
}
