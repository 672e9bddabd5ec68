import { Refusal, Trouble } from "../../errors.ts";
import { AgentGone, AgentRefused } from "../acp.ts";
import { whyNoMore } from "../limits.ts";
import { againPrompt, SILENT } from "../prompts.ts";
import { TurnLog } from "../turn.ts";
import { describeWorktree } from "../worktree.ts";
import type { Chair } from "./chair.ts";
import type { Life } from "./life.ts";
import type { RunOptions } from "./options.ts";
import { endBy } from "./outcome.ts";
import type { Speech } from "./speech.ts";

const TRIES = 3;
const PARK_MS = 60_000;
const LONGEST_PARK_MS = 30 * 60_000;
const LONGEST_WORDS = 60_000;
const QUOTA = /quota|rate.?limit|usage limit|too many requests|credit balance|overloaded|\b429\b|\b529\b/i;

// An agent may say anything: what cannot be counted is nothing.
const credible = (said: unknown) => (typeof said === "number" && said > 0 ? Math.min(said, 1e12) : 0);

export interface Prompt {
  text: string;
  upTo: number;
  /** For the terminal. */
  why: string;
  order?: number;
  replyTo?: number;
}

/**
 * A turn from its prompt to what came of it, and its attempts.
 *
 * Exactly one: that a turn has begun is written down before the agent is asked, and the cursor is confirmed to the
 * server only then. Who is killed before that hears the same again; who is killed later takes the turn up again.
 */
export class Turns {
  #o: RunOptions;
  #life: Life;
  #chair: Chair;
  #speech: Speech;
  #whenOver: () => Promise<void>;

  constructor(options: RunOptions, life: Life, chair: Chair, speech: Speech, whenOver: () => Promise<void>) {
    this.#o = options;
    this.#life = life;
    this.#chair = chair;
    this.#speech = speech;
    this.#whenOver = whenOver;
  }

  async take({ text, upTo, why, order, replyTo }: Prompt) {
    const { state, limits, desk, store } = this.#o;
    const no = whyNoMore(state, limits);
    if (no) return this.#limit(no);
    const whyNot = await desk.whyNoTurn();
    // The server has said so in the feed.
    if (whyNot) return this.#life.end({ how: "limit", why: whyNot });
    if (this.#life.outcome) return;
    const since = Math.max(upTo, state.heard, this.#speech.feedEnd);
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
  async again(): Promise<void> {
    const { turn, handle } = this.#o.state;
    if (!turn) return;
    if (turn.words !== undefined) return this.#finish();
    if (turn.tries >= TRIES) return this.#give(`${turn.tries} attempts at one turn failed.`);
    const posted = (await this.#o.table.latest()).filter(({ mine, cursor }) => mine && cursor > turn.since);
    await this.#attempt(againPrompt(turn.prompt, posted, handle), "the turn that was cut off");
  }

  async #attempt(text: string, why: string): Promise<void> {
    const { state, store, table, screen, desk } = this.#o;
    const { turn } = state;
    if (!turn) return;
    const log = new TurnLog((event) => {
      screen.event(event);
      desk.event(event);
    });
    this.#chair.log = log;
    const began = Date.now();
    let confirmed: Promise<unknown> = Promise.resolve();
    try {
      const { ended } = await this.#chair.begin(text);
      screen.begins(turn.number, why);
      desk.event({ kind: "prompt", text });
      desk.tell({ status: "working", turn_cursor: turn.upTo });
      confirmed = table.confirm(turn.upTo).catch((error) => this.#endOrThrow(error));
      const { stopReason, usage } = await ended;
      log.end();
      await confirmed;
      this.#count(log, usage?.totalTokens);
      screen.ended({ stopReason, tools: log.tools, ms: Date.now() - began, state });
      turn.words = stopReason === "cancelled" ? "" : log.lastWords;
      store.write(state);
      await this.#finish();
    } catch (error) {
      log.end();
      await confirmed;
      if (this.#life.outcome) return;
      await this.#afterFailure(error);
    } finally {
      this.#chair.log = undefined;
    }
  }

  async #afterFailure(error: unknown): Promise<void> {
    const { state, store, screen, park } = this.#o;
    const { turn } = state;
    if (!(error instanceof Trouble) || error instanceof Refusal || !turn) throw error;
    turn.tries += 1;
    store.write(state);
    const quota = error instanceof AgentRefused && QUOTA.test(error.message);
    if (quota && park) return this.#park(error.message);
    screen.note(error.message);
    if (quota || turn.tries >= TRIES) return this.#give(error.message);
    if (error instanceof AgentGone) await this.#chair.close();
    else await this.#life.pause(1_000 * turn.tries);
    if (!this.#life.outcome) await this.again();
  }

  /** Its provider lets it do no more for now: the turn is tried again, at ever longer intervals. */
  async #park(why: string) {
    const { state, store, screen, desk } = this.#o;
    const { turn } = state;
    if (!turn) return;
    const pause = Math.min(PARK_MS * 2 ** (turn.parked ?? 0), LONGEST_PARK_MS);
    if (!turn.parked) await this.#speech.say(`Parked: ${why} It goes on when the provider lets it.`, "parked");
    turn.parked = (turn.parked ?? 0) + 1;
    turn.tries -= 1;
    store.write(state);
    desk.tell({ status: "waiting", error: why });
    screen.note(`${why} Trying again in ${Math.round(pause / 60_000)} min.`);
    await this.#life.pause(pause);
    if (!this.#life.outcome) await this.again();
  }

  /** What came of the turn is said, once, and then it is over. */
  async #finish() {
    const { state, store, desk, voice } = this.#o;
    const { turn } = state;
    if (!turn) return;
    const own = await this.#speech.ownSince(turn.since);
    const words = turn.words ?? "";
    const isSaid = voice === "none" || words === "" || words === SILENT || (voice === "tools" && own.length > 0);
    if (!isSaid) {
      const isAnswer = turn.replyTo !== undefined;
      await this.#speech.post({
        content: words.length > LONGEST_WORDS ? `${words.slice(0, LONGEST_WORDS)}\n… cut` : words,
        client_message_id: `${state.id}-${turn.number}`,
        ...(isAnswer && { reply_to: turn.replyTo, kind: "answer" }),
      });
    }
    delete state.turn;
    store.write(state);
    desk.tell({
      status: "waiting",
      usage: { tokens: state.tokens, cost: state.cost, turns: state.turns },
      ...(turn.order !== undefined && { orders_done: [turn.order] }),
      ...(state.worktree && { worktree: describeWorktree(state.cwd) }),
    });
    await this.#whenOver();
  }

  #count(log: TurnLog, tokens = 0) {
    const { state } = this.#o;
    state.tokens += credible(tokens);
    // An agent tells what the conversation has cost so far.
    state.cost = Math.max(state.cost, credible(log.usage.cost));
  }

  async #limit(why: string) {
    await this.#speech.say(`${why} ${this.#o.state.handle} stops here.`, "limit");
    this.#life.end({ how: "limit", why });
  }

  async #give(why: string) {
    await this.#speech.say(`Failed: ${why}`, "failed");
    this.#life.end({ how: "failed", why });
  }

  #endOrThrow(error: unknown) {
    const end = endBy(error);
    if (!end) throw error;
    this.#life.end(end);
  }
}
