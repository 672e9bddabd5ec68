import { useCallback, useEffect, useRef, useState } from "react";
import { toast } from "sonner";
import { ask } from "@/lib/ask.ts";
import { call } from "@/lib/call.ts";
import { listen } from "@/lib/live.ts";
import { type Row, RowsNews } from "@/sessions/queries.ts";
import { type Board, BoardQuery, PlaceSession } from "./queries.ts";

/** A board and its cards, live; moved at once, and back if the server would not have it. */
export function useBoard(slug: string) {
  const [board, setBoard] = useState<Board | null>();
  const [cards, setCards] = useState<Row[]>([]);
  const [error, setError] = useState<Error>();
  // What was moved here a moment ago stays, whatever was read before the server knew.
  const moving = useRef(new Map<string, string>());

  const show = useCallback((rows: Row[]) => {
    setCards(rows.map((row) => ({ ...row, zone: moving.current.get(row.id) ?? row.zone })));
  }, []);
  const read = useCallback(async () => {
    const { data, error } = await ask(BoardQuery, { slug });
    const unknown = error?.graphQLErrors.some(({ extensions }) => extensions.code === "board_not_found");
    setError(unknown ? undefined : error);
    if (data || unknown) setBoard(data?.board ?? null);
    if (data?.listBoardRows) show(data.listBoardRows.rows.filter((row) => row !== null));
  }, [slug, show]);

  useEffect(() => {
    let told = { series: "", frame: 0 };
    return listen(RowsNews, {}, ({ sessionRows: frame }) => {
      if (!frame) return;
      const missed = frame.whole || frame.series !== told.series || frame.frame > told.frame + 1;
      told = frame;
      if (missed) return void read();
      const changed = new Map(frame.rows.map((row) => [row.id, row]));
      setCards((old) => old.map((card) => ({ ...(changed.get(card.id) ?? card), zone: card.zone })));
    });
  }, [read]);

  const place = useCallback(
    async (id: string, zone: string) => {
      moving.current.set(id, zone);
      setCards((old) => old.map((card) => (card.id === id ? { ...card, zone } : card)));
      const { refusal } = await call(PlaceSession, { id, board: slug, zone });
      moving.current.delete(id);
      if (refusal) toast.error([refusal.message, refusal.hint].filter(Boolean).join(" "));
      await read();
    },
    [slug, read],
  );
  return { board, cards, error, read, place };
}
