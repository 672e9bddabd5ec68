import { ErrorState } from "@/components/error-state.tsx";
import { Skeleton } from "@/components/ui/skeleton";
import { useConnection } from "@/lib/connection.ts";
import { useDocumentTitle } from "@/lib/document-title.ts";
import { NothingHere } from "@/shell/nothing-here.tsx";
import type { StoreState } from "./store/session-store.ts";

interface SessionOtherwiseProps {
  sessionRef: string;
  state: Exclude<StoreState, { phase: "open" }>;
  onRetry: () => void;
}

/** What is shown instead of a session. */
export function SessionOtherwise({ sessionRef, state, onRetry }: SessionOtherwiseProps) {
  useDocumentTitle(sessionRef);
  if (state.phase === "unknown") return <SessionUnknown sessionRef={sessionRef} />;
  if (state.phase === "deleted") return <SessionDeleted />;
  if (state.phase === "failed") return <SessionFailed error={state.error} onRetry={onRetry} />;
  return <SessionLoading />;
}

function SessionLoading() {
  return (
    <div role="status" aria-label="Loading the session" className="flex h-full flex-col gap-3 p-4">
      <Skeleton className="h-6 w-2/3 max-w-md" />
      <Skeleton className="h-4 w-40" />
      <Skeleton className="h-7 w-3/4 max-w-lg" />
      <div className="grid min-h-0 flex-1 gap-4 pt-3 md:grid-cols-2">
        {[0, 1].map((pane) => (
          <div key={pane} className="space-y-4">
            {[0, 1, 2, 3, 4].map((line) => (
              <Skeleton key={line} className="h-12" />
            ))}
          </div>
        ))}
      </div>
    </div>
  );
}

const LIKE_A_REF = /^[a-z]+-[a-z]+-\d+$/i;

function SessionUnknown({ sessionRef }: { sessionRef: string }) {
  return (
    <NothingHere title="No such session">
      There is no session <code>{sessionRef.slice(0, 80)}</code> on this server.{" "}
      {LIKE_A_REF.test(sessionRef)
        ? "Look for a typing mistake, or for the server it belongs to."
        : "Check the ref: it has three parts, like calm-otter-17."}
    </NothingHere>
  );
}

function SessionDeleted() {
  return (
    <div role="alert">
      <NothingHere title="This session was deleted">
        Whoever runs this server has removed it, with its feed and document.
      </NothingHere>
    </div>
  );
}

function SessionFailed({ error, onRetry }: { error: Error; onRetry: () => void }) {
  return (
    <div className="mx-auto max-w-lg p-8">
      <ErrorState title="The session could not be read" error={error} onRetry={onRetry} />
    </div>
  );
}

export function OfflineBanner() {
  if (useConnection() !== "offline") return null;
  return (
    <p role="alert" className="shrink-0 border-b bg-highlight px-4 py-1.5 text-sm text-foreground">
      Offline: this is how things were when the connection was lost. The page catches up by itself.
    </p>
  );
}
