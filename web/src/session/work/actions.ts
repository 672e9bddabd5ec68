import type { TypedDocumentNode } from "@urql/core";
import { createContext, useContext, useMemo } from "react";
import { toast } from "sonner";
import { call, type Refusal } from "@/lib/call.ts";
import { AddTasks, ClaimTask, UpdateTask, VerifyTask } from "./queries.ts";
import type { TaskList } from "./task-list.ts";

export interface Draft {
  title: string;
  body?: string;
  depends_on?: string[];
  paths?: string[];
}

/** What a person does with tasks. Each says whether it was done; a refusal is shown in the words of the server. */
export interface TaskActions {
  /** A form shows by itself what was refused; "later" when it was not sent. */
  add(draft: Draft): Promise<Refusal | "later" | undefined>;
  claim(task: number): Promise<boolean>;
  /** Gives it back, takes it back or opens it again. */
  free(task: number): Promise<boolean>;
  finish(task: number, result: string): Promise<boolean>;
  block(task: number, reason: string): Promise<boolean>;
  drop(task: number): Promise<boolean>;
  verify(task: number, passed: boolean): Promise<boolean>;
  prioritise(priorities: ReadonlyMap<number, number>): Promise<boolean>;
}

const ActionsContext = createContext<TaskActions | undefined>(undefined);
export const ActionsProvider = ActionsContext.Provider;

/** Undefined where nothing can be done: the session is over. */
export const useActions = () => useContext(ActionsContext);

interface Change {
  status?: string;
  result?: string;
  priority?: number;
}

/** Before anything is done, whoever acts is asked for a name, where that is needed. */
export function useTaskActions(id: string, list: TaskList, introduce: () => Promise<boolean>): TaskActions {
  return useMemo(() => {
    const act = async <V extends object>(verb: TypedDocumentNode<unknown, V>, ...calls: V[]): Promise<boolean> => {
      if (!(await introduce())) return false;
      let refusal: Refusal | undefined;
      for (const variables of calls) refusal ??= (await call(verb, variables)).refusal;
      if (refusal) toast.error(refusal.message, { description: refusal.hint });
      // Whatever came of it, whoever was faster is seen at once.
      await list.read();
      return !refusal;
    };
    const change = (task: number, to: Change) => ({ id, task, status: null, result: null, priority: null, ...to });
    const update = (task: number, to: Change) => act(UpdateTask, change(task, to));
    return {
      add: async (draft) => {
        if (!(await introduce())) return "later";
        const { refusal } = await call(AddTasks, { id, tasks: [draft], key: crypto.randomUUID() });
        await list.read();
        return refusal;
      },
      claim: (task) => act(ClaimTask, { id, task }),
      free: (task) => update(task, { status: "open" }),
      finish: (task, result) => update(task, { status: "done", result }),
      block: (task, reason) => update(task, { status: "blocked", result: reason }),
      drop: (task) => update(task, { status: "dropped" }),
      verify: (task, passed) => act(VerifyTask, { id, task, passed }),
      prioritise: (priorities) =>
        act(UpdateTask, ...[...priorities].map(([task, priority]) => change(task, { priority }))),
    };
  }, [id, list, introduce]);
}
