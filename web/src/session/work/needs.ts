import { createContext, useContext } from "react";
import { type Wait, waitsFor } from "./groups.ts";
import type { Task } from "./queries.ts";
import type { AskedForm } from "./task-forms.tsx";

/** What a task looks up among the others. */
interface Needs {
  tasks: ReadonlyMap<number, Task>;
  nameOf: (handle: string) => string;
  asked: AskedForm | undefined;
}

const NeedsContext = createContext<Needs>({ tasks: new Map(), nameOf: (handle) => handle, asked: undefined });
export const NeedsProvider = NeedsContext.Provider;

/** The form that was asked for at this task. */
export function useAsked({ task }: Task): AskedForm | undefined {
  const { asked } = useContext(NeedsContext);
  return asked?.task === task ? asked : undefined;
}

export function useWaits(task: Task): Wait[] {
  const { tasks, nameOf } = useContext(NeedsContext);
  return waitsFor(task, (number) => tasks.get(number), nameOf);
}

/** The tasks that wait for this one, or have. */
export function useDependents({ task }: Task): number[] {
  const { tasks } = useContext(NeedsContext);
  return [...tasks.values()].filter(({ dependsOn }) => dependsOn.includes(task)).map((one) => one.task);
}
