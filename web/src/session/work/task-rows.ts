import { GROUPS, type Group } from "./groups.ts";
import type { Task } from "./queries.ts";

export type Row =
  | { kind: "group"; key: string; group: Group; count: number; folded: boolean }
  | { kind: "task"; key: number; task: Task };

/** What stands in the list, from top to bottom: each group, and its tasks unless it is folded. */
export function rowsOf(groups: Record<Group, readonly Task[]>, folded: ReadonlySet<Group>): Row[] {
  return GROUPS.flatMap((group): Row[] => {
    const tasks = groups[group];
    if (tasks.length === 0) return [];
    const head: Row = { kind: "group", key: group, group, count: tasks.length, folded: folded.has(group) };
    return head.folded ? [head] : [head, ...tasks.map((task): Row => ({ kind: "task", key: task.task, task }))];
  });
}
