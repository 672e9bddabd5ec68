import {
  closestCenter,
  DndContext,
  type DragEndEvent,
  MouseSensor,
  TouchSensor,
  useSensor,
  useSensors,
} from "@dnd-kit/core";
import { SortableContext, verticalListSortingStrategy } from "@dnd-kit/sortable";
import { useVirtualizer } from "@tanstack/react-virtual";
import { ChevronDown, ChevronRight } from "lucide-react";
import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { sessionRoute } from "@/router.tsx";
import type { Participant } from "../queries.ts";
import { useActions } from "./actions.ts";
import type { Group } from "./groups.ts";
import { isOrdered } from "./order.ts";
import type { Task } from "./queries.ts";
import { TaskRow } from "./task-row.tsx";
import type { Row } from "./task-rows.ts";

const ROW = 56;
const NAMES: Record<Group, string> = {
  claimed: "Claimed",
  open: "Open",
  blocked: "Blocked",
  done: "Done",
  dropped: "Dropped",
};
interface TasksInOrderProps {
  rows: readonly Row[];
  /** Gives a task another place in its group; false where there is none. */
  move: (task: Task, by: number) => boolean;
  roster: readonly Participant[];
  sessionId: string;
  onGroup: (group: Group) => void;
  /** What stands below the list. */
  children: React.ReactNode;
}

/** The list of tasks: only what is in sight is there, so that a thousand are as quick as ten. */
export function TasksInOrder({ rows, move, roster, sessionId, onGroup, children }: TasksInOrderProps) {
  const actions = useActions();
  const scroller = useRef<HTMLDivElement>(null);
  const [expanded, setExpanded] = useState<ReadonlySet<number>>(new Set());
  const toggle = useCallback((task: number) => {
    setExpanded((before) => {
      const after = new Set(before);
      if (!after.delete(task)) after.add(task);
      return after;
    });
  }, []);
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    getItemKey: (index) => rows[index]?.key ?? index,
    overscan: 8,
  });
  const wanted = useWanted(rows, (index) => list.scrollToIndex(index, { align: "center" }));

  const focusOn = (index: number) => {
    list.scrollToIndex(index);
    // It may not be there before the list has scrolled.
    requestAnimationFrame(() =>
      scroller.current?.querySelector<HTMLElement>(`[data-index="${index}"] [data-main]`)?.focus(),
    );
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    const row = (event.target as HTMLElement).closest<HTMLElement>("[data-index]");
    if (!by || !row || event.metaKey || event.ctrlKey) return;
    event.preventDefault();
    const index = Number(row.dataset.index);
    const at = rows[index];
    if (!event.altKey) return focusOn(Math.min(rows.length - 1, Math.max(0, index + by)));
    if (at?.kind === "task" && move(at.task, by)) focusOn(index + by);
  };
  const sensors = useSensors(
    useSensor(MouseSensor, { activationConstraint: { distance: 4 } }),
    useSensor(TouchSensor, { activationConstraint: { delay: 150, tolerance: 8 } }),
  );
  const onDragEnd = ({ active, over }: DragEndEvent) => {
    const [from, to] = [active.id, over?.id].map((id) => rows.findIndex((row) => row.key === id));
    const [one, other] = [rows[from ?? -1], rows[to ?? -1]];
    if (one?.kind === "task" && other?.kind === "task" && one.task.status === other.task.status)
      move(one.task, (to ?? 0) - (from ?? 0));
  };

  const items = list.getVirtualItems();
  const ids = useMemo(() => rows.filter((row) => row.kind === "task").map(({ key }) => key), [rows]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the buttons in it
    <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto" onKeyDown={onKeyDown}>
      <DndContext sensors={sensors} collisionDetection={closestCenter} onDragEnd={onDragEnd}>
        <SortableContext items={ids} strategy={verticalListSortingStrategy}>
          <div className="relative w-full" style={{ height: list.getTotalSize() }}>
            <ul
              aria-label="Tasks"
              className="absolute inset-x-0 top-0"
              style={{ transform: `translateY(${items[0]?.start ?? 0}px)` }}
            >
              {items.map(({ key, index }) => {
                const row = rows[index];
                if (!row) return null;
                return (
                  <li key={key} data-index={index} ref={list.measureElement}>
                    {row.kind === "group" ? (
                      <GroupHead row={row} onGroup={onGroup} />
                    ) : (
                      <TaskRow
                        sessionId={sessionId}
                        task={row.task}
                        roster={roster}
                        expanded={expanded.has(row.task.task)}
                        highlighted={wanted === row.task.task}
                        movable={actions !== undefined && isOrdered(row.task)}
                        onToggle={toggle}
                      />
                    )}
                  </li>
                );
              })}
            </ul>
          </div>
        </SortableContext>
      </DndContext>
      {children}
    </div>
  );
}

function GroupHead({ row, onGroup }: { row: Row & { kind: "group" }; onGroup: (group: Group) => void }) {
  const Chevron = row.folded ? ChevronRight : ChevronDown;
  return (
    <h3 className="border-b bg-muted/40 text-xs font-medium text-muted-foreground">
      <button
        type="button"
        data-main
        aria-expanded={!row.folded}
        className="flex w-full items-center gap-1 px-1 py-1.5 text-left"
        onClick={() => onGroup(row.group)}
      >
        <Chevron aria-hidden="true" className="size-3.5" />
        {NAMES[row.group]} <span className="font-normal tabular-nums">{row.count}</span>
      </button>
    </h3>
  );
}

/** The task that the address names is brought into sight and marked. */
function useWanted(rows: readonly Row[], show: (index: number) => void): number | undefined {
  const { task } = sessionRoute.useSearch();
  const index = task === undefined ? -1 : rows.findIndex((row) => row.key === task);
  const latest = useRef(show);
  latest.current = show;
  const found = index >= 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when another is named, or it has come, not when it moves
  useEffect(() => {
    if (found) latest.current(index);
  }, [task, found]);
  return task;
}
