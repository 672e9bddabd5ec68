import { CheckCheck } from "lucide-react";
import { type ComponentProps, useState } from "react";
import { Button } from "@/components/ui/button";
import { Popover, PopoverContent, PopoverTrigger } from "@/components/ui/popover";
import type { Message } from "../queries.ts";
import { useRoster } from "../store/session-provider.tsx";
import { nameOfTeam } from "../team-name.ts";
import { MessageDetails } from "./message-details.tsx";
import { receiptsOf } from "./receipts.ts";

/** How many teams have read a message, and on request which. */
export function MessageReceipts({ message }: { message: Message }) {
  // Few are ever opened, and a popover draws its row a second time when that is added.
  const [asked, setAsked] = useState(false);
  if (!asked)
    return <Count message={message} aria-haspopup="dialog" aria-expanded={false} onClick={() => setAsked(true)} />;
  return (
    <Popover defaultOpen>
      <PopoverTrigger asChild>
        <Count message={message} />
      </PopoverTrigger>
      <PopoverContent
        align="end"
        aria-label={`Message ${message.sequence}`}
        className="w-72 max-w-[calc(100vw-2rem)] p-3"
      >
        <MessageDetails message={message} />
      </PopoverContent>
    </Popover>
  );
}

function Count({ message, ...props }: { message: Message } & ComponentProps<typeof Button>) {
  const { read, all, names } = useRoster((roster) => {
    const receipts = receiptsOf(message, roster);
    const read = receipts.filter(({ receipt }) => receipt === "read");
    const names = read.map(({ team }) => nameOfTeam(team, roster)).join(", ");
    return { read: read.length, all: receipts.length, names };
  });
  const summary = read > 0 ? `read by ${names}` : "read by nobody yet";
  return (
    <Button
      variant="ghost"
      size="sm"
      className="h-7 gap-1 px-1.5 text-xs font-normal text-muted-foreground tabular-nums"
      title={`#${message.sequence} ${summary}`}
      aria-label={`${read}/${all}: message ${message.sequence} ${summary}`}
      {...props}
    >
      <CheckCheck aria-hidden="true" className="size-3.5" />
      {read}/{all}
    </Button>
  );
}
