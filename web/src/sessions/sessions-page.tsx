import { Plug, Plus } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { ErrorState } from "@/components/error-state.tsx";
import { Button } from "@/components/ui/button";
import { ConnectDialog } from "@/connect/connect-dialog.tsx";
import { useDocumentTitle } from "@/lib/document-title.ts";
import { NotifyMenu } from "@/needs/notify-menu.tsx";
import { sessionsRoute } from "@/router.tsx";
import { useCommands } from "@/shell/commands.ts";
import { NoMatch } from "./no-match.tsx";
import { Onboarding } from "./onboarding.tsx";
import { SessionFilters } from "./session-filters.tsx";
import { SessionList } from "./session-list.tsx";
import { SessionListSkeleton } from "./session-list-skeleton.tsx";
import { useSessionRows } from "./use-session-rows.ts";

// Where nothing waits for anybody, its cards are not loaded.
const NeedsYou = lazy(() => import("@/needs/needs-you.tsx"));
const NewSessionDialog = lazy(() => import("./new-session-dialog.tsx"));

export function SessionsPage() {
  const search = sessionsRoute.useSearch();
  const { rows, total, needs, error, fetching, read, more } = useSessionRows(search);
  useDocumentTitle(undefined, { needs: needs.length });
  const [creating, setCreating] = useState(false);
  const filtered = Boolean(search.status || search.q || search.archived);
  const empty = !filtered && rows?.length === 0;
  const create = () => setCreating(true);

  useCommands([{ id: "sessions.new", title: "New session", group: "Sessions", keys: "n", icon: Plus, run: create }]);

  return (
    <main className="mx-auto flex w-full max-w-7xl flex-col gap-3 px-3 py-3 sm:px-4 sm:py-4">
      <div className="flex items-center gap-2">
        <h1 className="mr-auto text-lg font-semibold tracking-tight">
          Sessions
          {rows && <span className="ml-2 text-sm font-normal text-muted-foreground tabular-nums">{total}</span>}
        </h1>
        <NotifyMenu />
        <ConnectDialog>
          <Button variant="outline" size="sm">
            <Plug aria-hidden /> <span className="sr-only sm:not-sr-only">Connect an agent</span>
          </Button>
        </ConnectDialog>
        {/* The onboarding has this button itself. */}
        {!empty && (
          <Button size="sm" onClick={create}>
            <Plus aria-hidden /> New session
          </Button>
        )}
      </div>
      <Suspense>{needs.length > 0 && <NeedsYou needs={needs} onAnswered={read} />}</Suspense>
      {!empty && <SessionFilters />}
      {error && <ErrorState title="The sessions could not be loaded" error={error} onRetry={read} />}
      {!rows && !error && <SessionListSkeleton />}
      {rows && rows.length > 0 && (
        <SessionList rows={rows} group={search.group} archived={search.archived ?? false} onChange={read} />
      )}
      {filtered && rows?.length === 0 && <NoMatch />}
      {empty && <Onboarding onCreate={create} />}
      {more && (
        <Button variant="outline" size="sm" className="self-center" disabled={fetching} onClick={more}>
          {fetching ? "Loading…" : "Load more"}
        </Button>
      )}
      <Suspense>{creating && <NewSessionDialog onClose={() => setCreating(false)} />}</Suspense>
    </main>
  );
}
