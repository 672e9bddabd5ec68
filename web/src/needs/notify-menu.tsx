import { Bell } from "lucide-react";
import { Button } from "@/components/ui/button";
import { Popover, PopoverContent, PopoverTrigger } from "@/components/ui/popover";
import { NotifyChoices, useMayBeNotified } from "./notify-choices.tsx";

/** Notifications of what waits in any session. */
export function NotifyMenu() {
  if (!useMayBeNotified()) return null;
  return (
    <Popover>
      <PopoverTrigger asChild>
        <Button variant="outline" size="sm">
          <Bell aria-hidden /> <span className="sr-only sm:not-sr-only">Notify me</span>
        </Button>
      </PopoverTrigger>
      <PopoverContent align="end" aria-label="Notifications" className="w-72 max-w-[calc(100vw-2rem)] p-3">
        <NotifyChoices />
      </PopoverContent>
    </Popover>
  );
}
