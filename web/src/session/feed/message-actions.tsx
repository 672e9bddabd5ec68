import { FileText, Link, Reply } from "lucide-react";
import { Button } from "@/components/ui/button";
import { copyText } from "@/lib/clipboard.ts";
import { replyTo } from "../composer/reply.ts";
import type { Message } from "../queries.ts";
import { useSession } from "../store/session-provider.tsx";
import { MessageReceipts } from "./message-receipts.tsx";

/** Seen when the message is pointed at, tapped or focused. */
export function MessageActions({ message, text }: { message: Message; text: string }) {
  const { sequence } = message;
  const mayWrite = useSession(({ head }) => head.you.mayWrite);
  const link = () => `${location.origin}${location.pathname}#${sequence}`;
  return (
    <div className="absolute top-0.5 right-2 z-6 flex rounded-md border bg-background opacity-0 shadow-xs focus-within:opacity-100 group-hover/message:opacity-100 group-focus-within/message:opacity-100 has-data-[state=open]:opacity-100">
      {mayWrite ? (
        <Button
          variant="ghost"
          size="icon"
          className="size-7"
          title="Reply (r)"
          aria-label={`Reply to message ${sequence}`}
          onClick={() => replyTo(sequence)}
        >
          <Reply className="size-3.5" />
        </Button>
      ) : null}
      <MessageReceipts message={message} />
      <Button
        variant="ghost"
        size="icon"
        className="size-7"
        title={`Copy link to #${sequence}`}
        aria-label={`Copy link to message ${sequence}`}
        onClick={() => copyText(link(), "Link copied")}
      >
        <Link className="size-3.5" />
      </Button>
      <Button
        variant="ghost"
        size="icon"
        className="size-7"
        title="Copy as markdown"
        aria-label={`Copy message ${sequence} as markdown`}
        onClick={() => copyText(text, "Markdown copied")}
      >
        <FileText className="size-3.5" />
      </Button>
    </div>
  );
}
