import { Button } from "@/components/ui/button";
import { clock, count, full, shortClock } from "../format.ts";
import { initials } from "../initials.ts";
import { Markdown } from "../markdown/markdown.tsx";
import { visibleName } from "../markdown/visible.ts";
import { contentOf, type Message } from "../queries.ts";
import { useRoster } from "../store/session-provider.tsx";
import { TEAM_INK, teamColour } from "../team-colour.ts";
import { nameOfTeam } from "../team-name.ts";
import { fold } from "./fold.ts";
import { JumpLink } from "./jump-link.tsx";
import { barOf } from "./kinds.tsx";
import { isPlain, Marks } from "./marks.tsx";
import { MessageActions } from "./message-actions.tsx";
import { QuestionCard } from "./question-card.tsx";
import { Quote } from "./quote.tsx";

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
  const bar = barOf(message.kind);
  return (
    <div className={`relative px-4 ${continues ? "pt-0.5 pb-1" : "pt-2.5 pb-1"}`}>
      {continues ? <TimeBeside message={message} /> : <MessageHead message={message}>{marks}</MessageHead>}
      <div className="pl-10 text-sm">
        {message.replyTo ? (
          <Quote sequence={message.replyTo} message={thread.answered} onFollow={thread.onFollow} />
        ) : null}
        <div className={bar ? `-ml-2.5 border-l-2 pl-2 ${bar}` : undefined}>
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
        {message.expectsReply ? <QuestionCard message={message} open={thread.open} /> : null}
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

function MessageHead({ message, children }: { message: Message; children: React.ReactNode }) {
  const { postedBy } = message;
  const name = useRoster((roster) => (postedBy ? nameOfTeam(postedBy, roster) : "unknown"));
  return (
    // It stays in sight while a long message is scrolled.
    <header className="sticky top-0 z-5 mb-0.5 flex min-h-6 flex-wrap items-baseline gap-x-2 bg-(--row) pl-10 text-sm">
      <TeamMark id={postedBy?.id} name={name} className="absolute top-0 left-0.5" />
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
        <MessageTime message={message} className="shrink-0 text-xs" />
      </span>
      {children ? <span className="flex max-w-full min-w-0 items-baseline gap-2">{children}</span> : null}
    </header>
  );
}

/** A team in small: its colour, and the first letters of its name. */
export function TeamMark({ id, name, className }: { id: number | undefined; name: string; className: string }) {
  return (
    <span
      aria-hidden="true"
      className={`grid size-6 shrink-0 place-items-center rounded text-[11px] font-semibold ${className}`}
      style={{ background: teamColour(id), color: TEAM_INK }}
    >
      {initials(name)}
    </span>
  );
}

interface MessageTimeProps {
  message: Message;
  className: string;
  short?: boolean;
}

export function MessageTime({ message: { sequence, postedAt }, className, short = false }: MessageTimeProps) {
  return (
    <a
      href={`#${sequence}`}
      title={`${full(postedAt)} · message ${sequence}`}
      className={`text-muted-foreground hover:underline ${className}`}
    >
      <time dateTime={postedAt}>{short ? shortClock(postedAt) : clock(postedAt)}</time>
    </a>
  );
}

/** Where the head of its run would have the picture of the team. */
function TimeBeside({ message }: { message: Message }) {
  return (
    <MessageTime short message={message} className="absolute top-1 left-3 w-10 text-center text-[11px] tabular-nums" />
  );
}
