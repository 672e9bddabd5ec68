import { useMemo, useState } from "react";
import { Skeleton } from "@/components/ui/skeleton";
import { useNow } from "@/lib/time.ts";
import { useDocVersions } from "../doc/use-doc-versions.ts";
import { jumpTo } from "../jump.ts";
import { useSession, useSessionStore } from "../store/session-provider.tsx";
import { nameOfTeam } from "../team-name.ts";
import { lanesOf, sequenceAt } from "./lanes.ts";
import { Lanes } from "./lanes-picture.tsx";
import { Legend } from "./legend.tsx";
import { Overview } from "./overview.tsx";
import { useStretch } from "./use-stretch.ts";
import { type TimelineData, useTimeline } from "./use-timeline.ts";
import { isWhole, type Span } from "./zoom.ts";
import { useZoom, ZoomButtons } from "./zoom-buttons.tsx";

const NOW_EVERY_MS = 5_000;

/** The session over time. Pointing tells what was then, pressing moves the feed to it, drawing over a stretch brings it near. */
export default function Timeline({ shown }: { shown: boolean }) {
  const store = useSessionStore();
  const head = useSession((session) => session.head);
  const { data, failed } = useTimeline(store, head.id, shown);
  const now = useNow(NOW_EVERY_MS);
  if (failed && !data) return <p className="px-4 py-2 text-sm">The timeline could not be read.</p>;
  if (!data) return <Skeleton className="m-4 h-24 shrink-0" />;
  const start = Date.parse(head.createdAt);
  const newest = data.marks.at(-1)?.at ?? 0;
  const end = Math.max(head.closedAt ? Date.parse(head.closedAt) : now, newest, start + 1_000);
  return <Picture data={data} whole={{ start, end }} shown={shown} />;
}

function Picture({ data, whole, shown }: { data: TimelineData; whole: Span; shown: boolean }) {
  const { head, last, roster } = useSession(({ head, last, participants }) => ({ head, last, roster: participants }));
  const versions = useDocVersions(head.id, { newest: head.sessionDocVersion, shown, all: true });
  const [chosen, setChosen] = useState<Span>();
  const seen = chosen ?? whole;
  const show = (span: Span | undefined) => setChosen(span && isWhole(span, whole) ? undefined : span);
  const zoom = useZoom(seen, whole, data.marks, show, shown);
  const marks = useStretch(head.id, data.marks, seen, chosen !== undefined);
  const lanes = useMemo(
    () => lanesOf(roster, { ...data, marks }, versions, whole.end),
    [roster, data, marks, versions, whole.end],
  );
  const jump = (at: number) => {
    const sequence = sequenceAt(marks, at);
    if (sequence) jumpTo(sequence);
  };
  return (
    <section aria-label="Timeline" className="flex h-full flex-col gap-2 px-4 pt-2 pb-2">
      <ZoomButtons seen={seen} whole={whole} zoom={zoom} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling box must be reachable by keyboard, and its arrows move in time */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the same can be done by the buttons above */}
      <div tabIndex={0} className="min-h-0 flex-1 overflow-y-auto" onKeyDown={zoom.onKeyDown}>
        <Lanes
          lanes={lanes}
          nameOf={(participant) => nameOfTeam(participant, roster)}
          seen={seen}
          whole={whole}
          onJump={jump}
          onBrush={show}
          onWheel={zoom.around}
        />
        <div className="mt-2 flex flex-col gap-2 text-xs text-muted-foreground">
          {chosen ? <Overview marks={data.marks} whole={whole} seen={seen} onSeen={show} /> : null}
          <Legend />
          <input
            type="range"
            aria-label="Go to a message"
            min={1}
            max={Math.max(1, last)}
            defaultValue={last}
            onChange={(event) => jumpTo(Number(event.target.value), { passing: true })}
            className="sr-only focus:not-sr-only"
          />
        </div>
      </div>
    </section>
  );
}
