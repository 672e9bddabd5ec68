/** A stretch of the source that is formatted on its own, or shown as it was written. */
export interface Part {
  text: string;
  /** Where it begins in the source. */
  start: number;
  plain: boolean;
}

// The parser's time grows with the square of what stands in one another, and its stack with the depth. No reader
// follows a text beyond these either.
const DEEPEST = 40;
const MOST_MARKS = 600;
const MOST_CELLS = 20_000;
const MOST_LINES = 1_000;
const LONGEST_PARAGRAPH = 10_000;
/** The time also grows with the square of the whole, so that a long text is cut where a paragraph or heading begins. */
const PIECE = 4_000;

const CONTAINERS = /^(?:[ \t]|>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))*/;
const BEGINS_ANEW = /^[\s>]*(?:[-+*|]|\d{1,9}[.)]|#{1,6}\s)/;
const ENDS_CONTAINERS = /^[\p{L}#]/u;
const FENCE = /^[\s>*+\-\d.)]*(`{3,}|~{3,})/;
const MARKS = /[*_~[\]<]|`+/g;

const countOf = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;

/** How many quotes and lists a line stands in, at most. */
function depthOf(line: string): number {
  const prefix = CONTAINERS.exec(line)?.[0] ?? "";
  return countOf(prefix, />|[-+*]|\d+/g) + countOf(prefix, /\t| {2}/g);
}

interface Chunk {
  start: number;
  /** Whether it belongs to no list or quote before it. */
  fresh: boolean;
  plain: boolean;
  marks: number;
  characters: number;
  lines: number;
  widest: number;
}

const chunkAt = (start: number): Chunk => ({
  start,
  fresh: false,
  plain: false,
  marks: 0,
  characters: 0,
  lines: 0,
  widest: 0,
});

function take(chunk: Chunk, line: string) {
  if (chunk.lines === 0) chunk.fresh = ENDS_CONTAINERS.test(line);
  if (BEGINS_ANEW.test(line)) chunk.marks = chunk.characters = 0;
  chunk.characters += line.length;
  chunk.marks += countOf(line, MARKS);
  chunk.lines += 1;
  chunk.widest = Math.max(chunk.widest, countOf(line, /\|/g));
  chunk.plain ||=
    depthOf(line) > DEEPEST ||
    chunk.marks > MOST_MARKS ||
    chunk.characters > LONGEST_PARAGRAPH ||
    chunk.lines > MOST_LINES ||
    chunk.widest * chunk.lines > MOST_CELLS;
}

/** Splits a text at blank lines, so that what nobody could read formatted is left as it is, and only that. */
export function partsOf(source: string): Part[] {
  const parts: Part[] = [];
  let fence: string | undefined;
  let chunk = chunkAt(0);
  const close = (end: number) => {
    const { start, plain, fresh } = chunk;
    if (end === start) return;
    const last = parts.at(-1);
    if (last && last.plain === plain && (plain || !fresh || start - last.start < PIECE))
      last.text = source.slice(last.start, end);
    else parts.push({ text: source.slice(start, end), start, plain });
    chunk = chunkAt(end);
  };
  let at = 0;
  for (const line of source.split("\n")) {
    const mark = FENCE.exec(line)?.[1];
    if (fence) {
      if (mark?.startsWith(fence)) fence = undefined;
    } else if (line.trim() === "") close(at);
    else {
      if (mark) fence = mark;
      take(chunk, line);
    }
    at = Math.min(source.length, at + line.length + 1);
  }
  close(source.length);
  return parts;
}

const SHORT = 4_000;
const FEW_MARKS = 300;
const FEW_CELLS = 5_000;

/** Whether a text is formatted in no time, whatever it is. Fences are not believed: a forged one would hide the rest. */
export function isEasy(source: string): boolean {
  if (source.length > SHORT || countOf(source, MARKS) > FEW_MARKS) return false;
  const lines = source.split("\n");
  const widest = Math.max(...lines.map((line) => countOf(line, /\|/g)));
  return widest * lines.length <= FEW_CELLS && lines.every((line) => depthOf(line) <= DEEPEST);
}
