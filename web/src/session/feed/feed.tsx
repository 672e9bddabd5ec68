import { Search } from "lucide-react";
import { useMemo, useRef, useSyncExternalStore } from "react";
import { IN_SESSION, useCommands } from "@/shell/commands.ts";
import { wholeFeed } from "../store/feed-source.ts";
import { useSession, useSessionStore } from "../store/session-provider.tsx";
import { FindBar } from "./find-bar.tsx";
import { type AwaitedMove, FoundList, type MoveHit } from "./found-list.tsx";
import { MessageList } from "./message-list.tsx";
import { NoMessages } from "./no-messages.tsx";
import { useFilter } from "./use-found-feed.ts";

/** All that was said, or what a filter leaves of it: the same list over other messages. */
export function Feed() {
  const { ref, empty } = useSession(({ head: { ref }, last }) => ({ ref, empty: last === 0 }));
  const filter = useFilter();
  const input = useRef<HTMLInputElement>(null);
  const moveHit = useRef<MoveHit>(undefined);
  const awaited = useRef<AwaitedMove>(undefined);
  const move = (by: 1 | -1, words: string) => {
    if (filter?.search === words) moveHit.current?.(by);
    else awaited.current = { by, words };
  };
  useCommands([
    {
      id: "feed.find",
      title: "Find in the feed",
      group: IN_SESSION,
      keys: "/",
      icon: Search,
      run: () => input.current?.focus(),
    },
  ]);
  if (empty) return <NoMessages sessionRef={ref} />;
  return (
    <section aria-label="Feed" className="relative flex h-full min-h-0 flex-col">
      <FindBar inputRef={input} onMove={move} />
      {filter ? (
        <FoundList key={JSON.stringify(filter)} filter={filter} moveHit={moveHit} awaited={awaited} />
      ) : (
        <WholeList />
      )}
    </section>
  );
}

function WholeList() {
  const { feed: pages } = useSessionStore();
  const last = useSession((session) => session.last);
  const revision = useSyncExternalStore(pages.subscribe, pages.revision);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same pages hold other messages after each change
  const source = useMemo(() => wholeFeed(last, (sequence) => pages.get(sequence)), [pages, last, revision]);
  return <MessageList source={source} />;
}
