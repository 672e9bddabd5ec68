import { block, line, safe } from "../output.ts";
import type { RunState } from "./state.ts";
import type { TurnEvent } from "./turn.ts";

/** What somebody who watches a run sees of it. */
export interface Screen {
  seated(state: RunState, agent: string): void;
  begins(turn: number, why: string): void;
  event(event: TurnEvent): void;
  asks(tool: string): void;
  posted(cursor: number): void;
  ended(turn: { stopReason: string; tools: number; ms: number; state: RunState }): void;
  note(text: string): void;
}

type Write = (text: string) => void;

/** A transcript to read. What agents and others wrote moves no cursor. */
export function terminal(write: Write, name = ""): Screen {
  const say = (text: string) => write(`${safe(name + text)}\n`);
  return {
    seated: ({ ref, handle, cwd }, agent) => say(line(`${handle} in ${ref}: ${agent} in ${cwd}`)),
    begins: (turn, why) => say(`▸ turn ${turn}, ${line(why)}`),
    event(event) {
      if (event.kind === "text") say(`  ${block(event.text)}`);
      else if (event.kind === "tool") say(`  ${event.tool?.status === "failed" ? "✗" : "·"} ${line(event.text)}`);
    },
    asks: (tool) => say(`  ? asks for permission: ${line(tool)}`),
    posted: (cursor) => say(`  posted as #${cursor}`),
    ended({ stopReason, tools, ms, state }) {
      const facts = [
        stopReason,
        tools > 0 && `${tools} ${tools === 1 ? "tool" : "tools"}`,
        state.tokens > 0 && `${state.tokens.toLocaleString("en")} tokens so far`,
        state.cost > 0 && `${state.cost.toFixed(2)} USD so far`,
        `${(ms / 1_000).toFixed(1)} s`,
      ];
      say(`◂ ${facts.filter(Boolean).join(", ")}`);
    },
    note: (text) => say(`! ${line(text)}`),
  };
}

/** The same for programs: an object a line. */
export function asJson(write: Write): Screen {
  const say = (type: string, fields: object) => write(`${safe(JSON.stringify({ type, ...fields }))}\n`);
  return {
    seated: ({ ref, session_id, handle, cwd }, agent) => say("seated", { ref, session_id, handle, cwd, agent }),
    begins: (turn, why) => say("turn", { turn, why }),
    event: (event) => say("event", event),
    asks: (tool) => say("asks", { tool }),
    posted: (cursor) => say("posted", { cursor }),
    ended: ({ stopReason, tools, ms, state: { turns, tokens, cost } }) =>
      say("ended", { stop_reason: stopReason, tools, ms, turns, tokens, cost }),
    note: (text) => say("note", { text }),
  };
}
