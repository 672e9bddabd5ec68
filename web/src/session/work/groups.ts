import { inOrder } from "./order.ts";
import type { Task } from "./queries.ts";

export const GROUPS = ["claimed", "open", "blocked", "done", "dropped"] as const;
export type Group = (typeof GROUPS)[number];

/** By status, each in the order in which it is of interest: what is to be taken first, what was finished last. */
export function groupsOf(tasks: readonly Task[]): Record<Group, Task[]> {
  const groups: Record<Group, Task[]> = { claimed: [], open: [], blocked: [], done: [], dropped: [] };
  for (const task of tasks) groups[task.status as Group]?.push(task);
  for (const name of ["claimed", "open", "blocked"] as const) groups[name].sort(inOrder);
  for (const name of ["done", "dropped"] as const)
    groups[name].sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : a.updatedAt > b.updatedAt ? -1 : b.task - a.task));
  return groups;
}

/** What the tasks that one waits for are at, in words: "claimed by Team Blue". */
function standOf(task: Task, nameOf: (handle: string) => string): string {
  if (task.status === "claimed") return task.holder ? `${nameOf(task.holder.handle)} is at it` : "somebody is at it";
  if (task.status === "open") return "nobody has taken it yet";
  if (task.status === "done") return "done, but not verified";
  return "blocked itself";
}

export interface Wait {
  task: number;
  title: string;
  stand: string;
}

/** Why a task does not move: what it waits for, and how that stands. */
export function waitsFor(
  { blockedBy }: Task,
  find: (task: number) => Task | undefined,
  nameOf: (handle: string) => string,
): Wait[] {
  return blockedBy.map((number) => {
    const needed = find(number);
    return { task: number, title: needed?.title ?? "", stand: needed ? standOf(needed, nameOf) : "not read yet" };
  });
}
