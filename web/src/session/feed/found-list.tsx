import { type RefObject, useCallback, useEffect, useRef, useState } from "react";
import { count } from "../format.ts";
import { jumpTo } from "../jump.ts";
import { useShow } from "../use-show.ts";
import type { Filter } from "./filter.ts";
import type { FoundFeed } from "./found-feed.ts";
import { MessageList } from "./message-list.tsx";
import { useFoundFeed } from "./use-found-feed.ts";

export type MoveHit = (by: 1 | -1) => void;

/** A key was pressed before what was looked for had been found. */
export interface AwaitedMove {
  by: 1 | -1;
  words: string;
}

interface FoundListProps {
  filter: Filter;
  /** Where the keys of the search lead: to the next hit, or the one before. */
  moveHit: RefObject<MoveHit | undefined>;
  awaited: RefObject<AwaitedMove | undefined>;
}

/** The feed, narrowed to what was looked for, with what stands around it. */
export function FoundList({ filter, moveHit, awaited }: FoundListProps) {
  const found = useFoundFeed(filter);
  const source = found.source();
  const goTo = useRef<(sequence: number) => void>(undefined);
  const [current, setCurrent] = useState<number>();
  const hits = [...found.hits].sort((a, b) => a - b);
  moveHit.current = (by) => {
    // The newest is where one begins; beyond the last one the first comes.
    const at = current === undefined ? hits.length - 1 : (hits.indexOf(current) + by + hits.length) % hits.length;
    const next = hits[at];
    if (!next) {
      awaited.current = { by, words: filter.search };
      return;
    }
    setCurrent(next);
    goTo.current?.(next);
  };
  useEffect(() => {
    if (hits.length === 0 || awaited.current?.words !== filter.search) return;
    const { by } = awaited.current;
    awaited.current = undefined;
    moveHit.current?.(by);
  });
  const show = useShow();
  // A link to a message that is not among the hits leads out of them.
  const leave = useCallback(
    async (sequence: number) => {
      await show({ q: undefined, team: undefined, kind: undefined, me: undefined });
      jumpTo(sequence);
    },
    [show],
  );
  return (
    <>
      <p role="status" className="border-b bg-muted px-4 py-1 text-xs text-muted-foreground">
        {words(found)}
        {current ? ` · ${count(hits.indexOf(current) + 1)} of ${count(hits.length)}` : ""}
      </p>
      {source.count > 0 ? (
        <MessageList source={source} found={found} goTo={goTo} onOutside={leave} />
      ) : (
        <div className="flex-1" />
      )}
    </>
  );
}

function words({ hits, state }: FoundFeed): string {
  if (state === "failed") return "The search did not work. Change it to try again.";
  if (hits.size === 0) return state === "complete" ? "Nothing found." : "Searching …";
  if (state !== "complete") return `The newest ${count(hits.size)} hits`;
  return hits.size === 1 ? "1 hit" : `${count(hits.size)} hits`;
}
