import { useCallback, useEffect, useState } from "react";
import type { CombinedError } from "urql";
import { ErrorState } from "@/components/error-state.tsx";
import { Button } from "@/components/ui/button";
import { Skeleton } from "@/components/ui/skeleton";
import { ask } from "@/lib/ask.ts";
import { Section } from "../section.tsx";
import { SettingsLayout } from "../settings-layout.tsx";
import { EntryRow } from "./entry-row.tsx";
import { type AuditEntryData, AuditQuery } from "./queries.ts";

export function AuditPage() {
  const { entries, more, error, load } = useAudit();
  return (
    <SettingsLayout title="Audit">
      <Section title="Who changed what" about="About this server, newest first. Kept for 90 days.">
        {error && <ErrorState title="The audit could not be loaded" error={error} onRetry={load} className="m-4" />}
        {!error && !entries && <Skeleton className="m-4 h-64" />}
        {entries && (
          <ol className="divide-y">
            {entries.map((entry) => (
              <EntryRow key={entry.id} data={entry} />
            ))}
          </ol>
        )}
        {more && (
          <div className="border-t p-3">
            <Button variant="ghost" size="sm" onClick={load}>
              Older
            </Button>
          </div>
        )}
      </Section>
    </SettingsLayout>
  );
}

/** Page after page, downwards. */
function useAudit() {
  const [entries, setEntries] = useState<AuditEntryData[]>();
  const [next, setNext] = useState<string | null>(null);
  const [error, setError] = useState<CombinedError>();
  const read = useCallback(async (before: string | null) => {
    const result = await ask(AuditQuery, { before });
    setError(result.error);
    const page = result.data?.listAudit;
    if (!page) return;
    setEntries((known = []) => (before ? [...known, ...page.entries] : page.entries));
    setNext(page.nextBefore);
  }, []);
  useEffect(() => void read(null), [read]);
  return { entries, more: next !== null, error, load: () => read(next) };
}
