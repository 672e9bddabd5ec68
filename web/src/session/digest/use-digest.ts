import { gql } from "@urql/core";
import { useEffect, useRef, useState } from "react";
import { pageClient } from "../page-client.ts";

const READ_AGAIN_MS = 2_000;

export interface Note {
  cursor: number;
  handle: string;
  to: string[] | null;
  text: string;
  at: string;
}

export type Words = Pick<Note, "cursor" | "text">;

export interface Digest {
  throughCursor: number;
  messages: number;
  teams: {
    handle: string;
    teamName: string;
    activity: string | null;
    messages: number;
    questions: number;
    answers: number;
    decisions: number;
    docChanges: number;
    lastCursor: number | null;
    blocked: boolean | null;
    lastStatus: Words | null;
    lastMessage: Words | null;
  }[];
  openQuestions: Note[];
  decisions: Note[];
  docChanges: {
    cursor: number;
    version: number;
    handle: string;
    bytes: number;
    at: string;
    sections: string[] | null;
  }[];
  events: { cursor: number; event: string; handle: string | null; at: string }[];
  omitted: number | null;
}

const DigestQuery = gql<{ session: { digest: Digest } | null }, { id: string }>`
  query Digest($id: UUID!) {
    session(id: $id) {
      digest {
        throughCursor messages omitted
        teams {
          handle teamName activity messages questions answers decisions docChanges lastCursor
          blocked lastStatus { cursor text } lastMessage { cursor text }
        }
        openQuestions { cursor handle to text at }
        decisions { cursor handle to text at }
        docChanges { cursor version handle bytes at sections }
        events { cursor event handle at }
      }
    }
  }
`;

/** Read again when feed or document have moved on, but not for every message of a busy session. */
export function useDigest(id: string, last: number, version: number) {
  const [state, setState] = useState<{ digest?: Digest; error?: Error }>({});
  const [attempt, setAttempt] = useState(0);
  const readAt = useRef(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: these say when there is something new
  useEffect(() => {
    let current = true;
    const read = async () => {
      readAt.current = Date.now();
      const { data, error } = await pageClient.query(DigestQuery, { id }).toPromise();
      if (!current) return;
      const digest = data?.session?.digest;
      setState((before) => (digest ? { digest } : { ...before, error: error ?? new Error("No answer.") }));
    };
    const timer = setTimeout(read, Math.max(0, readAt.current + READ_AGAIN_MS - Date.now()));
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [id, last, version, attempt]);
  return { ...state, retry: () => setAttempt((n) => n + 1) };
}
