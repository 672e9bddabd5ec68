import { memo, useEffect, useRef } from "react";
import { Skeleton } from "@/components/ui/skeleton";
import { day, sameDay } from "../format.ts";
import { visibleName } from "../markdown/visible.ts";
import type { Message } from "../queries.ts";
import { ChatMessage, type Thread } from "./chat-message.tsx";
import { SystemLine } from "./system-line.tsx";

const RUN_MS = 5 * 60_000;

interface FeedRowProps extends Thread {
  sequence: number;
  message: Message | undefined;
  previous: Message | undefined;
  firstUnread: boolean;
  highlighted: boolean;
  focused: boolean;
  unfolded: boolean;
  onUnfold: (sequence: number) => void;
}

function isRun(message: Message, previous: Message | undefined) {
  if (message.type !== "chat" || previous?.type !== "chat") return false;
  if (message.postedBy?.handle !== previous.postedBy?.handle) return false;
  return Date.parse(message.postedAt) - Date.parse(previous.postedAt) < RUN_MS;
}

export const FeedRow = memo(function FeedRow(props: FeedRowProps) {
  const { sequence, message, previous, firstUnread, highlighted, focused } = props;
  const article = useRef<HTMLElement>(null);
  useEffect(() => {
    if (focused) article.current?.focus({ preventScroll: true });
  }, [focused]);

  if (!message) return <LoadingRow />;
  const newDay = sequence === 1 || (previous !== undefined && !sameDay(previous.postedAt, message.postedAt));
  const continues = !newDay && !firstUnread && isRun(message, previous);
  return (
    <>
      {newDay ? <Separator>{day(message.postedAt)}</Separator> : null}
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
        className={`group/message outline-none transition-colors focus:bg-accent/60 motion-reduce:transition-none ${
          highlighted ? "bg-amber-200/60 dark:bg-amber-500/20" : ""
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
          <SystemLine message={message} />
        )}
      </article>
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
