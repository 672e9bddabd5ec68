import { Plug, Plus } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { ErrorState } from "@/components/error-state.tsx";
import { Button } from "@/components/ui/button";
import { ConnectDialog } from "@/connect/connect-dialog.tsx";
import { useDocumentTitle } from "@/lib/document-title.ts";
import { sessionsRoute } from "@/router.tsx";
import { useKeys } from "@/shell/use-shortcuts.ts";
import { NoMatch } from "./no-match.tsx";
import { Onboarding } from "./onboarding.tsx";
import { SessionFilters } from "./session-filters.tsx";
import { SessionList } from "./session-list.tsx";
import { SessionListSkeleton } from "./session-list-skeleton.tsx";
import { useSessions } from "./use-sessions.ts";

const NewSessionDialog = lazy(() => import("./new-session-dialog.tsx"));

export function SessionsPage() {
  useDocumentTitle();
  const search = sessionsRoute.useSearch();
  const { sessions, total, error, fetching, retry, more } = useSessions(search);
  const [creating, setCreating] = useState(false);
  const filtered = Boolean(search.status || search.q);
  const empty = !filtered && sessions?.length === 0;
  const create = () => setCreating(true);

  useKeys((event) => {
    if (event.key !== "n") return;
    event.preventDefault();
    create();
  });

  return (
    <main className="mx-auto flex w-full max-w-6xl flex-col gap-4 px-3 py-5 sm:px-4 sm:py-6">
      <div className="flex items-center gap-2">
        <h1 className="mr-auto text-lg font-semibold tracking-tight">
          Sessions
          {sessions && <span className="ml-2 text-sm font-normal text-muted-foreground tabular-nums">{total}</span>}
        </h1>
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
      {!empty && <SessionFilters />}
      {error && <ErrorState title="The sessions could not be loaded" error={error} onRetry={retry} />}
      {!sessions && !error && <SessionListSkeleton />}
      {sessions && sessions.length > 0 && <SessionList sessions={sessions} />}
      {filtered && sessions?.length === 0 && <NoMatch />}
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
