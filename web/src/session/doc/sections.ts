/** A stretch of the document that is formatted by itself, so that an edit costs what it changes and not the whole. */
export interface DocSection {
  /** Stays the same while others change. */
  key: string;
  /** The heading that it begins with, as it is written; undefined for what goes on under one, or stands before the first. */
  heading: string | undefined;
  text: string;
}

const HEADING = /^ {0,3}(#{1,2})[ \t]+(.*?)[ \t]*#*[ \t]*$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const FRESH = /^[\p{L}#]/u;
/** A reference that other sections may use: [name]: https://… */
const DEFINITION = /^ {0,3}\[(?!\^)[^\]]{1,200}\]:[ \t]*\S+/;
/** What is longer is cut where a paragraph begins. */
const LONG = 4_000;
/** With more headings than these, short sections are not worth a piece of their own. */
const MANY_HEADINGS = 300;
const MOST_DEFINITIONS = 100;
const MARKS = /[|*_`[\]]/g;
/** A page of much more is slow to scroll and to search; what follows is shown as it was written. */
const HEAVIEST = 40_000;

export interface DocSections {
  sections: DocSection[];
  /** What is left when there is too much to format. */
  rest: string;
}

interface Line {
  at: number;
  text: string;
  /** Whether a section may begin here. */
  heading: string | undefined;
  fresh: boolean;
}

export function sectionsOf(text: string): DocSections {
  const { lines, headings, definitions } = linesOf(text);
  const least = headings > MANY_HEADINGS ? LONG : 0;
  const sections: DocSection[] = [];
  const named = new Map<string, number>();
  let weight = 0;
  let open = { at: 0, heading: undefined as string | undefined, key: "", piece: 0 };
  const close = (end: number) => {
    const source = text.slice(open.at, end);
    if (source.trim() === "") return;
    const uses = definitions !== "" && source.includes("]") ? `\n\n${definitions}` : "";
    sections.push({ key: `${open.key}.${open.piece}`, heading: open.heading, text: source + uses });
  };
  for (const line of lines) {
    const length = line.at - open.at;
    if (line.heading !== undefined && length >= least) {
      close(line.at);
      const nth = named.get(line.heading) ?? 0;
      named.set(line.heading, nth + 1);
      open = { at: line.at, heading: line.heading, key: `${line.heading} ${nth}`, piece: 0 };
    } else if (line.fresh && length >= LONG) {
      close(line.at);
      open = { ...open, at: line.at, heading: undefined, piece: open.piece + 1 };
    }
    weight += 2 + (line.text.match(MARKS)?.length ?? 0);
    if (weight > HEAVIEST && open.at === line.at) return { sections, rest: text.slice(line.at) };
  }
  close(text.length);
  return { sections, rest: "" };
}

function linesOf(text: string) {
  const lines: Line[] = [];
  const definitions: string[] = [];
  let fence: string | undefined;
  let headings = 0;
  let blank = true;
  let at = 0;
  for (const line of text.split("\n")) {
    const mark = FENCE.exec(line)?.[1];
    const inside = fence !== undefined;
    if (fence === undefined) fence = mark;
    else if (mark?.startsWith(fence)) fence = undefined;
    const heading = inside || mark ? undefined : HEADING.exec(line)?.[2];
    if (heading !== undefined) headings++;
    if (!inside && definitions.length < MOST_DEFINITIONS && DEFINITION.test(line)) definitions.push(line);
    lines.push({ at, text: line, heading, fresh: !inside && blank && FRESH.test(line) });
    blank = !inside && line.trim() === "";
    at += line.length + 1;
  }
  return { lines, headings, definitions: definitions.join("\n") };
}
