import { FileText, Link } from "lucide-react";
import { toast } from "sonner";
import { Button } from "@/components/ui/button";
import type { Message } from "../queries.ts";
import { MessageReceipts } from "./message-receipts.tsx";

async function copy(text: string, said: string) {
  try {
    await navigator.clipboard.writeText(text);
    toast.success(said);
  } catch {
    toast.error("The browser did not allow copying.");
  }
}

/** Seen when the message is pointed at, tapped or focused. */
export function MessageActions({ message, text }: { message: Message; text: string }) {
  const { sequence } = message;
  const link = () => `${location.origin}${location.pathname}#${sequence}`;
  return (
    <div className="absolute top-0.5 right-2 flex rounded-md border bg-background opacity-0 shadow-xs focus-within:opacity-100 group-hover/message:opacity-100 group-focus-within/message:opacity-100 has-data-[state=open]:opacity-100">
      <MessageReceipts message={message} />
      <Button
        variant="ghost"
        size="icon"
        className="size-7"
        title={`Copy link to #${sequence}`}
        aria-label={`Copy link to message ${sequence}`}
        onClick={() => copy(link(), "Link copied")}
      >
        <Link className="size-3.5" />
      </Button>
      <Button
        variant="ghost"
        size="icon"
        className="size-7"
        title="Copy as markdown"
        aria-label={`Copy message ${sequence} as markdown`}
        onClick={() => copy(text, "Markdown copied")}
      >
        <FileText className="size-3.5" />
      </Button>
    </div>
  );
}
