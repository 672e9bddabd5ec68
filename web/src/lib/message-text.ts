import { visible } from "@/session/markdown/visible.ts";
import { eventSentence } from "./event-sentence.ts";

/** One line of a message for lists. What is not text is shown as the JSON that it is. */
export function messageLine(content: unknown): string {
  const { text, event } = (content ?? {}) as { text?: unknown; event?: unknown };
  if (typeof content === "string") return oneLine(content);
  if (typeof text === "string") return oneLine(text);
  if (typeof event === "string") return eventSentence(content as Record<string, unknown>);
  return oneLine(JSON.stringify(content));
}

const LONGEST = 300;

/** Markdown that only makes sense when it is rendered is left out. */
export const oneLine = (text: string) => flat(text, /```[\w-]*|\*\*|`/g);

/** The same, with the marks of inline code for who renders them. */
export const oneLineWithCode = (text: string) => flat(text, /```[\w-]*|\*\*/g);

function flat(text: string, marks: RegExp): string {
  const line = text.slice(0, LONGEST).replace(marks, "").replace(/\s+/g, " ").trim();
  return visible(text.length > LONGEST ? `${line} …` : line);
}
