import type { SessionUpdate } from "@agentclientprotocol/sdk";

const LONGEST_TEXT = 64 * 1024;
const LONGEST_INPUT = 4 * 1024;
const MOST_EVENTS = 2_000;

/** One thing that happened in a turn: words, or a call of a tool. */
export interface TurnEvent {
  kind: "prompt" | "text" | "thought" | "tool" | "plan";
  text: string;
  /** Of a tool: what it was called with and how it ended. */
  tool?: { id: string; kind?: string; status?: string; input?: string; output?: string };
}

export interface Usage {
  tokens?: number;
  cost?: number;
  currency?: string;
}

/** Gathers what an agent tells about a turn, within bounds: an agent that floods costs no memory. */
export class TurnLog {
  readonly events: TurnEvent[] = [];
  readonly usage: Usage = {};
  tools = 0;
  leftOut = 0;
  #tell: (event: TurnEvent) => void;
  #open: TurnEvent | undefined;
  #calls = new Map<string, TurnEvent>();

  /** `tell` gets each event once it is whole. */
  constructor(tell: (event: TurnEvent) => void = () => undefined) {
    this.#tell = tell;
  }

  add(update: SessionUpdate) {
    switch (update.sessionUpdate) {
      case "agent_message_chunk":
        return this.#write("text", textOf(update.content));
      case "agent_thought_chunk":
        return this.#write("thought", textOf(update.content));
      case "tool_call":
      case "tool_call_update":
        return this.#call(update);
      case "plan":
        return this.#event({ kind: "plan", text: entries(update.entries) });
      case "usage_update":
        if (typeof update.cost?.amount === "number") {
          this.usage.cost = update.cost.amount;
          this.usage.currency = String(update.cost.currency);
        }
    }
  }

  /** What was said after the last call of a tool. */
  get lastWords(): string {
    const last = this.events.findLastIndex(({ kind }) => kind === "tool");
    const said = this.events.slice(last + 1).filter(({ kind }) => kind === "text");
    return said
      .map(({ text }) => text)
      .join("\n\n")
      .trim();
  }

  /** The turn is over. */
  end() {
    this.#close();
    for (const call of this.#calls.values()) this.#tell(call);
    this.#calls.clear();
  }

  #write(kind: "text" | "thought", text: string) {
    if (this.#open?.kind !== kind) {
      this.#close();
      this.#open = { kind, text: "" };
      this.#keep(this.#open);
    }
    const room = LONGEST_TEXT - this.#open.text.length;
    this.leftOut += Math.max(0, text.length - room);
    this.#open.text += text.slice(0, Math.max(0, room));
  }

  #call(update: Extract<SessionUpdate, { sessionUpdate: "tool_call" | "tool_call_update" }>) {
    const id = String(update.toolCallId);
    let event = this.#calls.get(id);
    if (!event) {
      this.#close();
      this.tools += 1;
      event = { kind: "tool", text: "", tool: { id } };
      this.#keep(event);
      if (this.#calls.size < MOST_EVENTS) this.#calls.set(id, event);
    }
    const { tool } = event;
    if (!tool) return;
    if (update.title) event.text = cut(update.title, LONGEST_INPUT);
    if (update.kind) tool.kind = String(update.kind);
    if (update.status) tool.status = String(update.status);
    if (update.rawInput !== undefined) tool.input = cut(written(update.rawInput), LONGEST_INPUT);
    if (update.content?.length) tool.output = cut(update.content.map(shown).join("\n"), LONGEST_INPUT);
    if (tool.status !== "completed" && tool.status !== "failed") return;
    this.#calls.delete(id);
    this.#tell(event);
  }

  #event(event: TurnEvent) {
    this.#close();
    this.#keep(event);
    this.#tell(event);
  }

  #keep(event: TurnEvent) {
    if (this.events.length >= MOST_EVENTS) {
      this.leftOut += 1;
      this.events.shift();
    }
    this.events.push(event);
  }

  #close() {
    if (this.#open) this.#tell(this.#open);
    this.#open = undefined;
  }
}

const textOf = (content: unknown): string => {
  const { type, text } = (content ?? {}) as { type?: string; text?: unknown };
  return type === "text" && typeof text === "string" ? text : "";
};

const entries = (list: unknown) =>
  (Array.isArray(list) ? list : []).map(({ content, status }) => `${status}: ${content}`).join("\n");

function shown(part: unknown): string {
  const { type, content, path } = part as { type?: string; content?: unknown; path?: string };
  return type === "diff" ? `changed ${path}` : textOf(content);
}

function written(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

const cut = (text: string, length: number) => (text.length > length ? `${text.slice(0, length)}…` : text);
