import { gql } from "@urql/core";
import { useEffect, useState } from "react";
import { pageClient } from "../page-client.ts";
import { type DocVersion, DocVersionsQuery } from "../queries.ts";

const PER_QUERY = 25;
const QUERIES = 10;
const MOST = 500;

export interface Mark {
  sequence: number;
  at: number;
  handle: string | undefined;
}

export interface PresenceChange {
  participantId: number;
  at: string;
  status: string;
}

export interface TimelineData {
  marks: Mark[];
  presence: PresenceChange[];
  edits: DocVersion[];
}

interface Posted {
  sequence: number;
  postedAt: string;
  postedBy: { handle: string } | null;
}

const PresenceQuery = gql<
  { session: { presenceChanges: { nodes: PresenceChange[] } } | null },
  { id: string; first: number }
>`
  query Presence($id: UUID!, $first: Int!) {
    session(id: $id) { presenceChanges(last: $first, orderBy: [AT_ASC]) { nodes { participantId at status } } }
  }
`;

/** Reads again only when the feed has grown by a hundredth: a picture need not follow every message. */
export function useTimeline(id: string, last: number): { data?: TimelineData; failed: boolean } {
  const [state, setState] = useState<{ data?: TimelineData; failed: boolean }>({ failed: false });
  const step = Math.max(1, Math.floor(last / 100));
  const upTo = Math.floor(last / step) * step;
  useEffect(() => {
    let current = true;
    Promise.all([readMarks(id, upTo), readPresence(id), readEdits(id)]).then(
      ([marks, presence, edits]) => current && setState({ data: { marks, presence, edits }, failed: false }),
      () => current && setState((before) => ({ ...before, failed: true })),
    );
    return () => {
      current = false;
    };
  }, [id, upTo]);
  return state;
}

/** Messages at equal distances: sequences have no gap, so they can be addressed without counting. */
async function readMarks(id: string, last: number): Promise<Mark[]> {
  const wanted = Math.min(last, PER_QUERY * QUERIES);
  const sequences = Array.from({ length: wanted }, (_, n) =>
    wanted === 1 ? 1 : Math.round(1 + (n * (last - 1)) / (wanted - 1)),
  );
  const batches: number[][] = [];
  for (let n = 0; n < sequences.length; n += PER_QUERY) batches.push(sequences.slice(n, n + PER_QUERY));
  const answers = await Promise.all(
    batches.map(async (batch) => {
      const fields = batch.map(
        (n) => `m${n}: message(sessionId: $id, sequence: ${n}) { sequence postedAt postedBy { handle } }`,
      );
      const { data, error } = await pageClient
        .query<Record<string, Posted | null>>(`query Marks($id: UUID!) { ${fields.join(" ")} }`, { id })
        .toPromise();
      if (error) throw error;
      return Object.values(data ?? {}).filter((message) => message !== null);
    }),
  );
  return answers
    .flat()
    .filter(({ sequence }) => sequence)
    .map(({ sequence, postedAt, postedBy }) => ({ sequence, at: Date.parse(postedAt), handle: postedBy?.handle }));
}

async function readPresence(id: string): Promise<PresenceChange[]> {
  const { data, error } = await pageClient.query(PresenceQuery, { id, first: MOST }).toPromise();
  if (error) throw error;
  return data?.session?.presenceChanges.nodes ?? [];
}

async function readEdits(id: string): Promise<DocVersion[]> {
  const { data, error } = await pageClient.query(DocVersionsQuery, { id, first: MOST }).toPromise();
  if (error) throw error;
  return data?.session?.sessionDocHistories.nodes ?? [];
}
