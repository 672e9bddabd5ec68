import { useMemo, useState } from "react";
import { Skeleton } from "@/components/ui/skeleton";
import { useNow } from "@/lib/time.ts";
import { full } from "../format.ts";
import { jumpTo } from "../jump.ts";
import type { Participant, SessionHead } from "../queries.ts";
import { nameOfTeam } from "../team-name.ts";
import { LanePicture } from "./lane-picture.tsx";
import { lanesOf, sequenceAt } from "./lanes.ts";
import { useTimeline } from "./use-timeline.ts";

const NOW_EVERY_MS = 5_000;

interface TimelineProps {
  head: SessionHead;
  participants: Participant[];
}

/** The session over time. Pointing reads the time, pressing or dragging moves the feed to it. */
export function Timeline({ head, participants }: TimelineProps) {
  const { data, failed } = useTimeline(head.id, head.lastSequence);
  const now = useNow(NOW_EVERY_MS);
  const start = Date.parse(head.createdAt);
  const end = Math.max(head.closedAt ? Date.parse(head.closedAt) : now, data?.marks.at(-1)?.at ?? 0, start + 1_000);
  const lanes = useMemo(() => (data ? lanesOf(participants, data, end) : []), [participants, data, end]);
  const [pointed, setPointed] = useState<number>();

  if (failed && !data) return <p className="border-b px-4 py-2 text-sm">The timeline could not be read.</p>;
  if (!data) return <Skeleton className="m-4 h-24 shrink-0" />;
  const timeOf = (event: React.PointerEvent<HTMLElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    return start + Math.min(1, Math.max(0, (event.clientX - left) / width)) * (end - start);
  };
  const nearest = pointed === undefined ? undefined : sequenceAt(data.marks, pointed);
  const jump = (at: number, passing = false) => {
    const sequence = sequenceAt(data.marks, at);
    if (sequence) jumpTo(sequence, { passing });
  };
  return (
    <section aria-label="Timeline" className="shrink-0 border-b px-4 py-2">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling box must be reachable by keyboard */}
      <div tabIndex={0} className="flex max-h-[26vh] overflow-y-auto">
        <ul className="w-24 shrink-0 sm:w-36">
          {lanes.map(({ participant }) => (
            <li
              key={participant.id}
              className="h-5 truncate pr-2 text-xs leading-5"
              title={nameOfTeam(participant, participants)}
            >
              <bdi>{nameOfTeam(participant, participants)}</bdi>
            </li>
          ))}
        </ul>
        <div
          className="relative min-w-0 flex-1 cursor-crosshair touch-pan-y self-start"
          onPointerMove={(event) => {
            setPointed(timeOf(event));
            if (event.buttons === 1) jump(timeOf(event), true);
          }}
          onPointerLeave={() => setPointed(undefined)}
          onPointerDown={(event) => jump(timeOf(event))}
        >
          {lanes.map((lane) => (
            <LanePicture key={lane.participant.id} lane={lane} start={start} end={end} />
          ))}
          {pointed === undefined ? null : (
            <span
              aria-hidden="true"
              className="pointer-events-none absolute inset-y-0 w-px bg-foreground"
              style={{ left: `${((pointed - start) / (end - start)) * 100}%` }}
            />
          )}
        </div>
      </div>
      <div className="mt-1 flex items-center gap-3 text-xs text-muted-foreground">
        <span className="shrink-0">bar: there · line: message · diamond: document</span>
        <input
          type="range"
          aria-label="Go to a message"
          min={1}
          max={Math.max(1, head.lastSequence)}
          defaultValue={head.lastSequence}
          onChange={(event) => jumpTo(Number(event.target.value), { passing: true })}
          className="sr-only focus:not-sr-only focus:flex-1"
        />
        <span className="ml-auto truncate">
          {pointed === undefined ? full(head.createdAt) : full(new Date(pointed).toISOString())}
          {nearest ? ` · #${nearest}` : ""}
        </span>
      </div>
    </section>
  );
}
