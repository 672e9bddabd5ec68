import type { Attribute, ResultType } from "./catalogue.ts";

/**
 * Leaves out the fields that the catalogue marks @optional where they are null, and the spaces between values: agents pay for every
 * byte. One pass over the text, without making values of it: a roster of a thousand is long, and numbers keep their digits.
 */
export function prune(type: ResultType | undefined, answer: string): string {
  return type?.prunable ? new Pruner(answer).prune(type) : answer;
}

const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACE, END_BRACKET, END_BRACE] = [...'"\\,[{]}'].map((c) => c.charCodeAt(0));
const [TAB, LINE, RETURN, SPACE] = [9, 10, 13, 32];

class Pruner {
  #text: string;
  /** Where it has got to, and what was copied: everything before #from, without what was cut. */
  #at = 0;
  #from = 0;
  #kept = "";

  constructor(text: string) {
    this.#text = text;
  }

  prune(type: ResultType): string {
    this.#value(type);
    this.#cut(this.#text.length, this.#text.length);
    return this.#kept;
  }

  #cut(start: number, end: number) {
    this.#kept += this.#text.slice(this.#from, start);
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
      const [comma, done, from] = [this.#at++, this.#kept, this.#from];
      this.#spaces();
      if (this.#text.charCodeAt(this.#at) !== QUOTE) break;
      const start = this.#at;
      this.#string();
      const name = this.#text.slice(start + 1, this.#at - 1);
      // They come in the order of the type.
      const attribute: Attribute | undefined =
        attributes[place]?.name === name ? attributes[place] : attributes.find((known) => known.name === name);
      place++;
      this.#spaces();
      this.#at++;
      this.#spaces();
      if (attribute?.optional && this.#text.startsWith("null", this.#at)) {
        this.#at += "null".length;
        this.#spaces();
        // As if it had not been there, with the comma before it, or, if it is the first, behind it.
        [this.#kept, this.#from] = [done, from];
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

  #string() {
    for (;;) {
      const sign = this.#text.charCodeAt(++this.#at);
      if (sign === BACKSLASH) this.#at++;
      else if (sign === QUOTE) break;
    }
    this.#at++;
  }

  /** Anything, without looking for fields. */
  #skip() {
    for (let depth = 0; this.#at < this.#text.length; this.#at++) {
      switch (this.#text.charCodeAt(this.#at)) {
        case QUOTE:
          this.#string();
          this.#at--;
          break;
        case BRACKET:
        case BRACE:
          depth++;
          break;
        case END_BRACKET:
        case END_BRACE:
          if (--depth < 0) return;
          break;
        case COMMA:
          if (depth === 0) return;
          break;
        case TAB:
        case LINE:
        case RETURN:
        case SPACE:
          this.#spaces();
          this.#at--;
          break;
      }
    }
  }
}
