import { visibleName } from "../markdown/visible.ts";
import { teamHue } from "../team-hue.ts";
import type { Lane } from "./lanes.ts";

const WIDTH = 1_000;
const HEIGHT = 20;

export function LanePicture({ lane, start, end }: { lane: Lane; start: number; end: number }) {
  const x = (at: number) => (Math.max(0, at - start) / (end - start)) * WIDTH;
  const colour = `oklch(0.6 0.13 ${teamHue(lane.participant.handle)})`;
  return (
    <div className="relative h-5">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        className="block h-5 w-full"
        role="img"
        aria-label={`${visibleName(lane.participant.teamName)}: ${lane.edits.length} document edits`}
      >
        <line x1={0} x2={WIDTH} y1={10} y2={10} stroke="var(--border)" vectorEffect="non-scaling-stroke" />
        {lane.bars.map(({ from, to, status }) => (
          <rect
            key={from}
            x={x(from)}
            width={Math.max(1, x(to) - x(from))}
            y={status === "active" ? 5 : 8}
            height={status === "active" ? 10 : 4}
            fill={colour}
            opacity={status === "active" ? 0.45 : 0.25}
          />
        ))}
        {lane.marks.map(({ sequence, at }) => (
          <line
            key={sequence}
            x1={x(at)}
            x2={x(at)}
            y1={3}
            y2={17}
            stroke={colour}
            strokeWidth={1.5}
            vectorEffect="non-scaling-stroke"
          />
        ))}
      </svg>
      {lane.edits.map((at) => (
        <span
          key={at}
          aria-hidden="true"
          className="pointer-events-none absolute top-1.5 size-2 -translate-x-1/2 rotate-45 border border-background bg-foreground"
          style={{ left: `${x(at) / (WIDTH / 100)}%` }}
        />
      ))}
    </div>
  );
}
