import { useCallback, useEffect, useState } from "react";
import { useClient, useQuery } from "urql";
import { useEvery } from "@/lib/time.ts";
import type { SessionsSearch } from "@/router.tsx";
import { SessionListTicks, SessionsQuery } from "./queries.ts";

const PAGE = 50;
const MOST = 500;
const LOOK_EVERY_MS = 30_000;

/** The list as the server orders it, read again whenever it says that something is new. */
export function useSessions({ status, q }: SessionsSearch) {
  const [first, setFirst] = useState(PAGE);
  const [{ data, error, fetching, stale }, execute] = useQuery({
    query: SessionsQuery,
    variables: { status: status ?? null, search: q ?? null, first },
    requestPolicy: "cache-and-network",
  });
  const client = useClient();

  useEffect(() => {
    const ticks = client.subscription(SessionListTicks, {});
    return ticks.subscribe(() => execute({ requestPolicy: "network-only" })).unsubscribe;
  }, [client, execute]);

  const retry = useCallback(() => execute({ requestPolicy: "network-only" }), [execute]);
  // Time alone makes a session quiet and a team silent.
  useEvery(LOOK_EVERY_MS, retry);
  const list = data?.findSessions;
  return {
    sessions: list?.nodes,
    total: data?.countSessions ?? 0,
    error,
    fetching: fetching || stale,
    retry,
    // A longer page instead of the next one: with rows that move, the next page would repeat or miss some.
    more: list?.pageInfo.hasNextPage && first < MOST ? () => setFirst((n) => Math.min(n * 2, MOST)) : undefined,
  };
}
