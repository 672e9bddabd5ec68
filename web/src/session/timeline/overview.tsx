import type { Mark } from "./use-timeline.ts";
import { moved, type Span } from "./zoom.ts";

interface OverviewProps {
  marks: readonly Mark[];
  whole: Span;
  seen: Span;
  onSeen: (seen: Span) => void;
}

/** The whole session in a strip, and which part of it is seen above; that is moved by pressing or dragging. */
export function Overview({ marks, whole, seen, onSeen }: OverviewProps) {
  const x = (at: number) => ((at - whole.start) / (whole.end - whole.start)) * 100;
  const follow = (event: React.PointerEvent<HTMLElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const at = whole.start + ((event.clientX - left) / width) * (whole.end - whole.start);
    const length = seen.end - seen.start;
    onSeen(moved({ start: at - length / 2, end: at + length / 2 }, whole, 0));
  };
  return (
    <div
      aria-hidden="true"
      data-overview
      className="relative h-6 cursor-ew-resize touch-pan-y overflow-hidden rounded border bg-muted/40"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        follow(event);
      }}
      onPointerMove={(event) => event.buttons === 1 && follow(event)}
    >
      <svg
        aria-hidden="true"
        viewBox="0 0 100 10"
        preserveAspectRatio="none"
        className="absolute inset-0 size-full text-muted-foreground"
      >
        {marks.map(({ sequence, at }) => (
          <line
            key={sequence}
            x1={x(at)}
            x2={x(at)}
            y1={3}
            y2={7}
            stroke="currentColor"
            strokeWidth={1}
            vectorEffect="non-scaling-stroke"
          />
        ))}
      </svg>
      <span
        className="absolute inset-y-0 min-w-1 rounded border-x-2 border-primary bg-primary/15"
        style={{ left: `${x(seen.start)}%`, width: `${x(seen.end) - x(seen.start)}%` }}
      />
    </div>
  );
}
