import { oneLineWithCode } from "@/lib/message-text.ts";
import { full } from "../format.ts";
import { visibleName } from "../markdown/visible.ts";
import { contentOf } from "../queries.ts";
import { useSessionStore } from "../store/session-provider.tsx";
import type { Lane } from "./lanes.ts";

interface HoverCardProps {
  lane: Lane;
  name: string;
  at: number;
  /** How far from the pointer something may be and still be meant. */
  reach: number;
}

/** What is under the pointer: the nearest message, the task that was in hand, the version that was written. */
export function HoverCard({ lane, name, at, reach }: HoverCardProps) {
  const { feed } = useSessionStore();
  const mark = nearest(lane.marks, at, reach);
  const edit = nearest(lane.edits, at, reach);
  const tasks = lane.tasks.filter(({ from, to }) => from - reach <= at && at <= to + reach);
  const message = mark && feed.get(mark.sequence);
  const text = message && contentOf(message).text;
  return (
    <div className="grid gap-0.5 rounded-md border bg-popover px-2.5 py-1.5 text-xs text-popover-foreground shadow-md">
      <p className="flex gap-2">
        <bdi className="truncate font-medium">{name}</bdi>
        <span className="ml-auto shrink-0 text-muted-foreground">{full(new Date(mark?.at ?? at).toISOString())}</span>
      </p>
      {mark ? (
        <p className="line-clamp-2 break-words">
          <span className="text-muted-foreground">
            #{mark.sequence} {mark.kind === "message" ? "" : visibleName(mark.kind)}
          </span>{" "}
          {typeof text === "string" ? <bdi>{visibleName(oneLineWithCode(text)).slice(0, 200)}</bdi> : null}
        </p>
      ) : null}
      {tasks.slice(0, 3).map(({ task, title, end }) => (
        <p key={task} className="truncate">
          <span className="text-muted-foreground">task {task}</span> <bdi>{visibleName(title)}</bdi>
          {end ? <span className="text-muted-foreground">, {end}</span> : null}
        </p>
      ))}
      {edit ? <p className="text-muted-foreground">wrote version {edit.version} of the document</p> : null}
    </div>
  );
}

function nearest<T extends { at: number }>(all: readonly T[], at: number, reach: number): T | undefined {
  let best: T | undefined;
  for (const one of all) {
    const distance = Math.abs(one.at - at);
    if (distance <= reach && (!best || distance < Math.abs(best.at - at))) best = one;
  }
  return best;
}
