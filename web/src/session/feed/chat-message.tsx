import { Button } from "@/components/ui/button";
import { clock, count, full } from "../format.ts";
import { Markdown } from "../markdown/markdown.tsx";
import { visible } from "../markdown/visible.ts";
import type { Message } from "../queries.ts";
import { teamHue } from "../team-hue.ts";
import { fold } from "./fold.ts";
import { MessageActions } from "./message-actions.tsx";

interface ChatMessageProps {
  message: Message;
  /** Whether the message before it is of the same team, so that the name need not be said again. */
  continues: boolean;
  unfolded: boolean;
  onUnfold: (sequence: number) => void;
}

export const textOf = ({ content }: Message) =>
  typeof content.text === "string" ? content.text : JSON.stringify(content, null, 2);

export function ChatMessage({ message, continues, unfolded, onUnfold }: ChatMessageProps) {
  const text = textOf(message);
  const folded = fold(text);
  return (
    <div className={continues ? "relative px-4 py-0.5" : "relative px-4 pt-3 pb-0.5"}>
      {continues ? null : <MessageHead message={message} />}
      <div className="pl-8 text-sm">
        <Markdown text={folded && !unfolded ? folded : text} />
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
      </div>
      <MessageActions sequence={message.sequence} text={text} />
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

function MessageHead({ message: { postedBy, postedAt, sequence } }: { message: Message }) {
  const name = visible(postedBy?.teamName ?? "unknown");
  const hue = teamHue(postedBy?.handle ?? "");
  return (
    <header className="mb-0.5 flex min-w-0 items-baseline gap-2 text-sm">
      <span
        aria-hidden="true"
        className="grid size-6 shrink-0 place-items-center self-center rounded text-[11px] font-semibold text-white"
        style={{ background: `oklch(0.48 0.11 ${hue})` }}
      >
        {initials(name)}
      </span>
      <span className="truncate font-semibold" title={`${name} (${postedBy?.handle})`}>
        {name}
      </span>
      {postedBy?.kind === "human" ? (
        <span className="shrink-0 rounded border px-1 text-[11px] text-muted-foreground">human</span>
      ) : null}
      <a
        href={`#${sequence}`}
        title={`${full(postedAt)} · message ${sequence}`}
        className="shrink-0 text-xs text-muted-foreground hover:underline"
      >
        <time dateTime={postedAt}>{clock(postedAt)}</time>
      </a>
    </header>
  );
}
