import type { Root } from "hast";
import { useEffect, useMemo, useRef, useState } from "react";
import { formatAway, formattedBefore } from "./format-away.ts";
import { isEasy } from "./parts.ts";
import { treeOf } from "./tree.ts";

export interface Formatted {
  text: string;
  /** Missing when the text could not be formatted. */
  tree: Root | undefined;
}

/** The text formatted: at once when that is easy, else as soon as a worker has done it; until then what was shown before. */
export function useTree(text: string, elsewhere = false): Formatted | undefined {
  const atOnce = useMemo(
    () => (!elsewhere && isEasy(text) ? { text, tree: treeOf(text) } : formattedBefore(text)),
    [text, elsewhere],
  );
  const [away, setAway] = useState<Formatted>();
  const shown = useRef<Formatted>(undefined);
  if (atOnce) shown.current = atOnce;
  else if (away?.text === text) shown.current = away;
  useEffect(() => {
    if (atOnce) return;
    const gone = new AbortController();
    formatAway(text, gone.signal).then((tree) => gone.signal.aborted || setAway({ text, tree }));
    return () => gone.abort();
  }, [text, atOnce]);
  return shown.current;
}
