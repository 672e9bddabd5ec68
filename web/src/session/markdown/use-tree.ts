import type { Root } from "hast";
import { useEffect, useMemo, useState } from "react";
import { formatAway, formattedBefore } from "./format-away.ts";
import { isEasy } from "./parts.ts";
import { treeOf } from "./tree.ts";

export interface Formatted {
  text: string;
  /** Missing when the text could not be formatted. */
  tree: Root | undefined;
}

/** The text formatted: at once when that is easy, else as soon as a worker has done it; until then what was shown before. */
export function useTree(text: string): Formatted | undefined {
  const atOnce = useMemo(() => (isEasy(text) ? { text, tree: treeOf(text) } : formattedBefore(text)), [text]);
  const [away, setAway] = useState<Formatted>();
  useEffect(() => {
    if (atOnce) return setAway(atOnce);
    const gone = new AbortController();
    formatAway(text, gone.signal).then((tree) => gone.signal.aborted || setAway({ text, tree }));
    return () => gone.abort();
  }, [text, atOnce]);
  return atOnce ?? away;
}
