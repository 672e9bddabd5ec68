import { Reply } from "lucide-react";
import { messageLine } from "@/lib/message-text.ts";
import { visibleName } from "../markdown/visible.ts";
import type { Message } from "../queries.ts";
import { JumpLink } from "./jump-link.tsx";

interface QuoteProps {
  sequence: number;
  /** Undefined while it is looked up. */
  message: Message | undefined;
  onFollow: (sequence: number) => void;
}

/** What a reply answers, in one line that leads to it. */
export function Quote({ sequence, message, onFollow }: QuoteProps) {
  const { teamName, handle } = message?.postedBy ?? {};
  const name = message?.type === "chat" ? visibleName(teamName ?? "unknown") : "";
  return (
    <JumpLink
      to={sequence}
      onFollow={onFollow}
      title={`In reply to #${sequence}${handle ? ` of ${handle}` : ""}`}
      className="mb-0.5 flex w-fit max-w-full min-w-0 items-center gap-1.5 text-xs"
    >
      <Reply aria-hidden="true" className="size-3 shrink-0" />
      <span className="sr-only">In reply to message {sequence} </span>
      <bdi className="max-w-40 shrink-0 truncate font-medium">{name || `#${sequence}`}</bdi>
      <span dir="auto" className="min-w-0 truncate">
        {message ? messageLine(message.content) : "…"}
      </span>
    </JumpLink>
  );
}
