import { useDraggable } from "@dnd-kit/core";
import { Link } from "@tanstack/react-router";
import { CircleHelp, Ellipsis, GripVertical } from "lucide-react";
import { memo, type ReactNode } from "react";
import { RelativeTime } from "@/components/relative-time.tsx";
import { StateBadge } from "@/components/state-badge.tsx";
import { Button } from "@/components/ui/button";
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuLabel,
  DropdownMenuTrigger,
} from "@/components/ui/dropdown-menu";
import { cn } from "@/lib/utils.ts";
import { visibleName } from "@/session/markdown/visible.ts";
import type { Row } from "@/sessions/queries.ts";
import { RosterDots } from "@/sessions/roster-dots.tsx";

interface CardProps {
  row: Row;
  zones: readonly (string | null)[];
  onMove: (id: string, zone: string) => void;
}

export const Card = memo(function Card({ row, zones, onMove }: CardProps) {
  const { attributes, listeners, setNodeRef, isDragging } = useDraggable({ id: row.id });
  const title = visibleName(row.title);
  return (
    <li ref={setNodeRef} className={cn(isDragging && "opacity-40")}>
      <CardFace row={row}>
        <DropdownMenu modal={false}>
          <DropdownMenuTrigger asChild>
            <Button variant="ghost" size="icon-sm" className="relative size-6" aria-label={`Move ${title} to a zone`}>
              <Ellipsis aria-hidden />
            </Button>
          </DropdownMenuTrigger>
          <DropdownMenuContent align="end">
            <DropdownMenuLabel>Move to</DropdownMenuLabel>
            {zones.map(
              (zone) =>
                zone && (
                  <DropdownMenuItem key={zone} disabled={zone === row.zone} onSelect={() => onMove(row.id, zone)}>
                    <bdi>{visibleName(zone)}</bdi>
                  </DropdownMenuItem>
                ),
            )}
          </DropdownMenuContent>
        </DropdownMenu>
        <button
          type="button"
          className="relative cursor-grab touch-none rounded p-1 text-muted-foreground outline-none hover:text-foreground focus-visible:ring-2 focus-visible:ring-ring"
          {...attributes}
          {...listeners}
          aria-label={`Drag ${title}`}
        >
          <GripVertical aria-hidden className="size-4" />
        </button>
      </CardFace>
    </li>
  );
});

export function CardFace({ row, className, children }: { row: Row; className?: string; children?: ReactNode }) {
  return (
    <article className={cn("relative flex flex-col gap-1.5 rounded-md border bg-card p-2.5", className)}>
      <div className="flex items-start gap-1">
        <h3 className="line-clamp-2 min-w-0 grow text-sm font-medium break-words">
          <Link
            to="/s/$ref"
            params={{ ref: row.ref }}
            className="outline-none after:absolute after:inset-0 after:rounded-md focus-visible:after:ring-2 focus-visible:after:ring-ring"
          >
            <bdi>{visibleName(row.title)}</bdi>
          </Link>
        </h3>
        {children}
      </div>
      <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1 text-xs text-muted-foreground tabular-nums">
        <StateBadge state={row.state} />
        <RosterDots row={row} />
        {row.needs > 0 && (
          <span className="rounded-full bg-primary px-1.5 font-medium text-primary-foreground">
            {row.needs}
            <span className="sr-only"> need you</span>
          </span>
        )}
        {row.openQuestions > 0 && (
          <span className="inline-flex items-center gap-0.5" title={`${row.openQuestions} open questions`}>
            <CircleHelp aria-hidden className="size-3" />
            {row.openQuestions}
            <span className="sr-only"> open questions</span>
          </span>
        )}
        <RelativeTime at={row.lastActivityAt} className="ml-auto" />
      </div>
    </article>
  );
}
