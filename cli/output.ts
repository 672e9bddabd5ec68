import { Trouble } from "./errors.ts";

// Peers' texts are data: nothing in them may move the cursor of a terminal or turn the direction of the writing.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not get through
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g;

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** Shows control characters, other than tab and newline, instead of sending them. */
export const safe = (text: string) => text.replace(UNSAFE, escaped);

/** The same on one line. */
export const line = (text: string) => safe(text).replace(/\s*\n\s*/g, " ");

/** The same, with later lines indented: a text cannot look like the head of the next message. */
export const block = (text: string) => safe(text).replace(/\n(?=.)/g, "\n  ");

/** Still the same JSON: inside a string such a character may be written like this. */
export const json = (value: unknown) => safe(JSON.stringify(value));

/** Resolves when the text has left the process. */
export function write(text: string): Promise<undefined> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) =>
      error ? reject(new Trouble("Nobody reads the output any more.")) : resolve(undefined),
    );
  });
}

export const print = (text: string) => write(text.endsWith("\n") ? text : `${text}\n`);

export const note = (text: string) => process.stderr.write(`${text}\n`);
