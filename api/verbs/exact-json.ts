/** A value with the text that it was written as, where the numbers of JavaScript would change it. */
export class Written {
  value: unknown;
  text: string;

  constructor(value: unknown, text: string) {
    this.value = value;
    this.text = text;
  }
}

// A number of 16 signs or more, with an exponent, or with zeros behind its fraction. Texts may match too: that costs time only.
// What comes before a number is looked at behind its first digit: where there is none, a text is passed over a hundred times faster.
const CHANGES = /[\d.](?<=(?:^|[:,[\s])-?.)(?:[\d.]{15}|[\d.]*[eE]|(?<=\d)\d*\.\d*0(?:[,\]}\s]|$))/;

/** Whether JSON.parse and JSON.stringify may bring it back as something else. */
export const mayChange = (text: string) => CHANGES.test(text);

/** The members of an object that JSON.parse has understood; those whose numbers would change as they were written. */
export function asWritten(value: Record<string, unknown>, text: string): Record<string, unknown> {
  if (!mayChange(text)) return value;
  for (const [name, part] of new Map(members(text))) {
    if (mayChange(part))
      Object.defineProperty(value, name, { value: new Written(value[name], part), enumerable: true });
  }
  return value;
}

/** The items of a list, each as it was written. */
export const itemsAsWritten = ({ value, text }: Written): Written[] =>
  elements(text).map((part, i) => new Written((value as unknown[])[i], part));

/** How many digits its exponents stand for. */
export function digitsOfExponents(text: string): number {
  let digits = 0;
  for (let at = 0; at < text.length; ) {
    const quote = text.indexOf('"', at);
    const numbers = text.slice(at, quote < 0 ? text.length : quote);
    for (const [, exponent] of numbers.matchAll(/[eE]([+-]?\d+)/g)) digits += Math.abs(Number(exponent));
    at = quote < 0 ? text.length : endOfString(text, quote);
  }
  return digits;
}

/** The names and the texts of the members of an object, given as JSON that is known to be valid. */
export function members(text: string): [string, string][] {
  return parts(text).map((part) => {
    const end = endOfString(part, 0);
    return [JSON.parse(part.slice(0, end)) as string, part.slice(part.indexOf(":", end) + 1).trim()];
  });
}

/** The texts of the items of a list. */
export const elements = (text: string): string[] => parts(text);

/** What stands between the outermost brackets, cut at its commas. One pass, without making values of it. */
function parts(text: string): string[] {
  const found: string[] = [];
  const from = text.search(/[[{]/) + 1;
  let start = from;
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at) - 1;
        break;
      case BRACKET:
      case BRACE:
        depth++;
        break;
      case COMMA:
        if (depth > 0) break;
        found.push(text.slice(start, at).trim());
        start = at + 1;
        break;
      case END_BRACKET:
      case END_BRACE:
        if (depth-- > 0) break;
        if (found.length > 0 || text.slice(start, at).trim() !== "") found.push(text.slice(start, at).trim());
        return found;
    }
  }
  return found;
}

const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACE, END_BRACKET, END_BRACE] = [...'"\\,[{]}'].map((c) => c.charCodeAt(0));

/** Behind the closing quote of the string that begins here. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end + 1;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++;
  return backslashes % 2 === 1;
}
