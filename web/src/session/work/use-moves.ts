import { useCallback, useMemo, useRef, useState } from "react";
import type { TaskActions } from "./actions.ts";
import { type Group, groupsOf } from "./groups.ts";
import { isOrdered, prioritiesFor } from "./order.ts";
import type { Task } from "./queries.ts";

const NONE: ReadonlyMap<number, number> = new Map();

/** The tasks in their groups. What is moved stands in its new place at once; the server has the last word. */
export function useMoves(tasks: ReadonlyMap<number, Task> | undefined, actions: TaskActions) {
  const [moved, setMoved] = useState(NONE);
  const underWay = useRef(0);
  const groups = useMemo(() => {
    const all = [...(tasks?.values() ?? [])];
    return groupsOf(moved.size === 0 ? all : all.map((task) => withPriority(task, moved.get(task.task))));
  }, [tasks, moved]);
  const move = useCallback(
    (task: Task, by: number): boolean => {
      const group = groups[task.status as Group];
      const to = group.findIndex((one) => one.task === task.task) + by;
      if (!isOrdered(task) || by === 0 || to < 0 || to >= group.length) return false;
      const priorities = prioritiesFor(group, task.task, to);
      setMoved((before) => new Map([...before, ...priorities]));
      underWay.current++;
      void actions.prioritise(priorities).finally(() => {
        underWay.current--;
        if (underWay.current === 0) setMoved(NONE);
      });
      return true;
    },
    [groups, actions],
  );
  return { groups, move };
}

const withPriority = (task: Task, priority: number | undefined): Task =>
  priority === undefined || priority === task.priority ? task : { ...task, priority };
