import { useMemo } from "react";
import { useQuery, useSubscription } from "urql";
import {
  DocTicks,
  FeedTicks,
  type Message,
  type Participant,
  type RelatedSession,
  RosterTicks,
  type SessionHead,
  SessionQuery,
} from "./queries.ts";
import { useRoster } from "./use-roster.ts";

export interface LiveSession {
  head: SessionHead;
  doc: string;
  participants: Participant[];
  /** What came with the last tick of the feed. */
  newest: Message[];
  lineage: Lineage;
}

/** The session that this one picks up, and those that pick this one up. */
export interface Lineage {
  continues: RelatedSession | null;
  continuations: RelatedSession[];
}

const NONE: Message[] = [];

export type SessionState =
  | { phase: "loading" }
  | { phase: "unknown" }
  | { phase: "deleted" }
  | { phase: "failed"; error: Error; retry: () => void }
  | { phase: "open"; session: LiveSession };

/** One read, then three streams of ticks; each tick says how things are now, so none can be missed. */
export function useSession(ref: string): SessionState {
  const [found, read] = useQuery({ query: SessionQuery, variables: { ref }, requestPolicy: "cache-and-network" });
  const whole = found.data?.sessionByRef;
  const id = whole?.id ?? "";
  const [feedTick] = useSubscription({ query: FeedTicks, variables: { id }, pause: !id });
  const [docTick] = useSubscription({ query: DocTicks, variables: { id }, pause: !id });
  const [rosterTick] = useSubscription({ query: RosterTicks, variables: { id }, pause: !id });
  const feed = feedTick.data?.sessionFeed?.session;
  const doc = docTick.data?.sessionDoc?.session;
  const roster = useRoster(id, rosterTick.data?.sessionRoster?.session);
  const continuations = (doc ?? whole)?.continuations;
  const lineage = useMemo(
    () => ({ continues: whole?.continues ?? null, continuations: continuations?.nodes ?? [] }),
    [whole?.continues, continuations],
  );

  const deleted = feed === null || doc === null;

  return useMemo(() => {
    if (deleted) return { phase: "deleted" };
    if (!whole) {
      if (found.error)
        return { phase: "failed", error: found.error, retry: () => read({ requestPolicy: "network-only" }) };
      return found.data ? { phase: "unknown" } : { phase: "loading" };
    }
    const heads = [whole, feed, doc].filter((head) => head != null);
    const newest = doc ?? feed ?? whole;
    const closed = heads.find(({ status }) => status === "closed");
    return {
      phase: "open",
      session: {
        head: {
          ...newest,
          lastSequence: Math.max(...heads.map(({ lastSequence }) => lastSequence)),
          status: closed ? "closed" : "active",
          state: closed ? "concluded" : (roster?.state ?? newest.state),
          closedAt: closed?.closedAt ?? null,
        },
        doc: (doc ?? whole).sessionDoc ?? "",
        participants: (roster ?? whole).participants.nodes,
        newest: feed?.messages.nodes ?? NONE,
        lineage,
      },
    };
  }, [deleted, whole, found, feed, doc, roster, lineage, read]);
}
