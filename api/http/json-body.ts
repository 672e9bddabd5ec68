import { invalidArgument } from "../verbs/errors.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });

// No verb takes nearly as many, and to make a million of them would keep everybody else waiting.
const MOST_VALUES = 100_000;

export function parseJson(body: Buffer): { value: unknown; text: string } {
  if (valuesIn(body) > MOST_VALUES)
    throw invalidArgument(
      "body",
      `The body holds more than ${MOST_VALUES} values.`,
      "Split it over several calls, or send it as one text.",
    );
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

/** How many values JSON has, counted by what stands before each; as soon as they are too many, that suffices. */
function valuesIn(body: Buffer): number {
  if (body.length <= MOST_VALUES) return 0;
  let values = 0;
  for (let at = 0; at < body.length && values <= MOST_VALUES; at++) {
    const sign = body[at];
    if (sign === QUOTE) at = endOfText(body, at);
    else if (sign === COMMA || sign === BRACKET || sign === BRACE) values++;
  }
  return values;
}

const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACE] = Buffer.from('"\\,[{') as unknown as number[];

function endOfText(body: Buffer, start: number): number {
  for (let at = start + 1; ; at++) {
    at = body.indexOf(QUOTE as number, at);
    if (at < 0) return body.length;
    let backslashes = 0;
    while (body[at - 1 - backslashes] === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return at;
  }
}
