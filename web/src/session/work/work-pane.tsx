import { useCallback, useEffect, useMemo, useState } from "react";
import { ErrorState } from "@/components/error-state.tsx";
import { Skeleton } from "@/components/ui/skeleton";
import { useIntroduceFirst } from "@/people/introduce-first.tsx";
import { sessionRoute } from "@/router.tsx";
import { useSession } from "../store/session-provider.tsx";
import { nameOf } from "../team-name.ts";
import { ActionsProvider, useTaskActions } from "./actions.ts";
import { AddTask } from "./add-task.tsx";
import type { Group } from "./groups.ts";
import { HeldPaths } from "./held-paths.tsx";
import { NeedsProvider } from "./needs.ts";
import { type AskedForm, FormsProvider } from "./task-forms.tsx";
import type { TaskList } from "./task-list.ts";
import { rowsOf } from "./task-rows.ts";
import { TasksInOrder } from "./tasks-in-order.tsx";
import { useMoves } from "./use-moves.ts";
import { useWork } from "./use-work.ts";

interface WorkPaneProps {
  list: TaskList;
  /** Whether it is in sight: only then it keeps up. */
  shown: boolean;
}

/** How the work is divided: who has what, what is free, what is stuck and why, what is done. */
export default function WorkPane({ list, shown }: WorkPaneProps) {
  const { sessionId, mayWrite, revision, roster } = useSession(({ head, tasksRevision, participants }) => ({
    sessionId: head.id,
    mayWrite: head.you.mayWrite === true,
    revision: tasksRevision,
    roster: participants,
  }));
  const { work, error } = useWork(list, revision, shown);
  const { introduce, dialog } = useIntroduceFirst();
  const actions = useTaskActions(sessionId, list, introduce);
  const [asked, ask] = useState<AskedForm>();
  const [folded, setFolded] = useState<ReadonlySet<Group>>(new Set(["done", "dropped"]));
  const toggleGroup = useCallback((group: Group) => {
    setFolded((before) => (before.has(group) ? without(before, group) : new Set([...before, group])));
  }, []);

  const { groups, move } = useMoves(work?.tasks, actions);
  const rows = useMemo(() => rowsOf(groups, folded), [groups, folded]);
  const named = useCallback((handle: string) => nameOf(handle, roster), [roster]);
  const needs = useMemo(() => ({ tasks: work?.tasks ?? new Map(), nameOf: named, asked }), [work?.tasks, named, asked]);

  // An address may lead to a task that is folded away.
  const { task: wanted } = sessionRoute.useSearch();
  const group = wanted === undefined ? undefined : (work?.tasks.get(wanted)?.status as Group | undefined);
  useEffect(() => {
    if (group) setFolded((before) => (before.has(group) ? without(before, group) : before));
  }, [group]);

  return (
    <ActionsProvider value={mayWrite ? actions : undefined}>
      <FormsProvider value={ask}>
        <NeedsProvider value={needs}>
          <section aria-label="Work" className="flex h-full min-h-0 flex-col">
            <AddTask />
            {work ? (
              <TasksInOrder rows={rows} move={move} roster={roster} sessionId={sessionId} onGroup={toggleGroup}>
                {work.tasks.size === 0 ? (
                  <p className="px-3 py-4 text-sm text-muted-foreground">
                    The work is not divided yet. Teams add tasks and claim them; so can you.
                  </p>
                ) : null}
                <HeldPaths paths={work.paths} overlaps={work.overlaps} roster={roster} />
              </TasksInOrder>
            ) : error ? (
              <div className="p-4">
                <ErrorState title="The work could not be read" error={error} onRetry={() => void list.read()} />
              </div>
            ) : (
              <div role="status" aria-label="Loading the work" className="space-y-3 p-4">
                <Skeleton className="h-10" />
                <Skeleton className="h-10" />
              </div>
            )}
          </section>
          {dialog}
        </NeedsProvider>
      </FormsProvider>
    </ActionsProvider>
  );
}

const without = <T,>(set: ReadonlySet<T>, one: T): ReadonlySet<T> => new Set([...set].filter((other) => other !== one));
