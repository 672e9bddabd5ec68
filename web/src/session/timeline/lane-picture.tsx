import { visibleName } from "../markdown/visible.ts";
import { teamColour } from "../team-colour.ts";
import type { Lane } from "./lanes.ts";

/** Kinds that are looked for have a shape of their own; other words are lines. */
export const SHAPES: Record<string, string> = {
  question: "size-2.5 rounded-full border-2 bg-background",
  decision: "size-2.5 rotate-45 border border-background bg-current",
  blocker: "h-3 w-1.5 bg-destructive!",
  blocked: "h-3 w-1.5 bg-destructive!",
};
const SMALLEST = 0.15;

interface LanePictureProps {
  lane: Lane;
  start: number;
  end: number;
}

export function LanePicture({ lane, start, end }: LanePictureProps) {
  const x = (at: number) => (Math.min(Math.max(0, at - start), end - start) / (end - start)) * 100;
  const isSeen = (from: number, to = from) => to >= start && from <= end;
  const width = (from: number, to: number) => `${Math.max(SMALLEST, x(to) - x(from))}%`;
  const { participant } = lane;
  const tasks = lane.tasks.filter(({ from, to }) => isSeen(from, to));
  const bars = lane.bars.filter(({ from, to }) => isSeen(from, to));
  const marks = lane.marks.filter(({ at }) => isSeen(at));
  const edits = lane.edits.filter(({ at }) => isSeen(at));
  const plain = marks.filter(({ kind }) => !SHAPES[kind]);
  return (
    <div
      role="img"
      aria-label={`${visibleName(participant.teamName)}: ${marks.length} messages, ${tasks.length} tasks, ${edits.length} document edits`}
      className="relative h-9 border-b border-border/60"
      style={{ color: teamColour(participant.id) }}
    >
      {bars.map(({ from, to, status }) => (
        <span
          key={from}
          className={`absolute bottom-0.5 h-1 rounded-full bg-current ${status === "active" ? "opacity-40" : "opacity-20"}`}
          style={{ left: `${x(from)}%`, width: width(from, to) }}
        />
      ))}
      {tasks.map(({ task, from, to, end: ended }) => (
        <span
          key={`${task} ${from}`}
          data-bar={task}
          className={`absolute top-1 h-3 overflow-hidden rounded-sm border border-current bg-current/20 px-0.5 text-[9px] leading-2.5 ${ended === undefined ? "border-r-0" : ""}`}
          style={{ left: `${x(from)}%`, width: width(from, to) }}
        >
          <span className="text-foreground">{task}</span>
        </span>
      ))}
      <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" className="absolute top-5 h-2 w-full">
        {plain.map(({ sequence, at }) => (
          <line
            key={sequence}
            x1={x(at)}
            x2={x(at)}
            y1={0}
            y2={10}
            stroke="currentColor"
            strokeWidth={1.5}
            vectorEffect="non-scaling-stroke"
          />
        ))}
      </svg>
      {marks
        .filter(({ kind }) => SHAPES[kind])
        .map(({ sequence, at, kind }) => (
          <span
            key={sequence}
            className={`absolute top-4.5 -translate-x-1/2 border-current ${SHAPES[kind]}`}
            style={{ left: `${x(at)}%` }}
          />
        ))}
      {edits.map(({ version, at }) => (
        <span
          key={version}
          className="absolute bottom-0 size-1.5 -translate-x-1/2 bg-foreground"
          style={{ left: `${x(at)}%` }}
        />
      ))}
    </div>
  );
}
