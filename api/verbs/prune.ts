import type { Attribute, ResultType } from "./catalogue.ts";

/**
 * Leaves out the fields that the catalogue marks @optional where they are null, and the spaces between values: agents pay for every
 * byte. One pass over the text, without making values of it: a roster of a thousand is long, and numbers keep their digits.
 */
export function prune(type: ResultType | undefined, answer: string): string {
  return type?.prunable ? new Pruner(answer).prune(type) : answer;
}

// What JSON takes for a space is the last of them or stands before it.
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const END_BRACKET = 0x5d;
const BRACE = 0x7b;
const END_BRACE = 0x7d;

class Pruner {
  #text: string;
  /** Where it has got to, and the pieces of everything before #from that stay. Joined once: a text that grew with each would be copied again by whoever reads it. */
  #at = 0;
  #from = 0;
  #kept: string[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  prune(type: ResultType): string {
    this.#value(type);
    if (this.#from === 0) return this.#text;
    this.#cut(this.#text.length, this.#text.length);
    return this.#kept.join("");
  }

  #cut(start: number, end: number) {
    this.#kept.push(this.#text.slice(this.#from, start));
    this.#from = end;
  }

  #spaces() {
    const start = this.#at;
    while (this.#text.charCodeAt(this.#at) <= SPACE) this.#at++;
    if (this.#at > start) this.#cut(start, this.#at);
  }

  /** What stands before it may be a space; behind it is the first sign that is not its own. */
  #value(type: ResultType | undefined) {
    this.#spaces();
    const begins = this.#text.charCodeAt(this.#at);
    if (type?.prunable && begins === BRACKET) this.#list(type);
    else if (type?.prunable && begins === BRACE) this.#object(type);
    else this.#skip();
  }

  #list(type: ResultType) {
    do {
      this.#at++;
      this.#spaces();
      if (this.#text.charCodeAt(this.#at) !== END_BRACKET) this.#value(type);
      this.#spaces();
    } while (this.#text.charCodeAt(this.#at) === COMMA);
    this.#at++;
  }

  #object({ attributes }: ResultType) {
    let kept = 0;
    let place = 0;
    do {
      const comma = this.#at++;
      const done = this.#kept.length;
      const from = this.#from;
      this.#spaces();
      if (this.#text.charCodeAt(this.#at) !== QUOTE) break;
      const attribute = this.#name(attributes, place++);
      this.#spaces();
      this.#at++;
      this.#spaces();
      if (attribute?.optional && this.#text.startsWith("null", this.#at)) {
        this.#at += "null".length;
        this.#spaces();
        // As if it had not been there, with the comma before it, or, if it is the first, behind it.
        this.#kept.length = done;
        this.#from = from;
        if (kept > 0) this.#cut(comma, this.#at);
        else this.#cut(comma + 1, this.#text.charCodeAt(this.#at) === COMMA ? this.#at + 1 : this.#at);
      } else {
        kept++;
        this.#value(attribute?.composite);
        this.#spaces();
      }
    } while (this.#text.charCodeAt(this.#at) === COMMA);
    this.#at++;
  }

  /** They come in the order of the type: then the name is compared where it stands, and not made a text of its own. */
  #name(attributes: Attribute[], place: number): Attribute | undefined {
    const start = this.#at + 1;
    const expected = attributes[place];
    const end = start + (expected?.name.length ?? 0);
    if (expected && this.#text.startsWith(expected.name, start) && this.#text.charCodeAt(end) === QUOTE) {
      this.#at = end + 1;
      return expected;
    }
    this.#string();
    const name = this.#text.slice(start, this.#at - 1);
    return attributes.find((known) => known.name === name);
  }

  #string() {
    const text = this.#text;
    let at = this.#at + 1;
    for (let sign = text.charCodeAt(at); sign !== QUOTE; sign = text.charCodeAt(++at)) if (sign === BACKSLASH) at++;
    this.#at = at + 1;
  }

  /** Anything, without looking for fields. */
  #skip() {
    const text = this.#text;
    for (let depth = 0; this.#at < text.length; ) {
      const sign = text.charCodeAt(this.#at);
      if (sign === QUOTE) this.#string();
      else if (sign <= SPACE) this.#spaces();
      else if (depth === 0 && (sign === COMMA || sign === END_BRACKET || sign === END_BRACE)) return;
      else {
        if (sign === BRACKET || sign === BRACE) depth++;
        else if (sign === END_BRACKET || sign === END_BRACE) depth--;
        this.#at++;
      }
    }
  }
}
