import { BellDot } from "lucide-react";
import { Button } from "@/components/ui/button";
import { Popover, PopoverContent, PopoverTrigger } from "@/components/ui/popover";
import { SessionNeed, useInbox } from "../inbox.tsx";

/** What waits for a person: answered from wherever one is in the feed. */
export function NeedsYou() {
  const { needs } = useInbox();
  if (needs.length === 0) return null;
  const words = needs.length === 1 ? "1 thing needs you" : `${needs.length} things need you`;
  return (
    <Popover>
      <PopoverTrigger asChild>
        <Button
          size="sm"
          variant="secondary"
          className="h-8 shrink-0 gap-1 bg-highlight px-2 tabular-nums hover:bg-highlight/80"
          title={words}
        >
          <BellDot aria-hidden />
          <span className="sr-only">{words}</span>
          <span aria-hidden>
            <span className="max-lg:hidden">Needs you</span> {needs.length}
          </span>
        </Button>
      </PopoverTrigger>
      <PopoverContent
        align="end"
        aria-label="What needs you"
        className="max-h-[70vh] w-[28rem] max-w-[calc(100vw-1.5rem)] overflow-y-auto p-2"
      >
        <ul className="flex flex-col gap-2">
          {needs.map((need) => (
            <SessionNeed key={need.id} need={need} />
          ))}
        </ul>
      </PopoverContent>
    </Popover>
  );
}
