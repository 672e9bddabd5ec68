import { visible } from "@/session/markdown/visible.ts";

/** One line of a message for lists. What is not text is shown as the JSON that it is. */
export function messageLine(content: unknown): string {
  const { text, event } = (content ?? {}) as { text?: unknown; event?: unknown };
  if (typeof content === "string") return oneLine(content);
  if (typeof text === "string") return oneLine(text);
  if (typeof event === "string") return event.replaceAll("_", " ");
  return oneLine(JSON.stringify(content));
}

/** Markdown that only makes sense when it is rendered is left out. */
export const oneLine = (text: string) =>
  visible(
    text
      .slice(0, 300)
      .replace(/```[\w-]*|\*\*|`/g, "")
      .replace(/\s+/g, " ")
      .trim(),
  );
