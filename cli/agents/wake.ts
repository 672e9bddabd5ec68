import type { Answer } from "../connection/api.ts";

/** What gives an agent a turn: everything, what is addressed to it or asks everyone, or only questions. */
export type Wake = "all" | "addressed" | "questions";

/** How often words that ask for nothing give a turn, at most. */
export const PLAIN_EVERY_MS = 30_000;

const MOST_QUIET = 200;

export type Urgency = "now" | "soon" | "never";

/**
 * How soon a message gives its reader a turn. Status lines and most of what the server reports give none: two agents
 * would wake each other with them for ever. They come along with the next turn.
 */
export function urgency(message: Answer, me: string, wake: Wake, asked: ReadonlySet<number> = NONE): Urgency {
  if (message.mine) return "never";
  if (message.type === "system") return ofEvent(message, me, wake);
  const toMe = message.to?.includes(me) ?? false;
  const toAll = !message.to?.length;
  const asks = Boolean(message.expects_reply || message.kind === "question");
  if (asked.has(message.reply_to_cursor) || (asks && (toMe || toAll))) return "now";
  if (wake === "questions") return "never";
  if (toMe || wake === "all" || (message.sender === "human" && toAll)) return "now";
  return toAll && message.kind !== "status" ? "soon" : "never";
}

const NONE: ReadonlySet<number> = new Set();

function ofEvent(message: Answer, me: string, wake: Wake): Urgency {
  if (message.event === "team_interrupted") return message.handle === me ? "now" : "never";
  if (wake === "questions") return "never";
  return ["child_concluded", "ask_expired", "session_metadata_updated"].includes(message.event) ? "soon" : "never";
}

/**
 * What was heard and not yet given to a turn. Says when the next turn is due: at once, at a later moment because
 * plain words gave one a little ago, or not at all.
 */
export class Unheard {
  messages: Answer[] = [];
  /** Own messages: who answers one speaks to us. */
  readonly asked = new Set<number>();
  #me: string;
  #wake: Wake;
  #lastPlainAt: number;

  constructor(me: string, wake: Wake, lastPlainAt = Number.NEGATIVE_INFINITY) {
    this.#me = me;
    this.#wake = wake;
    this.#lastPlainAt = lastPlainAt;
  }

  /** Of what gives no turn the newest are kept: teams may report for days and wake nobody. */
  add(messages: Answer[]) {
    const newest = this.messages.at(-1)?.cursor ?? 0;
    this.messages.push(...messages.filter(({ cursor }) => cursor > newest));
    const quiet = this.messages.filter((message) => this.#urgency(message) === "never");
    if (quiet.length <= 2 * MOST_QUIET) return;
    const gone = new Set(quiet.slice(0, -MOST_QUIET));
    this.messages = this.messages.filter((message) => !gone.has(message));
  }

  /** The moment of the next turn, or undefined. */
  dueAt(now: number): number | undefined {
    const urgencies = this.messages.map((message) => this.#urgency(message));
    if (urgencies.includes("now")) return now;
    if (urgencies.includes("soon")) return Math.max(now, this.#lastPlainAt + PLAIN_EVERY_MS);
    return undefined;
  }

  isDue = (now: number) => (this.dueAt(now) ?? Number.POSITIVE_INFINITY) <= now;

  /** Those that ask the reader for an answer. */
  get questions(): Answer[] {
    return this.messages.filter(
      (message) =>
        message.type === "chat" &&
        (message.expects_reply || message.kind === "question") &&
        (!message.to?.length || message.to.includes(this.#me)),
    );
  }

  /** They are given to a turn, all of them. */
  take(now: number): Answer[] {
    const taken = this.messages;
    if (taken.some((message) => this.#urgency(message) === "soon")) this.#lastPlainAt = now;
    this.messages = [];
    return taken;
  }

  #urgency(message: Answer) {
    return urgency(message, this.#me, this.#wake, this.asked);
  }
}
