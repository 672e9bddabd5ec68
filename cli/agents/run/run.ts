import type { Order } from "../desk.ts";
import { firstPrompt, handoffPrompt, newsPrompt, nudgePrompt, orderPrompt, taskPrompt } from "../prompts.ts";
import { Unheard } from "../wake.ts";
import { Chair } from "./chair.ts";
import { Life } from "./life.ts";
import { Listening } from "./listening.ts";
import type { RunOptions } from "./options.ts";
import { endBySignal, type Outcome, outcomeOf } from "./outcome.ts";
import { Speech } from "./speech.ts";
import { TaskList } from "./task-list.ts";
import { type Prompt, Turns } from "./turns.ts";

/** An agent at the table. It waits for free; when something gives it a turn, it gets one, with everything that is new. */
export class Run {
  #o: RunOptions;
  #life = new Life();
  #unheard: Unheard;
  #chair: Chair;
  #speech: Speech;
  #tasks: TaskList;
  #listening: Listening;
  #turns: Turns;
  #orders: Order[] = [];

  constructor(options: RunOptions) {
    this.#o = options;
    this.#unheard = new Unheard(options.state.handle, options.wake);
    this.#chair = new Chair(options, this.#life);
    this.#speech = new Speech(options, this.#life, this.#unheard);
    this.#tasks = new TaskList(options, this.#life);
    this.#listening = new Listening(options, this.#life, this.#chair, this.#tasks, this.#unheard);
    this.#turns = new Turns(options, this.#life, this.#chair, this.#speech, async () => {
      this.#listening.turnIsOver();
      await this.#tasks.lookAfter();
    });
    this.#life.onEnd = () => {
      this.#chair.cancel();
      options.table.hurry();
    };
    options.table.onInterrupt = () => this.#chair.cancel();
    options.desk.onGone = (error) => this.#life.end(outcomeOf(error));
    options.desk.onOrder = (order) => this.#order(order);
  }

  async go(): Promise<Outcome> {
    const { signal, desk } = this.#o;
    const stop = () => this.#life.end(endBySignal(signal));
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    try {
      await this.#rounds();
    } catch (error) {
      if (!this.#life.outcome) this.#life.end(outcomeOf(error));
    }
    signal.removeEventListener("abort", stop);
    const outcome = this.#life.outcome ?? { how: "failed", why: "It ended without a reason." };
    await this.#chair.close();
    await desk.end(outcome);
    return outcome;
  }

  async #rounds() {
    await this.#chair.start();
    await this.#greet();
    while (!this.#life.outcome) {
      const prompt = await this.#next();
      if (prompt) await this.#turns.take(prompt);
      else if (!this.#life.outcome) await this.#listening.listen(() => this.#orders.length > 0);
    }
  }

  /** What it begins with: the session; or, after a restart, the turn that was cut off. */
  async #greet() {
    const { state, table } = this.#o;
    if (state.heard > state.told) this.#unheard.add(await table.between(state.told, state.heard));
    await this.#tasks.begin();
    if (state.turn) return this.#turns.again();
    if (this.#chair.isBriefed || this.#life.outcome) return;
    const first = state.turns === 0 ? firstPrompt(state.instructions) : "You were started again. Go on.";
    const task = this.#tasks.take();
    this.#unheard.take(Date.now());
    const { upTo } = await this.#chair.brief();
    const before = state.turns === 0 && state.handoff && handoffPrompt(state.handoff);
    const text = [before, first, task && taskPrompt(task)].filter(Boolean).join("\n\n");
    await this.#turns.take({ text, upTo: Math.max(upTo, state.heard), why: "the session" });
  }

  /** Everything that is there, as one turn; or nothing. */
  async #next(): Promise<Prompt | undefined> {
    const { state } = this.#o;
    await this.#tasks.look();
    const order = this.#orders.shift();
    const isDue = this.#unheard.isDue(Date.now());
    const task = this.#tasks.take();
    if (!order && !isDue && !task) return undefined;
    const questions = this.#unheard.questions;
    const messages = this.#unheard.take(Date.now());
    const parts = [
      order && orderPrompt(order),
      task && (task.nudge ? nudgePrompt(task.task) : taskPrompt(task)),
      messages.length > 0 && newsPrompt(messages, state.handle),
    ].filter(Boolean);
    const reply = questions.length === 1 && !order ? questions[0].cursor : undefined;
    return {
      text: parts.join("\n\n"),
      upTo: Math.max(state.heard, messages.at(-1)?.cursor ?? 0),
      why: order ? "a prompt" : messages.length > 0 ? `#${messages.at(-1)?.cursor}` : `task ${task?.task}`,
      ...(order && { order: order.order }),
      ...(reply && { replyTo: reply }),
    };
  }

  #order(order: Order) {
    if (order.kind === "prompt") this.#orders.push(order);
    else this.#o.desk.tell({ orders_done: [order.order] });
    if (order.kind === "interrupt") this.#chair.cancel();
    if (order.kind === "stop") this.#life.end({ how: "stopped", why: `${order.by ?? "Somebody"} has stopped it.` });
    this.#life.ring();
  }
}
