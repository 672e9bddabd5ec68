import { useEffect, useState } from "react";
import { ask } from "@/lib/ask.ts";
import { graphql } from "@/lib/graphql.ts";
import { contentOf, type Message } from "../queries.ts";
import type { SessionStore } from "../store/session-store.ts";

export interface Mark {
  sequence: number;
  at: number;
  handle: string | undefined;
  kind: string;
}

export interface TaskEvent {
  sequence: number;
  at: number;
  event: string;
  task: number;
  title: string;
  handle: string | undefined;
}

export interface PresenceChange {
  participantId: number;
  at: string;
  status: string;
}

export interface TimelineData {
  marks: readonly Mark[];
  events: readonly TaskEvent[];
  presence: readonly PresenceChange[];
}

const TimelineQuery = graphql(`
  query Timeline($id: UUID!) {
    session(id: $id) {
      lastSequence
      sample(most: 500, first: 500) { nodes { sequence type kind postedAt postedBy { handle } } }
      taskEvents(first: 500) { nodes { sequence type kind postedAt content } }
      presenceChanges(last: 500, orderBy: [AT_ASC]) { nodes { participantId at status } }
    }
  }
`);

interface State {
  data?: TimelineData;
  failed: boolean;
}

/** Read once, when it is first looked at; what comes later it takes from the store, without asking. */
export function useTimeline(store: SessionStore, id: string, shown: boolean): State {
  const [state, setState] = useState<State>({ failed: false });
  useEffect(() => {
    if (!shown) return;
    let current = true;
    let known = 0;
    const follow = () => {
      if (known === 0 || !store.session || store.session.last <= known) return;
      const came: Message[] = [];
      for (let sequence = known + 1; sequence <= store.session.last; sequence++) {
        const message = store.feed.get(sequence);
        // What was missed is far from what is looked at: all of it is read once more.
        if (!message) return void read();
        came.push(message);
      }
      known = store.session.last;
      setState(({ data, failed }) => ({ data: data && extended(data, came), failed }));
    };
    const read = async () => {
      known = 0;
      const { data, error } = await ask(TimelineQuery, { id });
      if (!current) return;
      const found = data?.session;
      if (error || !found) return setState((before) => ({ ...before, failed: true }));
      known = found.lastSequence;
      setState({
        data: {
          marks: found.sample.nodes.filter(isSaid).map(markOf),
          events: found.taskEvents.nodes.toReversed().flatMap(eventOf),
          presence: found.presenceChanges.nodes,
        },
        failed: false,
      });
      follow();
    };
    const stop = store.subscribe(follow);
    void read();
    return () => {
      current = false;
      stop();
    };
  }, [store, id, shown]);
  return state;
}

type Said = Pick<Message, "sequence" | "type" | "kind" | "postedAt"> & { postedBy: { handle: string } | null };

export const isSaid = ({ type }: Pick<Message, "type">) => type !== "system";
export const markOf = ({ sequence, kind, postedAt, postedBy }: Said): Mark => ({
  sequence,
  at: Date.parse(postedAt),
  handle: postedBy?.handle,
  kind,
});

function eventOf(message: Pick<Message, "sequence" | "postedAt" | "content">): TaskEvent[] {
  const { event, task, title, handle } = contentOf(message as Message);
  if (typeof event !== "string" || !event.startsWith("task_") || typeof task !== "number") return [];
  return [
    {
      sequence: message.sequence,
      at: Date.parse(message.postedAt),
      event,
      task,
      title: typeof title === "string" ? title : "",
      handle: typeof handle === "string" ? handle : undefined,
    },
  ];
}

const extended = ({ marks, events, presence }: TimelineData, came: readonly Message[]): TimelineData => ({
  marks: [...marks, ...came.filter(isSaid).map(markOf)],
  events: [...events, ...came.filter((message) => !isSaid(message)).flatMap(eventOf)],
  presence,
});
