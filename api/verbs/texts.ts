import { invalidArgument } from "./errors.ts";

const MAX_NESTING = 100;

/** Postgres cannot hold NUL, and a lone surrogate would silently become another character. */
export function checkTexts(field: string, value: unknown, nesting = 0): void {
  if (typeof value === "string") checkText(field, value);
  if (typeof value !== "object" || value === null) return;
  if (nesting > MAX_NESTING)
    throw invalidArgument(field, `${field} is nested too deeply.`, `At most ${MAX_NESTING} levels; send it as a text.`);
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item !== "number") checkTexts(field, item, nesting + 1);
    return;
  }
  for (const key of Object.keys(value)) {
    checkText(field, key);
    checkTexts(field, (value as Record<string, unknown>)[key], nesting + 1);
  }
}

function checkText(field: string, text: string) {
  if (text.includes("\0"))
    throw invalidArgument(
      field,
      `${field} holds a NUL character, which cannot be stored.`,
      "Leave it out, or write it as base64.",
    );
  if (!text.isWellFormed())
    throw invalidArgument(
      field,
      `${field} holds half of a surrogate pair, which is not text.`,
      "Send whole characters, as UTF-8.",
    );
}
