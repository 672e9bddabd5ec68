import { Link } from "@tanstack/react-router";
import { Archive, ArchiveRestore, CircleHelp, CornerDownRight } from "lucide-react";
import { memo } from "react";
import { RelativeTime } from "@/components/relative-time.tsx";
import { StateBadge } from "@/components/state-badge.tsx";
import { Button } from "@/components/ui/button";
import { messageLine } from "@/lib/message-text.ts";
import { cn } from "@/lib/utils.ts";
import { lastRead } from "@/session/feed/read-marks.ts";
import { visibleName } from "@/session/markdown/visible.ts";
import type { Row } from "./queries.ts";
import { RosterDots, teamsOf } from "./roster-dots.tsx";

/** Each row is one link, and j and k go from link to link. */
export const ROW_LINK = "data-session-link";

interface SessionRowProps {
  row: Row;
  /** Below what it comes from. */
  indented?: boolean;
  away: boolean;
  onArchive: (row: Row, archived: boolean) => void;
}

/** A line on a laptop, a few on a phone. Drawn again when its session has changed, and not before. */
export const SessionRow = memo(function SessionRow({ row, indented = false, away, onArchive }: SessionRowProps) {
  const read = lastRead(row.id);
  const unread = read === undefined ? 0 : Math.max(row.lastCursor - read, 0);
  const title = visibleName(row.title);
  const Away = away ? ArchiveRestore : Archive;
  return (
    <li
      data-session={row.id}
      className="group relative grid grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-x-3 gap-y-0.5 px-3 py-2 hover:bg-accent/60 has-[a:focus-visible]:bg-accent/60 md:h-9 md:grid-cols-[5.75rem_minmax(0,5fr)_minmax(0,6fr)_9.5rem_5.5rem] md:py-0"
    >
      <StateBadge state={row.state} />
      <h2 className="flex min-w-0 items-center gap-2 text-sm font-medium">
        {indented && <CornerDownRight aria-hidden className="size-3.5 shrink-0 text-muted-foreground" />}
        <Link
          to="/s/$ref"
          params={{ ref: row.ref }}
          {...{ [ROW_LINK]: row.id }}
          className="min-w-0 truncate outline-none after:absolute after:inset-0 after:rounded-sm focus-visible:after:ring-2 focus-visible:after:ring-ring focus-visible:after:ring-inset"
        >
          <bdi>{title}</bdi>
        </Link>
        <Marks row={row} unread={unread} isNew={read === undefined} />
        <span className="ml-auto hidden shrink-0 truncate font-mono text-xs font-normal text-muted-foreground lg:inline">
          {row.ref}
        </span>
      </h2>
      <Said row={row} />
      <RosterDots row={row} className="order-4 col-span-2 md:order-none md:col-span-1" />
      <div className="order-5 flex items-center justify-end text-xs text-muted-foreground tabular-nums md:order-none">
        <RelativeTime
          at={row.lastActivityAt}
          className="whitespace-nowrap md:group-focus-within:hidden md:group-hover:hidden"
        />
        <Button
          variant="ghost"
          size="icon-sm"
          className="relative hidden size-7 md:group-focus-within:inline-flex md:group-hover:inline-flex"
          aria-label={away ? `Take ${title} back into the list` : `Put ${title} away`}
          title={away ? "Back into the list" : "Put away (e)"}
          onClick={() => onArchive(row, !away)}
        >
          <Away aria-hidden />
        </Button>
      </div>
    </li>
  );
});

function Marks({ row, unread, isNew }: { row: Row; unread: number; isNew: boolean }) {
  return (
    <span className="flex shrink-0 items-center gap-1 text-xs font-medium tabular-nums">
      {row.needs > 0 && (
        <span className="rounded-full bg-primary px-1.5 text-primary-foreground" title={`${row.needs} need you`}>
          {row.needs}
          <span className="sr-only"> need you</span>
        </span>
      )}
      {unread > 0 && (
        <span className="rounded-full bg-muted px-1.5 text-foreground" title={`${unread} unread`}>
          +{unread}
          <span className="sr-only"> unread</span>
        </span>
      )}
      {isNew && row.state !== "concluded" && (
        <span className="size-1.5 rounded-full bg-primary" title="Not opened yet">
          <span className="sr-only">not opened yet</span>
        </span>
      )}
      {row.openQuestions > 0 && (
        <span
          className="inline-flex items-center gap-0.5 font-normal text-muted-foreground"
          title={`${row.openQuestions} open questions`}
        >
          <CircleHelp aria-hidden className="size-3" />
          {row.openQuestions}
          <span className="sr-only"> open questions</span>
        </span>
      )}
      {row.paused && <span className="font-normal text-idle-foreground">paused</span>}
    </span>
  );
}

/** How it ended; else who does what, or what was said last. */
function Said({ row }: { row: Row }) {
  const doing =
    row.state === "live" ? teamsOf(row).find((team) => team.doing && team.activity !== "silent") : undefined;
  const continues = row.relation === "resumed" && row.origin;
  return (
    <p className="order-3 col-span-3 min-w-0 truncate text-xs text-muted-foreground md:order-none md:col-span-1">
      {continues && (
        <>
          ↳ continues <span className="font-mono">{row.origin}</span> ·{" "}
        </>
      )}
      {row.conclusion ? (
        <bdi>{visibleName(row.conclusion)}</bdi>
      ) : (
        <>
          {doing && (
            <>
              <bdi className="text-foreground">{visibleName(doing.teamName)}</bdi> is at{" "}
              <bdi>{visibleName(doing.doing ?? "")}</bdi> ·{" "}
            </>
          )}
          {row.said ? (
            <>
              {row.saidBy && <bdi className="text-foreground">{visibleName(row.saidBy)}: </bdi>}
              <bdi className={cn(!row.saidBy && "italic")}>{messageLine(row.said)}</bdi>
            </>
          ) : (
            <bdi>{visibleName(row.description) || "Nothing said yet"}</bdi>
          )}
        </>
      )}
    </p>
  );
}
