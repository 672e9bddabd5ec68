import { createHash } from "node:crypto";
import type { RequestPermissionRequest } from "@agentclientprotocol/sdk";
import type { Answer } from "../connection/api.ts";
import { Refusal } from "../errors.ts";
import type { Change, Desk, Order } from "./desk.ts";
import type { Outcome } from "./run/outcome.ts";
import type { RunState } from "./state.ts";
import type { Table } from "./table.ts";
import type { TurnEvent } from "./turn.ts";

const WAIT_SECONDS = 20;
const MOST_EVENTS = 100;
// Well below what the server takes as one body, however it is escaped.
const MOST_CHARACTERS = 400_000;
const LONGEST_TEXT = 100_000;
const MOST_KEPT = 5_000;
const GATHER_MS = 300;
const GONE = ["unauthorized", "session_not_found"];
const KINDS = { prompt: "prompt", text: "say", thought: "think", tool: "tool", plan: "note" };

/** Tells the server what the run does, in batches and in order, and hears from it what others want of the run. */
export class ServerDesk implements Desk {
  onOrder: (order: Order) => void = () => undefined;
  onGone: (error: Refusal) => void = () => undefined;
  #table: Table;
  #agent: string;
  #change: Change = {};
  #events: Answer[] = [];
  #sending: Promise<void> | undefined;
  #over = new AbortController();
  #seen = new Set<number>();
  #listening: Promise<void> | undefined;
  #hurry: () => void = () => undefined;

  constructor({ agent }: Pick<RunState, "agent">, table: Table) {
    this.#table = table;
    this.#agent = agent;
  }

  tell(change: Change) {
    const done = [...(this.#change.orders_done ?? []), ...(change.orders_done ?? [])];
    this.#change = { ...this.#change, ...change, ...(done.length > 0 && { orders_done: done }) };
    this.#hurry();
    this.#sending ??= this.#send();
    this.#listening ??= this.#listen();
  }

  event({ kind, text, tool }: TurnEvent) {
    const whole = [text, tool?.input, tool?.output].filter(Boolean).join("\n") || kind;
    const title = tool?.status === "failed" ? `failed: ${text}` : text || kind;
    const at = new Date().toISOString();
    this.#events.push({
      kind: KINDS[kind],
      title: storable(title.slice(0, 200)),
      text: storable(whole.slice(0, LONGEST_TEXT)),
      at,
    });
    // A server that is away for long is told the end of it.
    if (this.#events.length > MOST_KEPT) this.#events.shift();
    this.#sending ??= this.#send();
  }

  async ask({ toolCall, options }: RequestPermissionRequest, signal: AbortSignal): Promise<string | undefined> {
    const asked = {
      tool: (toolCall.title ?? toolCall.name ?? "a tool").slice(0, 200),
      input: toolCall.rawInput ?? {},
      options: options.map(({ optionId, name, kind }) => ({ option: optionId, name, kind })),
    };
    // Named after all that it says: an agent that asks for something else under the same id is not given the answer to the first.
    const name = JSON.stringify([toolCall.toolCallId, asked]);
    const args = { request: createHash("sha256").update(name).digest("base64url"), ...asked, wait: WAIT_SECONDS };
    for (;;) {
      const answer = await this.#table.askPermission(args, signal);
      if (answer.state !== "pending") return answer.option ?? undefined;
    }
  }

  async whyNoTurn(): Promise<string | undefined> {
    this.#hurry();
    await this.#sending;
    if (this.#over.signal.aborted) return undefined;
    try {
      const answer = await this.#table.report({ agent: this.#agent });
      this.#hear(answer);
      return answer.budget?.allowed === false ? answer.budget.reason : undefined;
    } catch (error) {
      this.#give(error);
      return undefined;
    }
  }

  async end({ how, why }: Outcome) {
    this.#over.abort();
    this.#hurry();
    await this.#sending;
    const status = how === "failed" ? "failed" : "stopped";
    const last = { ...this.#change, status, ...(how !== "stopped" && { error: why }) };
    await this.#report(last, this.#batch()).catch(() => undefined);
  }

  /** What has gathered meanwhile goes out together; words are given a moment to gather, a change of state is not. */
  async #send() {
    try {
      while (Object.keys(this.#change).length + this.#events.length > 0) {
        if (Object.keys(this.#change).length === 0) await this.#gathered();
        const events = this.#batch();
        const { orders_done, ...change } = this.#change;
        // Whoever waits for the words of a turn is told that it is over when all of them are there.
        const isLater = orders_done !== undefined && this.#events.length > 0;
        this.#change = isLater ? { orders_done } : {};
        const report = { agent: this.#agent, ...change, ...(!isLater && { orders_done }) };
        this.#hear(await this.#report(report, events));
      }
    } catch (error) {
      this.#give(error);
    } finally {
      this.#sending = undefined;
    }
  }

  #gathered(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, GATHER_MS);
      this.#hurry = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** What the server cannot take of a transcript, or of what the agent says of itself, costs that, and not the run. */
  async #report(
    change: Omit<Change, "status"> & { agent?: string; status?: string },
    events: Answer[],
  ): Promise<Answer> {
    const { agent, status, orders_done } = change;
    const less = [{ ...change, events }, change, { agent, status, orders_done }];
    for (;;) {
      try {
        return await this.#table.report({ ...less.shift() });
      } catch (error) {
        if (less.length === 0 || !(error instanceof Refusal) || ![400, 413].includes(error.status)) throw error;
      }
    }
  }

  /** As much as fits into one call. */
  #batch(): Answer[] {
    let room = MOST_CHARACTERS;
    const end = this.#events.findIndex(({ text, title }, place) => {
      room -= text.length + title.length;
      return place >= MOST_EVENTS || (room < 0 && place > 0);
    });
    return this.#events.splice(0, end < 0 ? this.#events.length : end);
  }

  async #listen() {
    while (!this.#over.signal.aborted) {
      try {
        this.#hear(await this.#table.report({ wait: WAIT_SECONDS }, this.#over.signal));
      } catch (error) {
        this.#give(error);
      }
    }
  }

  #hear({ orders = [] }: Answer) {
    for (const order of orders) {
      if (this.#seen.has(order.order)) continue;
      this.#seen.add(order.order);
      this.onOrder(order);
    }
  }

  /** A server that knows no runs is worked with as well. */
  #give(error: unknown) {
    if (!(error instanceof Refusal)) return;
    this.#over.abort();
    if (GONE.includes(error.code)) this.onGone(error);
  }
}

/** What PostgreSQL can keep: no NUL, no half of a character. */
const storable = (text: string) =>
  [...text.replaceAll("\0", "")]
    .map((character) => (/^[\ud800-\udfff]$/.test(character) ? "\ufffd" : character))
    .join("");
