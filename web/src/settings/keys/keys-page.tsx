import { useQuery } from "urql";
import { ErrorState } from "@/components/error-state.tsx";
import { Skeleton } from "@/components/ui/skeleton";
import { useMe } from "@/people/me.ts";
import { Section } from "../section.tsx";
import { SettingsLayout } from "../settings-layout.tsx";
import { KeyRow } from "./key-row.tsx";
import { NewKey } from "./new-key.tsx";
import { KeysQuery } from "./queries.ts";

export function KeysPage() {
  const [{ data, error }, execute] = useQuery({ query: KeysQuery });
  const reload = () => execute();
  const open = useMe()?.access === "open";
  const keys = data?.listKeys?.keys;
  const alive = keys?.filter(isAlive);
  const ended = keys?.filter((key) => !isAlive(key));
  return (
    <SettingsLayout title="Access keys">
      {open && (
        <p className="rounded-md border border-idle/50 bg-idle/10 px-3 py-2 text-sm">
          This server is open: nobody is asked for a key. Start it with{" "}
          <code className="font-mono">PARLEY_ACCESS=keys</code> to close its doors.
        </p>
      )}
      {error && <ErrorState title="The keys could not be loaded" error={error} onRetry={reload} />}
      {!error && (
        <>
          <NewKey onMade={reload} />
          <Section
            title="Keys"
            about="Each opens the doors of this server for whoever holds it. Teams end with the key that they came by."
          >
            {!alive ? (
              <Skeleton className="m-4 h-24" />
            ) : alive.length === 0 ? (
              <p className="p-4 text-sm text-muted-foreground">There is no key yet.</p>
            ) : (
              <ul className="divide-y">
                {alive.map((key) => (
                  <KeyRow key={key.key} data={key} onRevoked={reload} />
                ))}
              </ul>
            )}
          </Section>
          {ended && ended.length > 0 && (
            <Section title="Ended">
              <ul className="divide-y">
                {ended.map((key) => (
                  <KeyRow key={key.key} data={key} />
                ))}
              </ul>
            </Section>
          )}
        </>
      )}
    </SettingsLayout>
  );
}

const isAlive = ({ revokedAt, expiresAt }: { revokedAt: string | null; expiresAt: string | null }) =>
  !revokedAt && (!expiresAt || Date.parse(expiresAt) > Date.now());
