import { CircleHelp } from "lucide-react";
import { useRef, useState } from "react";
import { Button } from "@/components/ui/button";
import { cn } from "@/lib/utils.ts";
import { useCommands } from "@/shell/commands.ts";
import { NeedCard } from "./need-card.tsx";
import type { Need } from "./queries.ts";

const SHOWN = 4;

/** What waits for a person, over all sessions, each answered where it stands. */
export default function NeedsYou({ needs, onAnswered }: { needs: Need[]; onAnswered: () => void }) {
  const [all, setAll] = useState(false);
  const list = useRef<HTMLUListElement>(null);
  const toFirst = () => list.current?.querySelector<HTMLElement>("button, a")?.focus();
  useCommands([
    { id: "needs.first", title: "What needs you", group: "Sessions", keys: "i", icon: CircleHelp, run: toFirst },
  ]);
  const shown = all ? needs : needs.slice(0, SHOWN);
  return (
    <section aria-label="Needs you" className="flex flex-col gap-2 rounded-lg border border-primary/40 bg-card p-3">
      <h2 className="flex items-center gap-2 text-sm font-semibold">
        Needs you
        <span className="rounded-full bg-primary px-1.5 text-xs text-primary-foreground tabular-nums">
          {needs.length}
        </span>
        {needs.length > SHOWN && (
          <Button
            variant="ghost"
            size="sm"
            className="ml-auto h-6 px-2 text-xs"
            aria-expanded={all}
            onClick={() => setAll(!all)}
          >
            {all ? "Fewer" : `All ${needs.length}`}
          </Button>
        )}
      </h2>
      <ul ref={list} className={cn("grid gap-2 lg:grid-cols-2", !all && "max-sm:[&>li:nth-child(n+3)]:hidden")}>
        {shown.map((need) => (
          <NeedCard key={need.id} need={need} onAnswered={onAnswered} />
        ))}
      </ul>
    </section>
  );
}
