import { useDroppable } from "@dnd-kit/core";
import { cn } from "@/lib/utils.ts";
import { visibleName } from "@/session/markdown/visible.ts";
import type { Row } from "@/sessions/queries.ts";
import { Card } from "./card.tsx";

interface ZoneProps {
  name: string;
  zones: readonly (string | null)[];
  cards: Row[];
  onMove: (id: string, zone: string) => void;
}

export function Zone({ name, zones, cards, onMove }: ZoneProps) {
  const { setNodeRef, isOver } = useDroppable({ id: name });
  return (
    <section
      ref={setNodeRef}
      aria-label={name}
      className={cn(
        "flex min-w-0 shrink-0 flex-col gap-2 rounded-lg border bg-muted/40 p-2 sm:min-w-72 sm:max-w-xl sm:flex-1",
        isOver && "border-primary bg-accent",
      )}
    >
      <h2 className="flex items-center gap-2 px-1 text-sm font-medium">
        <bdi className="truncate">{visibleName(name)}</bdi>
        <span className="text-xs font-normal text-muted-foreground tabular-nums">{cards.length}</span>
      </h2>
      <ul aria-label={name} className="flex min-h-16 flex-col gap-2">
        {cards.map((card) => (
          <Card key={card.id} row={card} zones={zones} onMove={onMove} />
        ))}
        {cards.length === 0 && (
          <li className="rounded-md border border-dashed px-3 py-5 text-center text-xs text-muted-foreground">
            Nothing here yet
          </li>
        )}
      </ul>
    </section>
  );
}
