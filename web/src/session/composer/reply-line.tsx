import { Reply, X } from "lucide-react";
import { Button } from "@/components/ui/button";
import { messageLine } from "@/lib/message-text.ts";
import { JumpLink } from "../feed/jump-link.tsx";
import type { Message, Participant } from "../queries.ts";
import { nameOfTeam } from "../team-name.ts";

interface ReplyLineProps {
  sequence: number;
  /** Undefined while it is looked up. */
  message: Message | undefined;
  roster: readonly Participant[];
  onDrop: () => void;
}

/** What the words that are being written will stand under. */
export function ReplyLine({ sequence, message, roster, onDrop }: ReplyLineProps) {
  return (
    <p className="mb-1 flex min-w-0 items-center gap-1.5 text-xs text-muted-foreground">
      <Reply aria-hidden className="size-3.5 shrink-0" />
      <span className="shrink-0">
        Reply to <JumpLink to={sequence}>#{sequence}</JumpLink>
      </span>
      {message ? (
        <bdi className="min-w-0 truncate">
          {message.postedBy ? `${nameOfTeam(message.postedBy, roster)}: ` : ""}
          {messageLine(message.content)}
        </bdi>
      ) : null}
      <Button
        type="button"
        variant="ghost"
        size="icon"
        className="ml-auto size-6"
        aria-label="No reply"
        onClick={onDrop}
      >
        <X aria-hidden />
      </Button>
    </p>
  );
}
