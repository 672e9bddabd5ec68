import type { Task } from "./queries.ts";

type Ranked = Pick<Task, "task" | "priority">;

/** The order in which tasks are taken: the highest priority first, then the oldest. */
export const inOrder = (a: Ranked, b: Ranked) => b.priority - a.priority || a.task - b.task;

/** Only of those that are to be taken the order matters. */
export const isOrdered = ({ status }: Pick<Task, "status">) => status === "open" || status === "blocked";

/** The lowest priority with which one comes before the other, and the highest with which it comes after. */
const before = (one: Ranked, other: Ranked) => other.priority + (one.task < other.task ? 0 : 1);
const after = (one: Ranked, other: Ranked) => other.priority - (other.task < one.task ? 0 : 1);

/** The priorities that put a task where it was dropped, for as few tasks as possible. */
export function prioritiesFor(tasks: readonly Ranked[], moved: number, to: number): ReadonlyMap<number, number> {
  const from = tasks.findIndex(({ task }) => task === moved);
  const one = tasks[from];
  if (!one || from === to) return new Map();
  const list = tasks.toSpliced(from, 1).toSpliced(to, 0, one);
  const [raised, lowered] = [pushed(list, to, -1), pushed(list, to, 1)];
  if (!raised || !lowered) return raised ?? lowered ?? new Map();
  return raised.size <= lowered.size ? raised : lowered;
}

/** Puts one next to its neighbour on the one side, and pushes on those on the other for as long as they are in its way. */
function pushed(list: readonly Ranked[], from: number, step: -1 | 1): Map<number, number> | undefined {
  const changed = new Map<number, number>();
  let neighbour = list[from - step];
  if (!neighbour) return undefined;
  for (let at = from, one = list[at]; one; at += step, one = list[at]) {
    if (at !== from && inOrder(one, neighbour) * step > 0) break;
    neighbour = { task: one.task, priority: (step < 0 ? before : after)(one, neighbour) };
    changed.set(one.task, neighbour.priority);
  }
  return changed;
}
