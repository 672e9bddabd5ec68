import { useEffect, useSyncExternalStore } from "react";
import type { TaskList } from "./task-list.ts";

/** Keeps up while it is in sight; what changed meanwhile is read when it comes back. */
export function useWork(list: TaskList, revision: number, shown: boolean) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the revision says when there is something new
  useEffect(() => {
    if (shown) void list.read();
  }, [list, revision, shown]);
  return useSyncExternalStore(list.subscribe, list.getState);
}
