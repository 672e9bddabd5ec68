import { useEffect, useMemo, useRef, useState } from "react";
import type { Participant } from "../queries.ts";
import { ticksOf } from "./axis.ts";
import { HoverCard } from "./hover-card.tsx";
import { LanePicture } from "./lane-picture.tsx";
import type { Lane } from "./lanes.ts";
import { brushed, type Span } from "./zoom.ts";

const TICKS = 5;
/** Of the width: what is nearer to the pointer is meant. */
const REACH = 0.015;
/** Of the width: a hand that presses moves a little. */
const STILL = 0.01;

interface LanesProps {
  lanes: readonly Lane[];
  nameOf: (participant: Participant) => string;
  seen: Span;
  whole: Span;
  onJump: (at: number) => void;
  onBrush: (span: Span) => void;
  onWheel: (factor: number, at: number) => void;
}

/** The axis and a lane for each team. */
export function Lanes({ lanes, nameOf, seen, whole, onJump, onBrush, onWheel }: LanesProps) {
  const { start, end } = seen;
  const ticks = useMemo(() => ticksOf(start, end, TICKS), [start, end]);
  const [pointed, setPointed] = useState<{ at: number; lane: number }>();
  const [brush, setBrush] = useState<{ from: number; to: number }>();
  const picture = useRef<HTMLDivElement>(null);
  const percent = (at: number) => ((at - start) / (end - start)) * 100;
  const place = ({ clientX, clientY }: { clientX: number; clientY: number }) => {
    const { left, width, top, height } = (picture.current as HTMLElement).getBoundingClientRect();
    const share = Math.min(1, Math.max(0, (clientX - left) / width));
    const lane = Math.floor(((clientY - top) / height) * lanes.length);
    return { at: start + share * (end - start), lane };
  };
  useWheel(picture, (event) => onWheel(event.deltaY < 0 ? 0.8 : 1.25, place(event).at));
  const release = () => {
    if (!brush) return;
    setBrush(undefined);
    if (Math.abs(brush.to - brush.from) < (end - start) * STILL) onJump(brush.from);
    else onBrush(brushed(brush.from, brush.to, whole));
  };
  const under = pointed && lanes[pointed.lane];
  return (
    <div className="flex">
      <ul className="w-24 shrink-0 pt-5 sm:w-32">
        {lanes.map(({ participant }) => (
          <li
            key={participant.id}
            className="h-9 truncate border-b border-border/60 pr-2 text-xs leading-9"
            title={nameOf(participant)}
          >
            <bdi>{nameOf(participant)}</bdi>
          </li>
        ))}
      </ul>
      <div className="relative min-w-0 flex-1">
        <div aria-hidden="true" className="relative h-5 text-[11px] text-muted-foreground tabular-nums">
          {ticks.map(({ at, label }) => (
            <span
              key={at}
              className={`absolute whitespace-nowrap ${percent(at) < 5 ? "" : percent(at) > 95 ? "-translate-x-full" : "-translate-x-1/2"}`}
              style={{ left: `${percent(at)}%` }}
            >
              {label}
            </span>
          ))}
        </div>
        <div
          ref={picture}
          data-lanes
          className="relative cursor-crosshair touch-pan-y overflow-x-clip select-none"
          onPointerDown={(event) => {
            if (event.button !== 0) return;
            event.currentTarget.setPointerCapture(event.pointerId);
            const { at } = place(event);
            setBrush({ from: at, to: at });
          }}
          onPointerMove={(event) => {
            const to = place(event);
            setPointed(to);
            setBrush((drawn) => drawn && { ...drawn, to: to.at });
          }}
          onPointerUp={release}
          onPointerCancel={() => setBrush(undefined)}
          onPointerLeave={() => setPointed(undefined)}
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
          {brush ? (
            <span
              aria-hidden="true"
              className="pointer-events-none absolute inset-y-0 border-x border-primary bg-primary/15"
              style={{
                left: `${percent(Math.min(brush.from, brush.to))}%`,
                width: `${Math.abs(percent(brush.to) - percent(brush.from))}%`,
              }}
            />
          ) : null}
          {pointed && !brush ? (
            <span
              aria-hidden="true"
              className="pointer-events-none absolute inset-y-0 w-px bg-foreground"
              style={{ left: `${percent(pointed.at)}%` }}
            />
          ) : null}
        </div>
        {pointed && under && !brush ? (
          <div
            className={`pointer-events-none absolute z-10 mt-6 w-64 max-w-full ${percent(pointed.at) > 50 ? "-translate-x-full pr-2" : "pl-2"}`}
            style={{
              left: `${percent(pointed.at)}%`,
              top: `calc((100% - 1.25rem) * ${(pointed.lane + 1) / lanes.length})`,
            }}
          >
            <HoverCard lane={under} name={nameOf(under.participant)} at={pointed.at} reach={(end - start) * REACH} />
          </div>
        ) : null}
      </div>
    </div>
  );
}

/** With Ctrl or ⌘, as maps have it: the wheel alone scrolls. React's own listener could not keep the page from being zoomed. */
function useWheel(ref: React.RefObject<HTMLElement | null>, zoom: (event: WheelEvent) => void) {
  const latest = useRef(zoom);
  latest.current = zoom;
  useEffect(() => {
    const element = ref.current;
    const onWheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      latest.current(event);
    };
    element?.addEventListener("wheel", onWheel, { passive: false });
    return () => element?.removeEventListener("wheel", onWheel);
  }, [ref]);
}
