import { briefing, reminder } from "../prompts.ts";
import type { TurnLog } from "../turn.ts";
import { Asking } from "./asking.ts";
import type { Life } from "./life.ts";
import type { RunOptions, Seated } from "./options.ts";

const CANCEL_MS = 10_000;

/** The agent's process: started when it is needed, told once where it is, ended while it dozes. */
export class Chair {
  /** What it tells goes into the log of the turn. */
  log: TurnLog | undefined;
  #o: RunOptions;
  #life: Life;
  #asking: Asking;
  #agent: Seated | undefined;
  #lastSignOfLife = 0;
  /** Whether the agent knows where it is. */
  #briefed = false;
  #briefing: { text: string; upTo: number } | undefined;

  constructor(options: RunOptions, life: Life) {
    this.#o = options;
    this.#life = life;
    this.#asking = new Asking(options);
  }

  get isBriefed(): boolean {
    return this.#briefed;
  }

  /** Whether its process can be ended and nothing is forgotten. */
  get canDoze(): boolean {
    return this.#agent?.canRemember ?? false;
  }

  async start() {
    const { command, state, store, desk, screen } = this.#o;
    // Some take longer to start than a run may be silent.
    desk.tell({ status: "starting" });
    const agent = await this.#o.start({
      agent: command,
      cwd: state.cwd,
      parley: {
        url: `${state.url}/mcp?session=${encodeURIComponent(state.ref)}`,
        teamId: state.team_id,
        key: state.key,
      },
      load: state.conversation,
      signal: this.#life.over,
      handlers: {
        update: (update) => {
          this.#lastSignOfLife = Date.now();
          this.log?.add(update);
        },
        permission: (request, signal) =>
          this.#asking.answer(request, signal).finally(() => {
            this.#lastSignOfLife = Date.now();
          }),
      },
    });
    this.#agent = agent;
    this.#briefed = agent.remembers;
    state.conversation = agent.conversation;
    store.write(state);
    screen.seated(state, agent.title);
    desk.tell({ status: "waiting" });
    return agent;
  }

  /** The session as it is at one moment, and the last message of that moment. */
  async brief(): Promise<{ text: string; upTo: number }> {
    const { table, state } = this.#o;
    const catchUp = await table.lines("/catch-up");
    const again = state.instructions && state.turns > 1 ? reminder(state.instructions) : "";
    const upTo = Number(/ last_cursor (\d+)/.exec(catchUp.split("\n")[0] ?? "")?.[1] ?? 0);
    this.#briefing = { text: briefing(state, catchUp) + again, upTo };
    return this.#briefing;
  }

  /** One turn, with what it has to know before the first. Resolved to a promise that is kept when the turn has ended. */
  async begin(text: string) {
    const agent = this.#agent ?? (await this.start());
    this.#lastSignOfLife = Date.now();
    const before = this.#briefed ? "" : (this.#briefing ?? (await this.brief())).text;
    this.#briefed = true;
    this.#briefing = undefined;
    return { ended: this.#watched(agent, agent.prompt(before + text)) };
  }

  /** An agent that gives no sign of life is told to end its turn, and then ended. */
  async #watched<T>(agent: Seated, ended: Promise<T>): Promise<T> {
    const { patienceMs } = this.#o;
    let cancelledAt = 0;
    const timer = setInterval(
      () => {
        const silent = !this.#asking.isOpen && Date.now() - this.#lastSignOfLife > patienceMs;
        if (!cancelledAt && (silent || this.#life.outcome)) {
          cancelledAt = Date.now();
          void agent.cancel();
        } else if (cancelledAt && Date.now() - cancelledAt > CANCEL_MS) agent.kill();
      },
      Math.min(500, patienceMs),
    );
    return ended.finally(() => clearInterval(timer));
  }

  /** The turn under way ends as soon as the agent can end it. */
  cancel() {
    void this.#agent?.cancel();
  }

  /** Waiting costs no process: the next turn starts it again, with all that it remembers. */
  async close() {
    const agent = this.#agent;
    this.#agent = undefined;
    await agent?.close();
  }
}
