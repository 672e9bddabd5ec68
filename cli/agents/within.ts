import type { Answer } from "../connection/api.ts";
import { type Hints, showMessage } from "../messages.ts";
import { line } from "../output.ts";
import { urgency } from "./wake.ts";

// About ten thousand tokens for a turn; of one message no more than a quarter of that.
const MOST = 40_000;
const LONGEST = 10_000;

/**
 * As many of the messages as one turn can take, in their order: what speaks to the reader goes before the rest, the newest before
 * the older. Of what is left out it says how much there is and where to read it.
 */
export function showWithin(messages: Answer[], me: string, hints: Hints): string {
  const shown = messages.map((message) => showMessage(shortened(message), me, hints));
  const concerns = messages.map((message) => urgency(message, me, "addressed") === "now");
  const newestFirst = messages.map((_, n) => n).reverse();
  const kept = new Set<number>();
  let taken = 0;
  for (const n of [...newestFirst.filter((n) => concerns[n]), ...newestFirst.filter((n) => !concerns[n])]) {
    taken += shown[n]?.length ?? 0;
    if (taken > MOST && kept.size > 0) break;
    kept.add(n);
  }
  const leftOut = messages.filter((_, n) => !kept.has(n)).map(({ cursor }) => cursor);
  return [
    ...(leftOut.length > 0
      ? [line(`[${leftOut.length} more, between #${leftOut[0]} and #${leftOut.at(-1)}: ${hints.history}]`)]
      : []),
    ...shown.filter((_, n) => kept.has(n)),
  ].join("\n");
}

function shortened(message: Answer): Answer {
  const text = message.content?.text;
  if (typeof text !== "string" || text.length <= LONGEST) return message;
  const { text_length = text.length } = message;
  return {
    ...message,
    truncated: true,
    text_length,
    content: { ...message.content, text: text.slice(0, LONGEST).toWellFormed() },
  };
}
