import { Users } from "lucide-react";
import { ActivityDot } from "@/components/activity-dot.tsx";
import { visibleName } from "../markdown/visible.ts";
import type { Participant } from "../queries.ts";
import { HUMANS } from "./mentions.ts";

export type Suggestion = Participant | typeof HUMANS;

export const handleOf = (one: Suggestion) => (one === HUMANS ? HUMANS : one.handle);

interface CompletionProps {
  id: string;
  suggested: Suggestion[];
  chosen: number;
  onPick: (handle: string) => void;
}

/** Who may be meant by what is typed behind an @. The keyboard stays in the text: the arrows move, Enter picks. */
export function Completion({ id, suggested, chosen, onPick }: CompletionProps) {
  return (
    <div
      id={id}
      role="listbox"
      aria-label="Who is meant"
      className="absolute bottom-full left-0 z-10 mb-1 max-h-64 w-72 max-w-full overflow-y-auto rounded-md border bg-popover p-1 text-sm shadow-md"
    >
      {suggested.map((one, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the text has the keyboard
        // biome-ignore lint/a11y/useFocusableInteractive: as above
        <div
          key={handleOf(one)}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === chosen}
          className="flex cursor-pointer items-center gap-2 rounded-sm px-2 py-1.5 aria-selected:bg-accent"
          // The text keeps the focus.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onPick(handleOf(one))}
        >
          <span className="shrink-0 font-mono text-xs">@{handleOf(one)}</span>
          {one === HUMANS ? (
            <span className="ml-auto inline-flex items-center gap-1.5 text-xs text-muted-foreground">
              <Users aria-hidden className="size-3" /> any person
            </span>
          ) : (
            <>
              <bdi className="min-w-0 truncate text-muted-foreground">{visibleName(one.teamName)}</bdi>
              <ActivityDot activity={one.activity} className="ml-auto" />
            </>
          )}
        </div>
      ))}
    </div>
  );
}
