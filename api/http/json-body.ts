import { invalidArgument } from "../verbs/errors.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });

export function parseJson(body: Buffer): { value: unknown; text: string } {
  try {
    const text = utf8.decode(body);
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
