import { useEffect, useState } from "react";
import { ask } from "@/lib/ask.ts";
import { graphql } from "@/lib/graphql.ts";
import { sequenceAt } from "./lanes.ts";
import { isSaid, type Mark, markOf } from "./use-timeline.ts";
import type { Span } from "./zoom.ts";

const SETTLED_MS = 150;
const MOST = 500;

const StretchQuery = graphql(`
  query Stretch($id: UUID!, $from: Int!, $to: Int!) {
    session(id: $id) {
      feed(fromCursor: $from, toCursor: $to, first: 500) { nodes { sequence type kind postedAt postedBy { handle } } }
    }
  }
`);

/** Of a long feed every so many-th message is known; of what is looked at closely, all are. */
export function useStretch(id: string, marks: readonly Mark[], { start, end }: Span, isNear: boolean): readonly Mark[] {
  const [near, setNear] = useState<{ from: number; to: number; marks: Mark[] }>();
  const from = sequenceAt(marks, start) ?? 1;
  const to = sequenceAt(marks, end) ?? 1;
  const between = marks.filter(({ sequence }) => sequence >= from && sequence <= to).length;
  // A short feed is known whole.
  const isLong = (marks.at(-1)?.sequence ?? 0) > MOST;
  const missing =
    isNear && isLong && to - from + 1 <= MOST && between < to - from && !(near && near.from <= from && near.to >= to);
  useEffect(() => {
    if (!missing) return;
    let current = true;
    const read = async () => {
      const { data } = await ask(StretchQuery, { id, from, to });
      const found = data?.session?.feed.nodes;
      if (current && found) setNear({ from, to, marks: found.filter(isSaid).map(markOf) });
    };
    const timer = setTimeout(read, SETTLED_MS);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [id, from, to, missing]);
  if (!near || near.to < from || near.from > to) return marks;
  return [...marks.filter(({ sequence }) => sequence < near.from || sequence > near.to), ...near.marks].sort(
    (a, b) => a.sequence - b.sequence,
  );
}
