import { invalidArgument } from "./errors.ts";

const MAX_NESTING = 100;

/** Postgres cannot hold NUL, and a lone surrogate would silently become another character. */
export function checkTexts(field: string, value: unknown, nesting = 0): void {
  if (typeof value === "string") {
    if (value.includes("\0"))
      throw invalidArgument(
        field,
        `${field} holds a NUL character, which cannot be stored.`,
        "Leave it out, or write it as base64.",
      );
    if (!value.isWellFormed())
      throw invalidArgument(
        field,
        `${field} holds half of a surrogate pair, which is not text.`,
        "Send whole characters, as UTF-8.",
      );
  } else if (typeof value === "object" && value !== null) {
    if (nesting > MAX_NESTING)
      throw invalidArgument(
        field,
        `${field} is nested too deeply.`,
        `At most ${MAX_NESTING} levels; send it as a text.`,
      );
    for (const [key, item] of Object.entries(value)) {
      checkTexts(field, key, nesting + 1);
      checkTexts(field, item, nesting + 1);
    }
  }
}
