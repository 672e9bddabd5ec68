import type { Root } from "hast";

// A long document may take its time, while what was there before is shown.
const patience = (text: string) => 3_000 + text.length / 100;
const MOST_KEPT = 100;

let worker: Worker | undefined;
let before: Promise<unknown> = Promise.resolve();
/** What was formatted lately: rows of the feed come and go while it is scrolled. */
const kept = new Map<string, Root>();

export const formattedBefore = (text: string) => (kept.has(text) ? { text, tree: kept.get(text) } : undefined);

/** Formats a text where it cannot hold up the page, one after the other. Undefined when that fails or takes too long. */
export function formatAway(text: string, signal: AbortSignal): Promise<Root | undefined> {
  const turn = before.then(async () => {
    if (signal.aborted || kept.has(text)) return kept.get(text);
    const tree = await ask(text);
    // What failed on a busy day may succeed on the next visit.
    if (!tree) return undefined;
    for (const oldest of kept.keys()) if (kept.size >= MOST_KEPT) kept.delete(oldest);
    kept.set(text, tree);
    return tree;
  });
  const settled = turn.catch(() => undefined);
  before = settled;
  return settled;
}

function ask(text: string): Promise<Root | undefined> {
  return new Promise((resolve) => {
    worker ??= new Worker(new URL("./format-worker.ts", import.meta.url), { type: "module" });
    const settle = (tree: Root | undefined) => {
      clearTimeout(timer);
      resolve(tree);
    };
    const giveUp = () => {
      worker?.terminate();
      worker = undefined;
      settle(undefined);
    };
    const timer = setTimeout(giveUp, patience(text));
    worker.onmessage = ({ data }: MessageEvent<Root | undefined>) => settle(data);
    worker.onerror = giveUp;
    worker.postMessage(text);
  });
}
