import type { Answer } from "../../connection/api.ts";
import type { Unheard } from "../wake.ts";
import type { Chair } from "./chair.ts";
import type { Life } from "./life.ts";
import type { RunOptions } from "./options.ts";
import { CONCLUDED } from "./outcome.ts";
import type { TaskList } from "./task-list.ts";

const NEVER = Number.POSITIVE_INFINITY;

/** Blocks, at no cost, until there may be something to do; ends a run that nobody speaks to. */
export class Listening {
  #o: RunOptions;
  #life: Life;
  #chair: Chair;
  #tasks: TaskList;
  #unheard: Unheard;
  #newsAt = Date.now();
  /** The first poll after a turn asks for what the team has not confirmed: the agent may have listened itself. */
  #afterTurn = false;

  constructor(options: RunOptions, life: Life, chair: Chair, tasks: TaskList, unheard: Unheard) {
    this.#o = options;
    this.#life = life;
    this.#chair = chair;
    this.#tasks = tasks;
    this.#unheard = unheard;
  }

  turnIsOver() {
    this.#afterTurn = true;
    this.#newsAt = Date.now();
  }

  /** Until there is news, the time of something has come, or somebody rings. */
  async listen(isRung: () => boolean) {
    const { table, state, idleMs, dozeMs } = this.#o;
    const poll = new AbortController();
    const dueAt = this.#unheard.dueAt(Date.now()) ?? NEVER;
    const idleAt = this.#newsAt + idleMs;
    const dozeAt = this.#chair.canDoze ? this.#newsAt + dozeMs : NEVER;
    const news = table.wait(this.#afterTurn ? undefined : state.heard, poll.signal);
    const nudged = this.#life.nudged(Math.min(dueAt, idleAt, dozeAt) - Date.now());
    if (isRung() || this.#life.outcome) this.#life.ring();
    const heard = await Promise.race([news, nudged]).finally(() => this.#life.ring());
    poll.abort();
    await news.catch(() => undefined);
    if (heard) this.#hear(heard);
    else if (Date.now() >= idleAt) this.#life.end({ how: "idle", why: "Nobody has spoken for a while." });
    else if (Date.now() >= dozeAt) await this.#chair.close();
  }

  #hear({ messages, next_cursor, session_closed }: Answer) {
    const { state, store } = this.#o;
    this.#afterTurn = false;
    if (messages.length > 0) this.#newsAt = Date.now();
    this.#unheard.add(messages);
    if (next_cursor > state.heard) {
      state.heard = next_cursor;
      // Where it gives a turn, that is written down with the turn; else now, before the server is told by the next poll.
      if (!this.#unheard.isDue(Date.now())) store.write(state);
    }
    if (messages.some(({ event }: Answer) => typeof event === "string" && event.startsWith("task"))) this.#tasks.hear();
    if (session_closed) this.#life.end(CONCLUDED);
  }
}
