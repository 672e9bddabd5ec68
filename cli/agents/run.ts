import type { RequestPermissionRequest, RequestPermissionResponse } from "@agentclientprotocol/sdk";
import type { Answer } from "../connection/api.ts";
import { Refusal, Trouble } from "../errors.ts";
import { type Agent, AgentGone, AgentRefused } from "./acp.ts";
import type { Desk, Order } from "./desk.ts";
import type { AgentCommand } from "./known.ts";
import { type Limits, whyNoMore } from "./limits.ts";
import { answer, CANCELLED, choose, decide, type Permissions } from "./permission.ts";
import {
  againPrompt,
  briefing,
  firstPrompt,
  newsPrompt,
  nudgePrompt,
  orderPrompt,
  reminder,
  SILENT,
  taskPrompt,
} from "./prompts.ts";
import type { Screen } from "./screen.ts";
import type { RunState, Store } from "./state.ts";
import type { Table } from "./table.ts";
import { TurnLog } from "./turn.ts";
import { Unheard, type Wake } from "./wake.ts";
import { describeWorktree } from "./worktree.ts";

export type Voice = "tools" | "all" | "none";

export interface RunOptions {
  command: AgentCommand;
  state: RunState;
  store: Store;
  table: Place;
  desk: Desk;
  start: (options: Parameters<typeof Agent.start>[0]) => Promise<Seated>;
  screen: Screen;
  /** Aborted: it stops politely. */
  signal: AbortSignal;
  wake: Wake;
  voice: Voice;
  permissions: Permissions;
  limits: Limits;
  /** Whether it takes one task after another. */
  tasks: boolean;
  idleMs: number;
  /** After how long without a turn its process is ended until the next one, if it can remember. */
  dozeMs: number;
  /** How long a turn may go on without a sign of life. */
  patienceMs: number;
  /** Whether a provider's quota that ran out is waited out. */
  park: boolean;
}

/** What a run asks of the session, and of the agent's process. */
export type Place = Pick<
  Table,
  "onInterrupt" | "wait" | "confirm" | "latest" | "between" | "post" | "claim" | "task" | "lines"
>;
export type Seated = Pick<
  Agent,
  "title" | "conversation" | "remembers" | "canRemember" | "prompt" | "cancel" | "close" | "kill"
>;

/** How a run ended. */
export interface Outcome {
  how: "concluded" | "idle" | "stopped" | "done" | "limit" | "failed";
  why: string;
}

const TRIES = 3;
const NUDGES = 2;
const CANCEL_MS = 10_000;
const PARK_MS = 60_000;
const LONGEST_PARK_MS = 30 * 60_000;
const PAUSED_MS = 5_000;
const LONGEST_WORDS = 60_000;
const QUOTA = /quota|rate.?limit|usage limit|too many requests|credit balance|overloaded|\b429\b|\b529\b/i;

/**
 * An agent at the table. It waits for free; when something gives it a turn, it gets one, with everything that is new.
 *
 * Exactly one: that a turn has begun is written down before the agent is asked, and the cursor is confirmed to the
 * server only then. Who is killed before that hears the same again; who is killed later takes the turn up again.
 */
export class Run {
  #o: RunOptions;
  #agent: Seated | undefined;
  #unheard: Unheard;
  #orders: Order[] = [];
  #task: Answer | undefined;
  #nudges = 0;
  #lookForTask = false;
  #newsAt = Date.now();
  #log: TurnLog | undefined;
  #lastSignOfLife = 0;
  #asking = 0;
  #outcome: Outcome | undefined;
  /** Whether the agent knows where it is. */
  #briefed = false;
  #briefing: { text: string; upTo: number } | undefined;
  /** How much of the feed was there when it was last looked at. */
  #feedEnd = 0;
  #wakeUp: () => void = () => undefined;
  /** The first poll after a turn asks for what the team has not confirmed: the agent may have listened itself. */
  #afterTurn = false;

  constructor(options: RunOptions) {
    this.#o = options;
    this.#unheard = new Unheard(options.state.handle, options.wake);
    options.table.onInterrupt = () => void this.#agent?.cancel();
  }

