import { Refusal } from "../../errors.ts";
import type { Unheard } from "../wake.ts";
import type { Life } from "./life.ts";
import type { RunOptions } from "./options.ts";
import { endBy } from "./outcome.ts";

const PAUSED_MS = 5_000;

/** What is said in the feed for the agent, and by the run itself. */
export class Speech {
  /** How much of the feed was there when it was last looked at. */
  feedEnd = 0;
  #o: Pick<RunOptions, "table" | "screen" | "state">;
  #life: Life;
  #unheard: Unheard;

  constructor(options: Pick<RunOptions, "table" | "screen" | "state">, life: Life, unheard: Unheard) {
    this.#o = options;
    this.#life = life;
    this.#unheard = unheard;
  }

  /** A session that is paused is waited for; a refusal costs the words, not the run. */
  async post(message: Record<string, unknown>): Promise<void> {
    const { table, screen } = this.#o;
    for (;;) {
      try {
        const { cursor } = await table.post(message);
        this.#unheard.asked.add(cursor);
        this.feedEnd = Math.max(this.feedEnd, cursor);
        return screen.posted(cursor);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        if (error.code === "session_paused" && !this.#life.outcome) {
          await this.#life.pause(PAUSED_MS);
          continue;
        }
        // The same words, as far as the server can tell: they were said before this process was restarted.
        if (error.code !== "idempotency_conflict") screen.note(`Not posted: ${error.message}`);
        const end = endBy(error);
        if (end) this.#life.end(end);
        return;
      }
    }
  }

  /** A sentence of the run itself. */
  async say(text: string, name: string) {
    const { id, turns } = this.#o.state;
    await this.post({ content: text, kind: "status", client_message_id: `${id}-${name}-${turns}` });
  }

  /** What the team has said itself after a cursor. Who answers that, speaks to it. */
  async ownSince(cursor: number) {
    const latest = await this.#o.table.latest();
    this.feedEnd = latest.at(-1)?.cursor ?? 0;
    const own = latest.filter((message) => message.mine && message.type === "chat" && message.cursor > cursor);
    for (const { cursor } of own) this.#unheard.asked.add(cursor);
    return own;
  }
}
