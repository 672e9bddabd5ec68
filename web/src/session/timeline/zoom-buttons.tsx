import { ChevronLeft, ChevronRight, Maximize2, ZoomIn, ZoomOut } from "lucide-react";
import { Button } from "@/components/ui/button";
import { IN_SESSION, useCommands } from "@/shell/commands.ts";
import { sequenceInHash } from "../jump.ts";
import type { Mark } from "./use-timeline.ts";
import { isWhole, moved, type Span, zoomed } from "./zoom.ts";

const CLOSER = 0.5;
const STEP = 0.25;

export interface Zoom {
  /** Closer or away, around a moment. */
  around: (factor: number, at: number) => void;
  closer: () => void;
  away: () => void;
  all: () => void;
  move: (share: number) => void;
  onKeyDown: (event: React.KeyboardEvent) => void;
}

/** What moves in time: by buttons, by keys where the picture has the focus, and by commands. */
export function useZoom(
  seen: Span,
  whole: Span,
  marks: readonly Mark[],
  show: (span: Span | undefined) => void,
  shown: boolean,
): Zoom {
  // Around the message that the address names, if it is in sight; else around the newest of what is.
  const middle = () => {
    const named = marks.find(({ sequence }) => sequence === sequenceInHash())?.at;
    const newest = marks.findLast(({ at }) => at >= seen.start && at <= seen.end)?.at;
    return named && named >= seen.start && named <= seen.end ? named : (newest ?? seen.end);
  };
  const around = (factor: number, at: number) => show(zoomed(seen, whole, factor, at));
  const closer = () => around(CLOSER, middle());
  const away = () => around(1 / CLOSER, (seen.start + seen.end) / 2);
  const all = () => show(undefined);
  const move = (share: number) => show(moved(seen, whole, share));
  const keys: Record<string, () => void> = {
    "+": closer,
    "=": closer,
    "-": away,
    "0": all,
    ArrowLeft: () => move(-STEP),
    ArrowRight: () => move(STEP),
    Home: () => show(moved(seen, whole, Number.MIN_SAFE_INTEGER)),
    End: () => show(moved(seen, whole, Number.MAX_SAFE_INTEGER)),
  };
  const group = IN_SESSION;
  useCommands(
    shown
      ? [
          { id: "timeline.closer", title: "Timeline: closer", group, keys: "+", icon: ZoomIn, run: closer },
          { id: "timeline.away", title: "Timeline: farther away", group, keys: "-", icon: ZoomOut, run: away },
          { id: "timeline.all", title: "Timeline: all of it", group, keys: "0", icon: Maximize2, run: all },
        ]
      : [],
  );
  const onKeyDown = (event: React.KeyboardEvent) => {
    const act = event.metaKey || event.ctrlKey || event.altKey ? undefined : keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  };
  return { around, closer, away, all, move, onKeyDown };
}

const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const time = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });

/** "18 Nov, 04:12 – 05:30"; the second day is named where it is another. */
function inWords({ start, end }: Span): string {
  const [from, to] = [day.format(start), day.format(end)];
  return `${from}, ${time.format(start)} – ${from === to ? "" : `${to}, `}${time.format(end)}`;
}

interface ZoomButtonsProps {
  seen: Span;
  whole: Span;
  zoom: Zoom;
}

export function ZoomButtons({ seen, whole, zoom }: ZoomButtonsProps) {
  const all = isWhole(seen, whole);
  const buttons = [
    { label: "Earlier", icon: ChevronLeft, run: () => zoom.move(-STEP), off: seen.start <= whole.start },
    { label: "Later", icon: ChevronRight, run: () => zoom.move(STEP), off: seen.end >= whole.end },
    { label: "Farther away", icon: ZoomOut, run: zoom.away, off: all },
    { label: "Closer", icon: ZoomIn, run: zoom.closer, off: false },
    { label: "All of it", icon: Maximize2, run: zoom.all, off: all },
  ];
  return (
    <div className="flex items-center gap-0.5">
      <p aria-live="polite" className="mr-auto min-w-0 truncate text-xs text-muted-foreground tabular-nums">
        {inWords(seen)}
      </p>
      {buttons.map(({ label, icon: Icon, run, off }) => (
        <Button
          key={label}
          variant="ghost"
          size="icon-sm"
          className="size-7 aria-disabled:opacity-40"
          aria-label={label}
          title={label}
          aria-disabled={off}
          onClick={() => !off && run()}
        >
          <Icon aria-hidden />
        </Button>
      ))}
    </div>
  );
}
