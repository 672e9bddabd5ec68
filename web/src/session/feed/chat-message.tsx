import { useContext } from "react";
import { Button } from "@/components/ui/button";
import { clock, count, full } from "../format.ts";
import { Markdown } from "../markdown/markdown.tsx";
import { visibleName } from "../markdown/visible.ts";
import { contentOf, type Message } from "../queries.ts";
import { teamHue } from "../team-hue.ts";
import { nameOfTeam } from "../team-name.ts";
import { fold } from "./fold.ts";
import { JumpLink } from "./jump-link.tsx";
import { isPlain, Marks } from "./marks.tsx";
import { MessageActions } from "./message-actions.tsx";
import { Quote } from "./quote.tsx";
import { RosterContext } from "./receipts.ts";

/** What a message is to the others around it. */
export interface Thread {
  /** The message that it answers; undefined while that is looked up, or when it answers none. */
  answered: Message | undefined;
  /** How many replies are known, and which came first. */
  replies: number;
  firstReply: number | undefined;
  /** It expects a reply and has none. */
  open: boolean;
  onFollow: (sequence: number) => void;
}

interface ChatMessageProps extends Thread {
  message: Message;
  /** Whether the message before it is of the same team, so that the name need not be said again. */
  continues: boolean;
  unfolded: boolean;
  onUnfold: (sequence: number) => void;
}

export const textOf = (message: Message) => {
  const { text } = contentOf(message);
  return typeof text === "string" ? text : JSON.stringify(message.content, null, 2);
};

export function ChatMessage({ message, continues, unfolded, onUnfold, ...thread }: ChatMessageProps) {
  const text = textOf(message);
  const folded = fold(text);
  const marks = isPlain(message) ? null : <Marks message={message} open={thread.open} />;
  return (
    <div className={continues ? "relative px-4 py-0.5" : "relative px-4 pt-3 pb-0.5"}>
      {continues ? null : <MessageHead message={message}>{marks}</MessageHead>}
      <div className="pl-8 text-sm">
        {continues && marks ? <p className="mb-0.5 flex min-w-0 items-baseline gap-2 pt-1">{marks}</p> : null}
        {message.replyTo ? (
          <Quote sequence={message.replyTo} message={thread.answered} onFollow={thread.onFollow} />
        ) : null}
        <div className={message.kind === "decision" ? "-ml-2 border-l-2 border-primary pl-1.5" : undefined}>
          <Markdown text={folded && !unfolded ? folded : text} />
        </div>
        {folded ? (
          <Button
            variant="link"
            size="sm"
            className="h-auto px-0 py-1"
            aria-expanded={unfolded}
            onClick={() => onUnfold(message.sequence)}
          >
            {unfolded ? "Show less" : `Show more (${sizeOf(text)})`}
          </Button>
        ) : null}
        {thread.firstReply ? (
          <JumpLink to={thread.firstReply} onFollow={thread.onFollow} className="mt-0.5 block w-fit text-xs">
            {thread.replies === 1 ? "1 reply" : `${count(thread.replies)} replies`}
          </JumpLink>
        ) : null}
      </div>
      <MessageActions message={message} text={text} />
    </div>
  );
}

function sizeOf(text: string): string {
  const lines = text.trimEnd().split("\n").length;
  return lines > 1 ? `${count(lines)} lines` : `${count(text.length)} characters`;
}

function initials(name: string): string {
  const words = name.match(/[\p{L}\p{N}]+/gu) ?? [];
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) => [...(word ?? "")][0] ?? "");
  return letters.join("").toUpperCase();
}

function MessageHead({ message, children }: { message: Message; children: React.ReactNode }) {
  const { postedBy, postedAt, sequence } = message;
  const { roster } = useContext(RosterContext);
  const name = postedBy ? nameOfTeam(postedBy, roster) : "unknown";
  const hue = teamHue(postedBy?.handle ?? "");
  return (
    <header className="relative mb-0.5 flex min-h-6 flex-wrap items-baseline gap-x-2 pl-8 text-sm">
      <span
        aria-hidden="true"
        className="absolute top-0 left-0 grid size-6 place-items-center rounded text-[11px] font-semibold text-white"
        style={{ background: `oklch(0.48 0.11 ${hue})` }}
      >
        {initials(name)}
      </span>
      <span className="flex max-w-full min-w-0 items-baseline gap-2">
        <bdi
          className="truncate font-semibold"
          title={`${visibleName(postedBy?.teamName ?? "")} (${postedBy?.handle})`}
        >
          {name}
        </bdi>
        {postedBy?.kind === "human" || postedBy?.guest ? (
          <span className="shrink-0 rounded border px-1 text-[11px] text-muted-foreground">
            {postedBy.guest ? "guest" : "human"}
          </span>
        ) : null}
        <a
          href={`#${sequence}`}
          title={`${full(postedAt)} · message ${sequence}`}
          className="shrink-0 text-xs text-muted-foreground hover:underline"
        >
          <time dateTime={postedAt}>{clock(postedAt)}</time>
        </a>
      </span>
      {children ? <span className="flex max-w-full min-w-0 items-baseline gap-2">{children}</span> : null}
    </header>
  );
}
