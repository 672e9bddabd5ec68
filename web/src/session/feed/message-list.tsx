import { ArrowDown } from "lucide-react";
import { type RefObject, useCallback, useEffect, useMemo, useState } from "react";
import { Button } from "@/components/ui/button";
import { comingsSentence } from "@/lib/event-sentence.ts";
import { IN_SESSION, useCommands } from "@/shell/commands.ts";
import { count } from "../format.ts";
import { contentOf } from "../queries.ts";
import type { FeedSource } from "../store/feed-source.ts";
import { useSession, useSessionStore } from "../store/session-provider.tsx";
import { FeedRow } from "./feed-row.tsx";
import type { FoundFeed } from "./found-feed.ts";
import { comingsAt, continuesRun } from "./runs.ts";
import { StickyAuthor } from "./sticky-author.tsx";
import { useFeedList } from "./use-feed-list.ts";
import { useFoundMarks } from "./use-found-marks.ts";
import { useQuotes } from "./use-quotes.ts";

interface MessageListProps {
  source: FeedSource;
  /** What is shown instead of the whole feed. */
  found?: FoundFeed;
  /** Where it can be told to show a message of the list. */
  goTo?: RefObject<((sequence: number) => void) | undefined>;
  onOutside?: (sequence: number) => void;
}

/** Messages one under the other, of which only those in sight are there. */
export function MessageList({ source, found, goTo, onOutside }: MessageListProps) {
  const { feed: pages } = useSessionStore();
  const id = useSession((session) => session.head.id);
  const openQuestions = useSession((session) => session.openQuestions);
  const whole = found === undefined;
  const { scroller, list, items, atEnd, highlighted, focused, focusOn, jump, move, toEnd, unseen, firstUnread } =
    useFeedList(id, source, { whole, ...(onOutside && { onOutside }) });
  if (goTo) goTo.current = jump;
  useFoundMarks(scroller, found?.filter.search ?? "");
  const first = source.sequenceAt(items[0]?.index ?? 0);
  const lowest = source.sequenceAt(items.at(-1)?.index ?? -1);
  // biome-ignore lint/correctness/useExhaustiveDependencies: after each answer, and each failure, look again
  useEffect(() => {
    if (!whole) {
      if ((items[0]?.index ?? 0) < 5) void found.readOn();
    } else if (lowest > 0) {
      // One message more, for the day and the name above.
      pages.show(Math.max(1, first - 1), lowest);
    }
  }, [pages, whole, first, lowest, source]);
  const shown = items.map(({ index }) => source.message(source.sequenceAt(index)));
  const quoteOf = useQuotes(id, pages, shown);
  const open = useMemo(() => new Set(openQuestions), [openQuestions]);

  const [unfolded, setUnfolded] = useState<ReadonlySet<number>>(new Set());
  const toggle = useCallback((sequence: number) => {
    setUnfolded((before) =>
      before.has(sequence) ? new Set([...before].filter((n) => n !== sequence)) : new Set([...before, sequence]),
    );
  }, []);
  useCommands([
    { id: "feed.next", title: "Next message", group: IN_SESSION, keys: "j", keysOnly: true, run: () => move(1) },
    {
      id: "feed.previous",
      title: "Previous message",
      group: IN_SESSION,
      keys: "k",
      keysOnly: true,
      run: () => move(-1),
    },
    { id: "feed.newest", title: "To the newest message", group: IN_SESSION, keys: ".", icon: ArrowDown, run: toEnd },
  ]);
  return (
    <>
      {pages.failed ? (
        <p role="status" className="border-b bg-muted px-4 py-1 text-xs">
          Some messages could not be read; trying again.
        </p>
      ) : null}
      <StickyAuthor message={hiddenHead(source, list.range?.startIndex)} />
      <div
        ref={scroller}
        role="log"
        aria-label={`${count(source.count)} messages`}
        // Rows also appear by scrolling; only what arrives at the end is news.
        aria-live={atEnd ? "polite" : "off"}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling box must be reachable by keyboard
        tabIndex={0}
        className="min-h-0 flex-1 overflow-y-auto overscroll-contain [overflow-anchor:none]"
      >
        <div ref={list.containerRef} className="relative w-full">
          {items.map(({ key, index }) => {
            const sequence = source.sequenceAt(index);
            const message = source.message(sequence);
            const replies = pages.repliesTo(sequence);
            const together = comingsAt(source, sequence);
            return (
              <div key={key} data-index={index} ref={list.measureElement} className="absolute inset-x-0 flow-root">
                <FeedRow
                  sequence={sequence}
                  message={message}
                  leftOut={whole ? 0 : sequence - 1 - (index > 0 ? source.sequenceAt(index - 1) : 0)}
                  around={found ? !found.hits.has(sequence) : false}
                  previousAt={source.message(sequence - 1)?.postedAt}
                  continues={continuesRun(source, sequence)}
                  folded={together?.length === 0}
                  sentence={together && together.length > 1 ? comingsSentence(together.map(contentOf)) : undefined}
                  editsBefore={whole && sequence === 1 ? pages.editsAfter(0) : undefined}
                  edits={whole ? pages.editsAfter(sequence) : undefined}
                  firstUnread={firstUnread === sequence}
                  highlighted={highlighted === sequence}
                  focused={focused === sequence}
                  unfolded={unfolded.has(sequence)}
                  onUnfold={toggle}
                  answered={quoteOf(message?.replyTo)}
                  replies={replies.length}
                  firstReply={replies.length > 0 ? Math.min(...replies.map((reply) => reply.sequence)) : undefined}
                  open={open.has(sequence)}
                  onFollow={focusOn}
                />
              </div>
            );
          })}
        </div>
      </div>
      {atEnd ? null : (
        <Button
          size="sm"
          variant={unseen > 0 ? "default" : "secondary"}
          className="absolute right-4 bottom-4 z-10 border shadow-md"
          onClick={toEnd}
        >
          <ArrowDown className="size-4" />
          {unseen > 0 ? `${count(unseen)} new` : "Latest"}
        </Button>
      )}
    </>
  );
}

/** The first message in sight, if it goes on after others: who says it has been scrolled away. */
function hiddenHead(source: FeedSource, index: number | undefined) {
  if (index === undefined || index >= source.count) return undefined;
  const sequence = source.sequenceAt(index);
  return continuesRun(source, sequence) ? source.message(sequence) : undefined;
}
