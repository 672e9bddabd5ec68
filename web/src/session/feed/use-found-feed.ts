import { useEffect, useMemo, useSyncExternalStore } from "react";
import { ask } from "@/lib/ask.ts";
import { sessionRoute } from "@/router.tsx";
import { FindQuery, MessagesAtQuery } from "../queries.ts";
import { useSession, useSessionStore } from "../store/session-provider.tsx";
import { type Filter, isEmpty } from "./filter.ts";
import { FoundFeed } from "./found-feed.ts";

const HUMANS = "humans";

/** What the address narrows the feed to; undefined when that is nothing. */
export function useFilter(): Filter | undefined {
  const { q = "", team = "", kind = "", me } = sessionRoute.useSearch();
  const handle = useSession((session) => session.head.you.handle);
  return useMemo(() => {
    const addressees = me ? [HUMANS, ...(handle ? [handle] : [])] : [];
    const filter = { search: q, team, kind, addressees };
    return isEmpty(filter) ? undefined : filter;
  }, [q, team, kind, me, handle]);
}

/** The hits of a filter, and what comes to them. */
export function useFoundFeed(filter: Filter): FoundFeed {
  const store = useSessionStore();
  const id = useSession((session) => session.head.id);
  const found = useMemo(() => {
    const find = async (given: Filter, before: number | undefined, first: number) => {
      const { search, team, kind, addressees } = given;
      const { data, error } = await ask(FindQuery, {
        id,
        search: search || null,
        team: team || null,
        kind: kind || null,
        addressees: addressees.length > 0 ? [...addressees] : null,
        before: before ?? null,
        first,
      });
      if (error) throw error;
      return data?.session?.findMessages.nodes ?? [];
    };
    const at = async (cursors: number[]) => {
      const { data, error } = await ask(MessagesAtQuery, { id, cursors });
      if (error) throw error;
      return data?.session?.messagesAt.nodes ?? [];
    };
    return new FoundFeed(filter, store.session?.last ?? 0, { find, at });
  }, [store, id, filter]);
  useEffect(() => {
    void found.readOn();
    return store.onMessages((messages) => {
      for (const message of messages) found.offer(message, store.feed.get(message.sequence - 1));
    });
  }, [store, found]);
  useSyncExternalStore(found.subscribe, found.source);
  return found;
}
