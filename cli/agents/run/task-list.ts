import type { Answer } from "../../connection/api.ts";
import { Refusal } from "../../errors.ts";
import type { Life } from "./life.ts";
import type { RunOptions } from "./options.ts";

const NUDGES = 2;

/** The tasks that the run works through, or the one that it was started for. */
export class TaskList {
  #o: Pick<RunOptions, "state" | "store" | "table" | "tasks">;
  #life: Life;
  #given: Answer | undefined;
  #nudges = 0;
  #shallLook = false;

  constructor(options: Pick<RunOptions, "state" | "store" | "table" | "tasks">, life: Life) {
    this.#o = options;
    this.#life = life;
  }

  /** What is to be told to the agent about a task, once. */
  take(): Answer | undefined {
    const given = this.#given;
    this.#given = undefined;
    return given;
  }

  async begin() {
    if (this.#o.tasks || this.#o.state.task) await this.#claim();
  }

  async look() {
    if (this.#shallLook) await this.#claim();
  }

  /** Some of the list has changed. */
  hear() {
    this.#shallLook ||= this.#o.tasks && !this.#o.state.task;
  }

  /** The next task, if there is one; without any left, the run has done what it was started for. */
  async #claim() {
    const { state, store, table } = this.#o;
    this.#shallLook = false;
    const claimed = await table.claim(state.task ? { task: state.task } : {}).catch((error) => {
      if (!(error instanceof Refusal) || error.code !== "session_paused") throw error;
    });
    if (!claimed) {
      // That it goes on is heard.
      this.#shallLook = true;
      return;
    }
    if (claimed.task !== null) {
      this.#nudges = 0;
      state.task = claimed.task;
      this.#given = claimed;
      store.write(state);
    } else if (claimed.open + claimed.blocked + claimed.claimed === 0) {
      this.#life.end({ how: "done", why: "No task is left." });
    }
  }

  /** After a turn: a task that is still its own is brought to its mind, twice at most. */
  async lookAfter() {
    const { state, store, table, tasks } = this.#o;
    if (!state.task) {
      this.#shallLook = tasks;
      return;
    }
    const task = await table.task(state.task);
    const isMine = task?.status === "claimed" && task.claimed_by === state.handle;
    if (isMine && this.#nudges < NUDGES) {
      this.#nudges += 1;
      this.#given = { task: state.task, nudge: true };
    } else if (!isMine) {
      delete state.task;
      store.write(state);
      this.#shallLook = tasks;
    }
  }
}
