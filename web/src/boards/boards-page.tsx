import { Link, useNavigate } from "@tanstack/react-router";
import { Plus, SquareKanban } from "lucide-react";
import { useCallback, useEffect, useState } from "react";
import { ErrorState } from "@/components/error-state.tsx";
import { Button } from "@/components/ui/button";
import { Skeleton } from "@/components/ui/skeleton";
import { ask } from "@/lib/ask.ts";
import { useDocumentTitle } from "@/lib/document-title.ts";
import type { ResultOf } from "@/lib/graphql.ts";
import { listen } from "@/lib/live.ts";
import { visibleName } from "@/session/markdown/visible.ts";
import { useCommands } from "@/shell/commands.ts";
import { NewBoardDialog } from "./new-board-dialog.tsx";
import { BoardsQuery, BoardTicks } from "./queries.ts";

type Boards = NonNullable<ResultOf<typeof BoardsQuery>["listBoards"]>["boards"];

export function BoardsPage() {
  useDocumentTitle("Boards");
  const navigate = useNavigate();
  const [boards, setBoards] = useState<Boards>();
  const [error, setError] = useState<Error>();
  const [creating, setCreating] = useState(false);
  const create = () => setCreating(true);
  useCommands([{ id: "boards.new", title: "New board", group: "Boards", keys: "n", icon: Plus, run: create }]);

  const read = useCallback(async () => {
    const { data, error } = await ask(BoardsQuery, {});
    setError(error);
    if (data?.listBoards) setBoards(data.listBoards.boards);
  }, []);
  useEffect(() => listen(BoardTicks, {}, () => void read()), [read]);

  return (
    <main className="mx-auto flex w-full max-w-7xl flex-col gap-3 px-3 py-3 sm:px-4 sm:py-4">
      <div className="flex items-center gap-2">
        <h1 className="mr-auto text-lg font-semibold tracking-tight">Boards</h1>
        <Button size="sm" onClick={create}>
          <Plus aria-hidden /> New board
        </Button>
      </div>
      {error && <ErrorState title="The boards could not be loaded" error={error} onRetry={read} />}
      {!boards && !error && <Skeleton className="h-24" />}
      {boards?.length === 0 && (
        <div className="flex flex-col items-center gap-3 rounded-lg border border-dashed px-4 py-12 text-center text-sm">
          <SquareKanban aria-hidden className="size-6 text-muted-foreground" />
          <p className="max-w-sm text-muted-foreground">
            A board groups sessions that belong together, in zones: what is planned, what is in progress, what is done.
          </p>
          <Button variant="outline" size="sm" onClick={create}>
            Make the first one
          </Button>
        </div>
      )}
      {boards && boards.length > 0 && (
        <ul aria-label="Boards" className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
          {boards.map(
            (board) =>
              board && (
                <li
                  key={board.board}
                  className="relative flex flex-col gap-1 rounded-lg border bg-card p-4 hover:bg-accent/60"
                >
                  <h2 className="truncate text-sm font-medium">
                    <Link
                      to="/b/$board"
                      params={{ board: board.board ?? "" }}
                      className="outline-none after:absolute after:inset-0 after:rounded-lg focus-visible:after:ring-2 focus-visible:after:ring-ring"
                    >
                      <bdi>{visibleName(board.name ?? "")}</bdi>
                    </Link>
                  </h2>
                  {board.description && (
                    <p className="line-clamp-2 text-xs text-muted-foreground">{visibleName(board.description)}</p>
                  )}
                  <p className="mt-auto truncate pt-1 text-xs text-muted-foreground">
                    {board.sessions} {board.sessions === 1 ? "session" : "sessions"} · {board.zones?.join(" → ")}
                  </p>
                </li>
              ),
          )}
        </ul>
      )}
      {creating && (
        <NewBoardDialog
          onClose={() => setCreating(false)}
          onCreated={(board) => void navigate({ to: "/b/$board", params: { board } })}
        />
      )}
    </main>
  );
}
