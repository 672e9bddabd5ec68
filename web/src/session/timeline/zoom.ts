/** From when to when. */
export interface Span {
  start: number;
  end: number;
}

/** Nothing happens in less. */
const SHORTEST_MS = 10_000;

const within = ({ start, end }: Span, whole: Span): Span => {
  const length = Math.min(end - start, whole.end - whole.start);
  const from = Math.min(Math.max(start, whole.start), whole.end - length);
  return { start: from, end: from + length };
};

/** A part of what is seen, or more than it: what is around the moment stays where it is. */
export function zoomed(seen: Span, whole: Span, factor: number, around: number): Span {
  const length = Math.max(SHORTEST_MS, (seen.end - seen.start) * factor);
  const share = (around - seen.start) / (seen.end - seen.start);
  const start = around - Math.min(1, Math.max(0, share)) * length;
  return within({ start, end: start + length }, whole);
}

/** Earlier or later, by a share of what is seen. */
export const moved = (seen: Span, whole: Span, share: number): Span => {
  const by = (seen.end - seen.start) * share;
  return within({ start: seen.start + by, end: seen.end + by }, whole);
};

/** What was drawn over with the pointer, in either direction. */
export function brushed(from: number, to: number, whole: Span): Span {
  const [start, end] = from < to ? [from, to] : [to, from];
  const more = Math.max(0, SHORTEST_MS - (end - start)) / 2;
  return within({ start: start - more, end: end + more }, whole);
}

/** As long as the session goes on and its end is seen, the end moves on. */
export const isWhole = (seen: Span, whole: Span) => seen.start <= whole.start && seen.end >= whole.end;
