import { useMemo, useState } from "react";
import { Skeleton } from "@/components/ui/skeleton";
import { useNow } from "@/lib/time.ts";
import { useDocVersions } from "../doc/use-doc-versions.ts";
import { jumpTo } from "../jump.ts";
import { useSession, useSessionStore } from "../store/session-provider.tsx";
import { nameOfTeam } from "../team-name.ts";
import { ticksOf } from "./axis.ts";
import { HoverCard } from "./hover-card.tsx";
import { LanePicture } from "./lane-picture.tsx";
import { lanesOf, sequenceAt } from "./lanes.ts";
import { useTimeline } from "./use-timeline.ts";

const NOW_EVERY_MS = 5_000;
const TICKS = 4;
/** Of the width: what is nearer to the pointer is meant. */
const REACH = 0.015;
const LEGEND = "bar: task · line: message · circle: question · diamond: decision · square: document · below: there";

/** The session over time. Pointing tells what was then, pressing or dragging moves the feed to it. */
export default function Timeline({ shown }: { shown: boolean }) {
  const store = useSessionStore();
  const { head, last, roster } = useSession(({ head, last, participants }) => ({ head, last, roster: participants }));
  const { data, failed } = useTimeline(store, head.id, shown);
  const versions = useDocVersions(head.id, { newest: head.sessionDocVersion, shown, all: true });
  const now = useNow(NOW_EVERY_MS);
  const start = Date.parse(head.createdAt);
  const newest = data?.marks.at(-1)?.at ?? 0;
  const end = Math.max(head.closedAt ? Date.parse(head.closedAt) : now, newest, start + 1_000);
  const lanes = useMemo(() => (data ? lanesOf(roster, data, versions, end) : []), [roster, data, versions, end]);
  const ticks = useMemo(() => ticksOf(start, end, TICKS), [start, end]);
  const [pointed, setPointed] = useState<{ at: number; lane: number }>();

  if (failed && !data) return <p className="px-4 py-2 text-sm">The timeline could not be read.</p>;
  if (!data) return <Skeleton className="m-4 h-24 shrink-0" />;
  const percent = (at: number) => ((at - start) / (end - start)) * 100;
  const place = (event: React.PointerEvent<HTMLElement>) => {
    const { left, width, top, height } = event.currentTarget.getBoundingClientRect();
    const share = Math.min(1, Math.max(0, (event.clientX - left) / width));
    const lane = Math.floor(((event.clientY - top) / height) * lanes.length);
    return { at: start + share * (end - start), lane };
  };
  const jump = (at: number, passing = false) => {
    const sequence = sequenceAt(data.marks, at);
    if (sequence) jumpTo(sequence, { passing });
  };
  const under = pointed && lanes[pointed.lane];
  return (
    <section aria-label="Timeline" className="flex h-full flex-col px-4 pt-3 pb-2">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling box must be reachable by keyboard */}
      <div tabIndex={0} className="min-h-0 flex-1 overflow-y-auto">
        <div className="flex">
          <ul className="w-24 shrink-0 pt-5 sm:w-32">
            {lanes.map(({ participant }) => (
              <li
                key={participant.id}
                className="h-9 truncate border-b border-border/60 pr-2 text-xs leading-9"
                title={nameOfTeam(participant, roster)}
              >
                <bdi>{nameOfTeam(participant, roster)}</bdi>
              </li>
            ))}
          </ul>
          <div className="relative min-w-0 flex-1">
            <div aria-hidden="true" className="relative h-5 text-[11px] text-muted-foreground tabular-nums">
              {ticks.map(({ at, label }) => (
                <span
                  key={at}
                  className="absolute -translate-x-1/2 whitespace-nowrap"
                  style={{ left: `${percent(at)}%` }}
                >
                  {label}
                </span>
              ))}
            </div>
            <div
              className="relative cursor-crosshair touch-pan-y"
              onPointerMove={(event) => {
                const to = place(event);
                setPointed(to);
                if (event.buttons === 1) jump(to.at, true);
              }}
              onPointerLeave={() => setPointed(undefined)}
              onPointerDown={(event) => jump(place(event).at)}
            >
              {ticks.map(({ at }) => (
                <span
                  key={at}
                  aria-hidden="true"
                  className="pointer-events-none absolute inset-y-0 w-px bg-border"
                  style={{ left: `${percent(at)}%` }}
                />
              ))}
              {lanes.map((lane) => (
                <LanePicture key={lane.participant.id} lane={lane} start={start} end={end} />
              ))}
              {pointed ? (
                <span
                  aria-hidden="true"
                  className="pointer-events-none absolute inset-y-0 w-px bg-foreground"
                  style={{ left: `${percent(pointed.at)}%` }}
                />
              ) : null}
              {pointed && under ? (
                <div
                  className={`pointer-events-none absolute z-10 mt-1 w-64 max-w-full ${percent(pointed.at) > 50 ? "-translate-x-full pr-2" : "pl-2"}`}
                  style={{ left: `${percent(pointed.at)}%`, top: `${((pointed.lane + 1) / lanes.length) * 100}%` }}
                >
                  <HoverCard
                    lane={under}
                    name={nameOfTeam(under.participant, roster)}
                    at={pointed.at}
                    reach={(end - start) * REACH}
                  />
                </div>
              ) : null}
            </div>
          </div>
        </div>
      </div>
      <div className="mt-2 flex items-center gap-3 text-xs text-muted-foreground">
        <span>{LEGEND}</span>
        <input
          type="range"
          aria-label="Go to a message"
          min={1}
          max={Math.max(1, last)}
          defaultValue={last}
          onChange={(event) => jumpTo(Number(event.target.value), { passing: true })}
          className="sr-only focus:not-sr-only focus:flex-1"
        />
      </div>
    </section>
  );
}
