import { useEffect, useLayoutEffect, useMemo, useSyncExternalStore } from "react";
import { pageClient } from "../page-client.ts";
import { FeedPageQuery, type Message } from "../queries.ts";
import { FeedPages } from "./feed-pages.ts";

export function useFeedPages(id: string, newest: Message[]) {
  const pages = useMemo(
    () =>
      new FeedPages(async (from, to) => {
        const { data, error } = await pageClient.query(FeedPageQuery, { id, from, to }).toPromise();
        if (error) throw error;
        return data?.session?.feed.nodes ?? [];
      }),
    [id],
  );
  useSyncExternalStore(pages.subscribe, pages.revision);
  // Before the list looks at what is missing.
  useLayoutEffect(() => pages.offer(newest), [pages, newest]);
  return pages;
}

/** Keeps what is on the screen in memory, and one message more for the day and the name above it. */
export function useShown(pages: FeedPages, first: number, last: number) {
  const revision = pages.revision();
  // biome-ignore lint/correctness/useExhaustiveDependencies: after each answer, and each failure, look again
  useEffect(() => {
    if (last > 0) pages.show(Math.max(1, first - 1), last);
  }, [pages, first, last, revision]);
}
