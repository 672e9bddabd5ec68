import { useCallback, useEffect, useRef, useState } from "react";
import { ask } from "@/lib/ask.ts";
import { listen } from "@/lib/live.ts";
import { useEvery } from "@/lib/time.ts";
import type { Need } from "@/needs/queries.ts";
import type { SessionsSearch } from "@/router.tsx";
import { NeedsQuery, type Row, RowsNews, RowsQuery } from "./queries.ts";
import { changesNeeds, inOrder, withChanged } from "./rows.ts";

const PAGE = 50;
const MOST = 500;
// Time alone makes a session quiet and a team silent.
const LOOK_EVERY_MS = 30_000;
// Where no socket gets through, the list is read all the same.
const PATIENCE_MS = 1_000;

interface Listed {
  rows: Row[];
  total: number;
  hasMore: boolean;
}

/** The list, read once, and then row by row as they change; and what in it needs somebody. */
export function useSessionRows({ status, q, archived }: SessionsSearch) {
  const [limit, setLimit] = useState(PAGE);
  const [listed, setListed] = useState<Listed>();
  const [needs, setNeeds] = useState<Need[]>([]);
  const [error, setError] = useState<Error>();
  const [fetching, setFetching] = useState(false);
  const latest = useRef<Listed>(undefined);
  latest.current = listed;
  const asked = useRef(0);

  const readNeeds = useCallback(async () => {
    const { data } = await ask(NeedsQuery, {});
    if (data?.needsYou) setNeeds(data.needsYou.nodes);
  }, []);

  const readList = useCallback(async () => {
    const mine = ++asked.current;
    setFetching(true);
    const variables = { status: status ?? null, search: q ?? null, archived: archived ?? null, limit };
    const { data, error } = await ask(RowsQuery, variables);
    // What was asked later has the word.
    if (mine !== asked.current) return;
    setFetching(false);
    setError(error);
    const list = data?.listSessionRows;
    if (!list) return;
    const before = new Map(latest.current?.rows.map((row) => [row.id, row]));
    const rows = inOrder(list.rows.filter((row) => row !== null).map((row) => asBefore(row, before.get(row.id))));
    setListed({ rows, total: list.total, hasMore: list.hasMore });
  }, [status, q, archived, limit]);

  const read = useCallback(() => Promise.all([readList(), readNeeds()]), [readList, readNeeds]);

  useEffect(() => {
    const filtered = Boolean(status || q || archived);
    let told = { series: "", frame: 0 };
    const patience = setTimeout(read, PATIENCE_MS);
    const stop = listen(RowsNews, {}, ({ sessionRows: frame }) => {
      if (!frame) return;
      clearTimeout(patience);
      const missed = frame.whole || frame.series !== told.series || frame.frame > told.frame + 1;
      told = frame;
      if (missed || !latest.current) return void read();
      const rows = latest.current.rows;
      if (changesNeeds(rows, frame.rows)) void readNeeds();
      // Whether a session that is not shown belongs to what is looked for, the server knows.
      if (frame.rows.some(({ id }) => rows.every((row) => row.id !== id)) && filtered) return void readList();
      setListed((old) => old && grown(old, frame.rows));
    });
    return () => {
      clearTimeout(patience);
      stop();
    };
  }, [status, q, archived, read, readList, readNeeds]);

  useEvery(LOOK_EVERY_MS, read);
  return {
    ...listed,
    needs,
    error,
    fetching,
    read,
    more: listed?.hasMore && limit < MOST ? () => setLimit((n) => Math.min(n * 2, MOST)) : undefined,
  };
}

function grown(old: Listed, changed: Row[]): Listed {
  const rows = withChanged(old.rows, changed);
  return { ...old, rows, total: old.total + rows.length - old.rows.length };
}

/** A row that says the same is the same: nothing of it is drawn again. */
const asBefore = (row: Row, before: Row | undefined) =>
  before && JSON.stringify(before) === JSON.stringify(row) ? before : row;
