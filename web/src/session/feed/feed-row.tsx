import { memo, useEffect, useRef } from "react";
import { Skeleton } from "@/components/ui/skeleton";
import { count, day, sameDay } from "../format.ts";
import { visibleName } from "../markdown/visible.ts";
import type { DocEdit, Message } from "../queries.ts";
import { ChatMessage, type Thread } from "./chat-message.tsx";
import { EditLines } from "./edit-lines.tsx";
import { SystemLine } from "./system-line.tsx";

interface FeedRowProps extends Thread {
  sequence: number;
  message: Message | undefined;
  /** How many messages a filter has left out before it. */
  leftOut: number;
  /** Whether it is only here because it stands beside what was looked for. */
  around: boolean;
  /** When the message before it was posted: a new day is told. */
  previousAt: string | undefined;
  /** Whether it goes on where the message before it was, so that the name need not be said again. */
  continues: boolean;
  /** Whether a later message tells it too. */
  folded: boolean;
  /** What it tells together with those before it. */
  sentence: string | undefined;
  /** What was written before the first message, and after this one. */
  editsBefore: readonly DocEdit[] | undefined;
  edits: readonly DocEdit[] | undefined;
  firstUnread: boolean;
  highlighted: boolean;
  focused: boolean;
  unfolded: boolean;
  onUnfold: (sequence: number) => void;
}

const HUMAN = "[--row:color-mix(in_oklab,var(--primary)_7%,var(--background))]";

export const FeedRow = memo(function FeedRow(props: FeedRowProps) {
  const { sequence, message, previousAt, firstUnread, highlighted, focused } = props;
  const article = useRef<HTMLElement>(null);
  useEffect(() => {
    if (focused) article.current?.focus({ preventScroll: true });
  }, [focused]);

  if (!message) return <LoadingRow />;
  const newDay = sequence === 1 || (previousAt !== undefined && !sameDay(previousAt, message.postedAt));
  const continues = props.continues && !newDay && !firstUnread;
  const ground = highlighted
    ? "[--row:var(--highlight)]"
    : message.postedBy?.kind === "human"
      ? HUMAN
      : "[--row:var(--background)]";
  return (
    <>
      {props.leftOut > 0 ? <LeftOut messages={props.leftOut} /> : null}
      {newDay ? <Separator>{day(message.postedAt)}</Separator> : null}
      {props.editsBefore ? <EditLines edits={props.editsBefore} /> : null}
      {firstUnread ? <Separator accent>New since your last visit</Separator> : null}
      <article
        ref={article}
        tabIndex={-1}
        aria-posinset={sequence}
        aria-setsize={-1}
        aria-label={`Message ${sequence} of ${visibleName(message.postedBy?.teamName ?? "the server")}${
          message.kind === "message" ? "" : `, ${message.kind}`
        }`}
        data-sequence={sequence}
        className={`group/message bg-(--row) outline-none transition-colors focus:[--row:var(--accent)] motion-reduce:transition-none ${ground} ${
          props.folded ? "h-0 overflow-hidden" : props.around ? "text-muted-foreground grayscale" : ""
        }`}
      >
        {message.type === "chat" ? (
          <ChatMessage
            message={message}
            continues={continues}
            unfolded={props.unfolded}
            onUnfold={props.onUnfold}
            answered={props.answered}
            replies={props.replies}
            firstReply={props.firstReply}
            open={props.open}
            onFollow={props.onFollow}
          />
        ) : (
          <SystemLine message={message} sentence={props.sentence} />
        )}
      </article>
      {props.edits && props.edits.length > 0 ? <EditLines edits={props.edits} /> : null}
    </>
  );
});

function Separator({ children, accent }: { children: React.ReactNode; accent?: boolean }) {
  const line = accent ? "h-px flex-1 bg-red-700 dark:bg-red-400" : "h-px flex-1 bg-border";
  const text = accent ? "font-medium text-red-700 dark:text-red-400" : "text-muted-foreground";
  return (
    <div className={`flex items-center gap-3 px-4 pt-3 pb-1 text-xs ${text}`}>
      <span className={line} />
      {children}
      <span className={line} />
    </div>
  );
}

function LeftOut({ messages }: { messages: number }) {
  return (
    <p className="border-t border-dashed px-14 pt-1 text-xs text-muted-foreground">
      {messages === 1 ? "1 message" : `${count(messages)} messages`} between
    </p>
  );
}

function LoadingRow() {
  return (
    <div className="flex h-[76px] gap-2 px-4 py-3" aria-hidden="true">
      <Skeleton className="size-6 shrink-0" />
      <div className="flex-1 space-y-2">
        <Skeleton className="h-3 w-32" />
        <Skeleton className="h-3 w-4/5" />
      </div>
    </div>
  );
}