  get #state() {
    return this.#o.state;
  }

  async go(): Promise<Outcome> {
    const { signal, desk } = this.#o;
    const stop = () => this.#end({ how: "stopped", why: "It was asked to stop." });
    signal.addEventListener("abort", stop, { once: true });
    desk.onOrder = (order) => this.#order(order);
    try {
      await this.#rounds();
    } catch (error) {
      if (!this.#outcome) this.#end(ofError(error));
    }
    signal.removeEventListener("abort", stop);
    const outcome = this.#outcome ?? { how: "failed", why: "It ended without a reason." };
    await this.#agent?.close();
    await desk.end(outcome);
    return outcome;
  }

  async #rounds() {
    this.#agent = await this.#start();
    await this.#greet();
    while (!this.#outcome) {
      const prompt = await this.#next();
      if (prompt) await this.#take(prompt);
      else if (!this.#outcome) await this.#listen();
    }
  }

  /** What it begins with: the session; or, after a restart, the turn that was cut off. */
  async #greet() {
    const state = this.#state;
    if (state.heard > state.told) this.#unheard.add(await this.#o.table.between(state.told, state.heard));
    if (this.#o.tasks || state.task) await this.#claim();
    if (state.turn) return this.#again();
    if (this.#briefed || this.#outcome) return;
    const first = state.turns === 0 ? firstPrompt(state.instructions) : "You were started again. Go on.";
    const task = this.#task;
    this.#task = undefined;
    this.#unheard.take(Date.now());
    const { upTo } = await this.#brief();
    const text = [first, task && taskPrompt(task)].filter(Boolean).join("\n\n");
    await this.#take({ text, upTo: Math.max(upTo, state.heard), why: "the session" });
  }

  /** The session as it is at one moment, and the last message of that moment. */
  async #brief(): Promise<{ text: string; upTo: number }> {
    const { table, state } = this.#o;
    const catchUp = await table.lines("/catch-up");
    const again = state.instructions && state.turns > 1 ? reminder(state.instructions) : "";
    const upTo = Number(/ last_cursor (\d+)/.exec(catchUp.split("\n")[0] ?? "")?.[1] ?? 0);
    this.#briefing = { text: briefing(state, catchUp) + again, upTo };
    return this.#briefing;
  }

  async #start(): Promise<Seated> {
    const { command, state, permissions, desk, screen } = this.#o;
    const agent = await this.#o.start({
      agent: command,
      cwd: state.cwd,
      parley: {
        url: `${state.url}/mcp?session=${encodeURIComponent(state.ref)}`,
        teamId: state.team_id,
        key: state.key,
      },
      load: state.conversation,
      handlers: {
        update: (update) => {
          this.#lastSignOfLife = Date.now();
          this.#log?.add(update);
        },
        permission: (request, signal) => this.#permission(request, signal, permissions),
      },
    });
    this.#briefed = agent.remembers;
    state.conversation = agent.conversation;
    this.#o.store.write(state);
    screen.seated(state, agent.title);
    desk.tell({ status: "waiting" });
    return agent;
  }

  /** Everything that is there, as one turn; or nothing. */
  async #next(): Promise<Prompt | undefined> {
    if (this.#lookForTask) await this.#claim();
    const order = this.#orders.shift();
    const isDue = this.#unheard.isDue(Date.now());
    const task = this.#task;
    if (!order && !isDue && !task) return undefined;
    this.#task = undefined;
    const questions = this.#unheard.questions;
    const messages = this.#unheard.take(Date.now());
    const parts = [
      order && orderPrompt(order),
      task && (task.nudge ? nudgePrompt(task.task) : taskPrompt(task)),
      messages.length > 0 && newsPrompt(messages, this.#state.handle),
    ].filter(Boolean);
    const reply = questions.length === 1 && !order ? questions[0].cursor : undefined;
    return {
      text: parts.join("\n\n"),
      upTo: Math.max(this.#state.heard, messages.at(-1)?.cursor ?? 0),
      why: order ? "a prompt" : messages.length > 0 ? `#${messages.at(-1)?.cursor}` : `task ${task?.task}`,
      ...(order && { order: order.order }),
      ...(reply && { replyTo: reply }),
    };
  }

  async #take({ text, upTo, why, order, replyTo }: Prompt) {
    const state = this.#state;
    const { limits, desk, store } = this.#o;
    const no = whyNoMore(state, limits);
    if (no) return this.#limit(no);
    // The server has said so in the feed.
    if (desk.whyNoTurn) return this.#end({ how: "limit", why: desk.whyNoTurn });
    const since = Math.max(upTo, state.heard, this.#feedEnd);
    state.turns += 1;
    state.turn = {
      number: state.turns,
      prompt: text,
      upTo,
      since,
      tries: 0,
      ...(order && { order }),
      ...(replyTo && { replyTo }),
    };
    state.told = Math.max(state.told, upTo);
    state.heard = Math.max(state.heard, upTo);
    store.write(state);
    await this.#attempt(text, why);
  }

  /** After a restart, of this process or of the agent's: the turn that had begun is finished. */
  async #again() {
    const { turn, handle } = this.#state;
    if (!turn) return;
    if (turn.words !== undefined) return this.#finish();
    if (turn.tries >= TRIES) return this.#give(`${turn.tries} attempts at one turn failed.`);
    const posted = (await this.#o.table.latest()).filter(({ mine, cursor }) => mine && cursor > turn.since);
    await this.#attempt(againPrompt(turn.prompt, posted, handle), "the turn that was cut off");
  }

  async #attempt(text: string, why: string): Promise<void> {
    const { store, table, screen, desk } = this.#o;
    const { turn } = this.#state;
    if (!turn) return;
    const log = new TurnLog((event) => {
      screen.event(event);
      desk.event(event);
    });
    this.#log = log;
    const began = Date.now();
    let confirmed: Promise<unknown> = Promise.resolve();
    try {
      const agent = this.#agent ?? (await this.#start());
      this.#agent = agent;
      this.#lastSignOfLife = Date.now();
      const before = this.#briefed ? "" : (this.#briefing ?? (await this.#brief())).text;
      this.#briefed = true;
      this.#briefing = undefined;
      const ended = this.#watched(agent, agent.prompt(before + text));
      screen.begins(turn.number, why);
      desk.event({ kind: "prompt", text });
      desk.tell({ status: "working", turn_cursor: turn.upTo });
      confirmed = table.confirm(turn.upTo).catch((error) => this.#unlessClosed(error));
      const { stopReason, usage } = await ended;
      log.end();
      await confirmed;
      this.#count(log, usage?.totalTokens);
      screen.ended({ stopReason, tools: log.tools, ms: Date.now() - began, state: this.#state });
      turn.words = stopReason === "cancelled" ? "" : log.lastWords;
      store.write(this.#state);
      await this.#finish();
    } catch (error) {
      log.end();
      await confirmed;
      if (this.#outcome) return;
      await this.#afterFailure(error);
    } finally {
      this.#log = undefined;
    }
  }

  /** An agent that gives no sign of life is told to end its turn, and then ended. */
  async #watched<T>(agent: Seated, ended: Promise<T>): Promise<T> {
    let cancelledAt = 0;
    const timer = setInterval(
      () => {
        const silent = this.#asking === 0 && Date.now() - this.#lastSignOfLife > this.#o.patienceMs;
        if (!cancelledAt && (silent || this.#outcome)) {
          cancelledAt = Date.now();
          void agent.cancel();
        } else if (cancelledAt && Date.now() - cancelledAt > CANCEL_MS) agent.kill();
      },
      Math.min(500, this.#o.patienceMs),
    );
    return ended.finally(() => clearInterval(timer));
  }

  async #afterFailure(error: unknown): Promise<void> {
    const { turn } = this.#state;
    const { screen, desk } = this.#o;
    if (!(error instanceof Trouble) || error instanceof Refusal || !turn) throw error;
    turn.tries += 1;
    this.#o.store.write(this.#state);
    const quota = error instanceof AgentRefused && QUOTA.test(error.message);
    if (quota && this.#o.park) {
      const pause = Math.min(PARK_MS * 2 ** (turn.parked ?? 0), LONGEST_PARK_MS);
      if (!turn.parked) await this.#say(`Parked: ${error.message} It goes on when the provider lets it.`, "parked");
      turn.parked = (turn.parked ?? 0) + 1;
      turn.tries -= 1;
      this.#o.store.write(this.#state);
      desk.tell({ status: "waiting", error: error.message });
      screen.note(`${error.message} Trying again in ${Math.round(pause / 60_000)} min.`);
      await this.#pause(pause);
      if (!this.#outcome) await this.#again();
      return;
    }
    screen.note(error.message);
    if (quota || turn.tries >= TRIES) return this.#give(error.message);
    if (error instanceof AgentGone) {
      await this.#agent?.close();
      this.#agent = undefined;
    } else await this.#pause(1_000 * turn.tries);
    if (!this.#outcome) await this.#again();
  }

  /** What came of the turn is said, once, and then it is over. */
  async #finish() {
    const { store, table, desk, voice } = this.#o;
    const state = this.#state;
    const { turn } = state;
    if (!turn) return;
    const latest = await table.latest();
    this.#feedEnd = latest.at(-1)?.cursor ?? 0;
    const mine = latest.filter((message) => message.mine && message.type === "chat" && message.cursor > turn.since);
    for (const { cursor } of mine) this.#unheard.asked.add(cursor);
    const words = turn.words ?? "";
    const isSaid = voice === "none" || words === "" || words === SILENT || (voice === "tools" && mine.length > 0);
    if (!isSaid) {
      const question = turn.replyTo !== undefined;
      await this.#post({
        content: words.length > LONGEST_WORDS ? `${words.slice(0, LONGEST_WORDS)}\n… cut` : words,
        client_message_id: `${state.id}-${turn.number}`,
        ...(question && { reply_to: turn.replyTo, kind: "answer" }),
      });
    }
    const order = turn.order !== undefined && { orders_done: [turn.order] };
    delete state.turn;
    store.write(state);
    this.#afterTurn = true;
    this.#newsAt = Date.now();
    const worktree = state.worktree ? { worktree: describeWorktree(state.cwd) } : {};
    desk.tell({
      status: "waiting",
      usage: { tokens: state.tokens, cost: state.cost, turns: state.turns },
      ...order,
      ...worktree,
    });
    await this.#lookAfterTask();
  }

  /** Said for the agent. A session that is paused is waited for; a refusal costs the words, not the run. */
  async #post(message: Record<string, unknown>): Promise<void> {
    for (;;) {
      try {
        const { cursor } = await this.#o.table.post(message);
        this.#unheard.asked.add(cursor);
        this.#feedEnd = Math.max(this.#feedEnd, cursor);
        return this.#o.screen.posted(cursor);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        if (error.code === "session_paused" && !this.#outcome) {
          await this.#pause(PAUSED_MS);
          continue;
        }
        // The same words, as far as the server can tell: they were said before this process was restarted.
        if (error.code !== "idempotency_conflict") this.#o.screen.note(`Not posted: ${error.message}`);
        return this.#unlessClosed(error, true);
      }
    }
  }

  /** A sentence of the run itself, in the feed. */
  async #say(text: string, name: string) {
    const { id, turns } = this.#state;
    await this.#post({ content: text, kind: "status", client_message_id: `${id}-${name}-${turns}` });
  }

  async #lookAfterTask() {
    const { state, table, tasks } = this.#o;
    if (!state.task) {
      this.#lookForTask = tasks;
      return;
    }
    const task = await table.task(state.task);
    const isMine = task?.status === "claimed" && task.claimed_by === state.handle;
    if (isMine && this.#nudges < NUDGES) {
      this.#nudges += 1;
      this.#task = { task: state.task, nudge: true };
    } else if (!isMine) {
      delete state.task;
      this.#o.store.write(state);
      this.#lookForTask = tasks;
    }
  }

  /** The next task, if there is one; without any left, the run has done what it was started for. */
  async #claim() {
    const { state, table } = this.#o;
    this.#lookForTask = false;
    const wanted = state.task;
    const claimed = await table.claim(wanted ? { task: wanted } : {});
    if (claimed.task !== null) {
      this.#nudges = 0;
      state.task = claimed.task;
      this.#task = claimed;
      this.#o.store.write(state);
    } else if (claimed.open + claimed.blocked + claimed.claimed === 0) {
      this.#end({ how: "done", why: "No task is left." });
    }
  }

  /** Blocks, at no cost, until there may be something to do. */
  async #listen() {
    const { table, idleMs, dozeMs } = this.#o;
    const poll = new AbortController();
    const dueAt = this.#unheard.dueAt(Date.now()) ?? Number.POSITIVE_INFINITY;
    const idleAt = this.#newsAt + idleMs;
    const dozeAt = this.#agent?.canRemember ? this.#newsAt + dozeMs : Number.POSITIVE_INFINITY;
    const news = table.wait(this.#afterTurn ? undefined : this.#state.heard, poll.signal);
    const nudged = this.#nudged(Math.min(dueAt, idleAt, dozeAt) - Date.now());
    if (this.#orders.length > 0 || this.#outcome) this.#wakeUp();
    const heard = await Promise.race([news, nudged]).finally(() => this.#wakeUp());
    poll.abort();
    await news.catch(() => undefined);
    if (heard) this.#hear(heard);
    else if (Date.now() >= idleAt) this.#end({ how: "idle", why: "Nobody has spoken for a while." });
    else if (Date.now() >= dozeAt) await this.#doze();
  }

  /** Waiting costs no process: the next turn starts it again, with all that it remembers. */
  async #doze() {
    const agent = this.#agent;
    this.#agent = undefined;
    await agent?.close();
  }

  #hear({ messages, next_cursor, session_closed }: Answer) {
    this.#afterTurn = false;
    if (messages.length > 0) this.#newsAt = Date.now();
    this.#unheard.add(messages);
    if (next_cursor > this.#state.heard) {
      this.#state.heard = next_cursor;
      // Where it gives a turn, that is written down with the turn; else now, before the server is told by the next poll.
      if (!this.#unheard.isDue(Date.now())) this.#o.store.write(this.#state);
    }
    if (messages.some(({ event }: Answer) => typeof event === "string" && event.startsWith("task"))) {
      this.#lookForTask ||= this.#o.tasks && !this.#state.task;
    }
    if (session_closed) this.#end({ how: "concluded", why: "The session is concluded." });
  }

  #order(order: Order) {
    if (order.kind === "prompt") this.#orders.push(order);
    else this.#o.desk.tell({ orders_done: [order.order] });
    if (order.kind === "interrupt") void this.#agent?.cancel();
    if (order.kind === "stop") this.#end({ how: "stopped", why: `${order.by ?? "Somebody"} has stopped it.` });
    this.#wakeUp();
  }

  async #permission(
    request: RequestPermissionRequest,
    signal: AbortSignal,
    permissions: Permissions,
  ): Promise<RequestPermissionResponse> {
    const decision = decide(request, permissions);
    if (decision !== "ask") return answer(request.options, decision);
    const { desk, screen } = this.#o;
    this.#asking += 1;
    screen.asks(request.toolCall.title ?? "a tool");
    desk.tell({ status: "asking" });
    try {
      const chosen = await desk.ask(request, signal);
      const option = request.options.find(({ optionId }) => optionId === chosen);
      screen.note(option ? `Answered: ${option.name}` : "Not answered: refused.");
      return option ? choose(option.optionId) : answer(request.options, "reject");
    } catch {
      return signal.aborted ? CANCELLED : answer(request.options, "reject");
    } finally {
      this.#asking -= 1;
      this.#lastSignOfLife = Date.now();
      desk.tell({ status: "working" });
    }
  }

  #count(log: TurnLog, tokens = 0) {
    const state = this.#state;
    state.tokens += tokens;
    // An agent tells what the conversation has cost so far.
    state.cost = Math.max(state.cost, log.usage.cost ?? 0);
  }

  async #limit(why: string) {
    await this.#say(`${why} ${this.#state.handle} stops here.`, "limit");
    this.#end({ how: "limit", why });
  }

  async #give(why: string) {
    await this.#say(`Failed: ${why}`, "failed");
    this.#end({ how: "failed", why });
  }

  #end(outcome: Outcome) {
    this.#outcome ??= outcome;
    void this.#agent?.cancel();
    this.#wakeUp();
  }

  #unlessClosed(error: unknown, quietly = false) {
    if (error instanceof Refusal && ["session_closed"].includes(error.code))
      return this.#end({ how: "concluded", why: "The session is concluded." });
    if (error instanceof Refusal && [401, 404].includes(error.status))
      return this.#end({ how: "stopped", why: `It is no longer at the table: ${error.message}` });
    if (!quietly) throw error;
  }

  /** Resolves when somebody calls, or after so long. */
  #nudged(ms: number): Promise<undefined> {
    return new Promise((resolve) => {
      const timer = Number.isFinite(ms) ? setTimeout(done, Math.min(Math.max(0, ms), 2 ** 31 - 1)) : undefined;
      function done() {
        clearTimeout(timer);
        resolve(undefined);
      }
      this.#wakeUp = done;
    });
  }

  async #pause(ms: number) {
    const until = Date.now() + ms;
    while (!this.#outcome && Date.now() < until) await this.#nudged(until - Date.now());
  }
}

interface Prompt {
  text: string;
  upTo: number;
  /** For the terminal. */
  why: string;
  order?: number;
  replyTo?: number;
}

function ofError(error: unknown): Outcome {
  if (error instanceof Refusal && error.code === "session_closed")
    return { how: "concluded", why: "The session is concluded." };
  if (error instanceof Refusal && [401, 404].includes(error.status))
    return { how: "stopped", why: `It is no longer at the table: ${error.message}` };
  if (error instanceof Trouble) return { how: "failed", why: error.message };
  throw error;
}
