import { invalidArgument } from "../verbs/errors.ts";

export function parseJson(body: Buffer): { value: unknown; text: string } {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(body);
    return { value: JSON.parse(text), text };
  } catch (error) {
    const why = error instanceof SyntaxError ? "is not valid JSON" : "is not valid UTF-8";
    throw invalidArgument(
      "body",
      `The body ${why}.`,
      "Quote the body with single quotes in the shell, and check its commas and braces.",
    );
  }
}
