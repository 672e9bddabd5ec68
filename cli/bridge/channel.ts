import { setTimeout as pause } from "node:timers/promises";
import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { newsFor, newsOf, teamHere } from "../agents/news.ts";
import { Trouble } from "../errors.ts";
import { advance, type Team } from "../team/teams.ts";
import type { Channel } from "./bridge.ts";

const LOOK_AGAIN_MS = 10_000;

/** News as `notifications/claude/channel`: a client that knows channels shows them to its model at once, others pass them over. */
export const channel: Channel = {
  announced(message) {
    if (!("result" in message) || typeof message.result.protocolVersion !== "string") return message;
    const { capabilities = {}, ...result } = message.result as { capabilities?: { experimental?: object } };
    const experimental = { ...capabilities.experimental, "claude/channel": {} };
    return { ...message, result: { ...result, capabilities: { ...capabilities, experimental } } } as JSONRPCMessage;
  },

  async watch(push, signal) {
    while (!signal.aborted) {
      const team = teamHere();
      const isOver = team === undefined || (await tell(team, push, signal));
      if (isOver) await pause(LOOK_AGAIN_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  },
};

/** Whether there is nothing more to hear of this team. */
async function tell(team: Team, push: (message: JSONRPCMessage) => void, signal: AbortSignal): Promise<boolean> {
  try {
    const messages = await newsFor(team, 0, signal);
    if (messages.length === 0 || signal.aborted) return true;
    const content = newsOf(messages, team);
    const cursor = messages.at(-1)?.cursor ?? team.cursor;
    const meta = { ref: team.ref, handle: team.handle, cursor: String(cursor) };
    push({ jsonrpc: "2.0", method: "notifications/claude/channel", params: { content, meta } });
    await advance(team, cursor, team.doc_version);
    return false;
  } catch (error) {
    if (error instanceof Trouble || signal.aborted) return true;
    throw error;
  }
}
