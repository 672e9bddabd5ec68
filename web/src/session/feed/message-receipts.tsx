import { CheckCheck } from "lucide-react";
import { useContext, useState } from "react";
import { Button } from "@/components/ui/button";
import { Popover, PopoverContent, PopoverTrigger } from "@/components/ui/popover";
import type { Message } from "../queries.ts";
import { nameOfTeam } from "../team-name.ts";
import { MessageDetails } from "./message-details.tsx";
import { RosterContext, receiptsOf } from "./receipts.ts";

/** How many teams have read a message, and on request which. */
export function MessageReceipts({ message }: { message: Message }) {
  const { roster } = useContext(RosterContext);
  const [open, setOpen] = useState(false);
  const receipts = receiptsOf(message, roster);
  const read = receipts.filter(({ receipt }) => receipt === "read");
  const names = read.map(({ team }) => nameOfTeam(team, roster)).join(", ");
  const summary = read.length > 0 ? `read by ${names}` : "read by nobody yet";
  return (
    <Popover open={open} onOpenChange={setOpen}>
      <PopoverTrigger asChild>
        <Button
          variant="ghost"
          size="sm"
          className="h-7 gap-1 px-1.5 text-xs font-normal text-muted-foreground tabular-nums"
          title={`#${message.sequence} ${summary}`}
          aria-label={`${read.length}/${receipts.length}: message ${message.sequence} ${summary}`}
        >
          <CheckCheck aria-hidden="true" className="size-3.5" />
          {read.length}/{receipts.length}
        </Button>
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
