import type { RunState } from "./state.ts";

/** What a run may use up; undefined: no limit. */
export interface Limits {
  turns?: number | undefined;
  tokens?: number | undefined;
  cost?: number | undefined;
}

/** Looked at before each turn: why there is none, in a sentence, or undefined. */
export function whyNoMore(used: Pick<RunState, "turns" | "tokens" | "cost">, limits: Limits): string | undefined {
  if (limits.turns !== undefined && used.turns >= limits.turns)
    return `The limit of ${limits.turns} ${limits.turns === 1 ? "turn" : "turns"} is reached.`;
  if (limits.tokens !== undefined && used.tokens >= limits.tokens)
    return `The limit of ${limits.tokens} tokens is reached (${used.tokens}).`;
  if (limits.cost !== undefined && used.cost >= limits.cost)
    return `The limit of ${limits.cost} USD is reached (${used.cost.toFixed(2)}).`;
  return undefined;
}
