import { useState } from "react";
import { useQuery } from "urql";
import { ErrorState } from "@/components/error-state.tsx";
import { Skeleton } from "@/components/ui/skeleton";
import { Section } from "../section.tsx";
import { SettingsLayout } from "../settings-layout.tsx";
import { Invite } from "./invite.tsx";
import { type Invited, LinkMade } from "./link-made.tsx";
import { PersonRow } from "./person-row.tsx";
import { PeopleQuery } from "./queries.ts";
import { RemovedRow } from "./removed-row.tsx";

export function PeoplePage() {
  const [{ data, error }, execute] = useQuery({ query: PeopleQuery });
  const reload = () => execute();
  const [invited, setInvited] = useState<Invited>();
  const all = data?.listPeople?.people;
  const here = all?.filter(({ removedAt }) => !removedAt);
  const removed = all?.filter(({ removedAt }) => removedAt);
  return (
    <SettingsLayout title="People">
      {error && <ErrorState title="The people could not be loaded" error={error} onRetry={reload} />}
      {!error && (
        <>
          <Invite onInvited={setInvited} />
          <Section title="People" about="Owners keep this server; members read and take part; viewers read.">
            {!here ? (
              <Skeleton className="m-4 h-24" />
            ) : here.length === 0 ? (
              <p className="p-4 text-sm text-muted-foreground">Nobody has signed in yet.</p>
            ) : (
              <ul className="divide-y">
                {here.map((person) => (
                  <PersonRow key={person.person} data={person} onChanged={reload} onInvited={setInvited} />
                ))}
              </ul>
            )}
          </Section>
          {removed && removed.length > 0 && (
            <Section title="Removed">
              <ul className="divide-y">
                {removed.map((person) => (
                  <RemovedRow key={person.person} data={person} onChanged={reload} />
                ))}
              </ul>
            </Section>
          )}
          {invited && <LinkMade {...invited} onClose={() => setInvited(undefined)} />}
        </>
      )}
    </SettingsLayout>
  );
}
