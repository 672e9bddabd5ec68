import { Trouble } from "./errors.ts";

// Peers' texts are data: nothing in them may move the cursor of a terminal, turn the direction of the writing, or be read by
// a model and seen by nobody. As in db/private/spelled_out.sql; joiners stay, as scripts and emoji need them.
const UNSAFE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not get through
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|[\u{e0100}-\u{e01ef}]/gu;

const escaped = (character: string) =>
  character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");

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

/** Whatever it is made of. */
export const print = (text: string) => write(safe(text.endsWith("\n") ? text : `${text}\n`));

export const note = (text: string) => process.stderr.write(`${safe(text)}\n`);
