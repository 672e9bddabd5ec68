import { ask } from "@/lib/ask.ts";
import { type HeldPath, type Overlap, type Task, TasksQuery, taskOf } from "./queries.ts";

export interface Work {
  tasks: ReadonlyMap<number, Task>;
  paths: readonly HeldPath[];
  overlaps: readonly Overlap[];
}

interface WorkState {
  /** Undefined until it was read. */
  work: Work | undefined;
  error: Error | undefined;
}

/** The tasks of a session and the paths that are held: read once, then what has changed since. */
export class TaskList {
  readonly #id: string;
  readonly #listeners = new Set<() => void>();
  #state: WorkState = { work: undefined, error: undefined };
  #reading: Promise<void> | undefined;
  #again = false;

  constructor(id: string) {
    this.#id = id;
  }

  readonly getState = () => this.#state;

  readonly subscribe = (listener: () => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** What happens while it reads is read once more after it. */
  readonly read = (): Promise<void> => {
    if (this.#reading) this.#again = true;
    this.#reading ??= this.#readOn().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  };

  async #readOn() {
    do {
      this.#again = false;
      try {
        this.#set({ work: await this.#readWork(), error: undefined });
      } catch (error) {
        this.#set({ ...this.#state, error: error as Error });
      }
    } while (this.#again);
  }

  async #readWork(): Promise<Work> {
    const known = this.#state.work;
    const tasks = new Map(known?.tasks);
    const since = known ? newestOf(known.tasks) : null;
    let changed = !known;
    let after: string | null = null;
    for (;;) {
      const { tasksSince, heldPaths, overlaps } = await this.#readPage(since, after);
      for (const task of tasksSince.nodes.map(taskOf)) {
        if (JSON.stringify(tasks.get(task.task)) === JSON.stringify(task)) continue;
        tasks.set(task.task, task);
        changed = true;
      }
      after = tasksSince.pageInfo.endCursor;
      if (!tasksSince.pageInfo.hasNextPage)
        return { tasks: known && !changed ? known.tasks : tasks, paths: heldPaths.nodes, overlaps: overlaps.nodes };
    }
  }

  async #readPage(since: string | null, after: string | null) {
    const { data, error } = await ask(TasksQuery, { id: this.#id, since, after });
    if (error || !data?.session) throw error ?? new Error("The session is gone.");
    return data.session;
  }

  #set(state: WorkState) {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

const newestOf = (tasks: ReadonlyMap<number, Task>) => {
  let newest: string | null = null;
  for (const { updatedAt } of tasks.values()) if (!newest || updatedAt > newest) newest = updatedAt;
  return newest;
};
