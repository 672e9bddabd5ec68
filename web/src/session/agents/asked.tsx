import { createContext, useContext } from "react";
import { useLive } from "@/lib/live.ts";
import { useActions } from "../actions/actions-provider.tsx";
import { useSession } from "../store/session-provider.tsx";
import { nameOfTeam } from "../team-name.ts";
import { PermissionCard } from "./permission-card.tsx";
import { type AskedPermission, SessionInbox } from "./queries.ts";

const Asked = createContext<readonly AskedPermission[]>([]);

/** What agents of this session ask to be allowed, for whatever on the page shows it. */
export const useAsked = () => useContext(Asked);

export function AskedProvider({ children }: { children: React.ReactNode }) {
  const id = useSession(({ head }) => head.id);
  const asked = useLive(SessionInbox, { id })?.sessionInbox?.session?.askedPermissions.nodes;
  return <Asked value={asked ?? []}>{children}</Asked>;
}

/** One that waits, with its answers and who asks. */
export function AskedCard({ permission }: { permission: AskedPermission }) {
  const id = useSession(({ head }) => head.id);
  const roster = useSession((session) => session.participants);
  const { standing } = useActions();
  const team = permission.ofRun?.team;
  return (
    <PermissionCard
      sessionId={id}
      handle={team?.handle ?? ""}
      name={team ? nameOfTeam(team, roster) : "An agent"}
      permission={permission}
      mayAnswer={standing?.mayWrite === true}
    />
  );
}

export const keyOf = ({ run, request }: AskedPermission) => `${run} ${request}`;

/** Between feed and composer, where people look: an agent stands still until somebody answers. */
export function AskedInFeed() {
  const asked = useAsked();
  if (asked.length === 0) return null;
  return (
    <section
      aria-label="Asked for permission"
      className="max-h-[40%] shrink-0 overflow-y-auto border-t px-2 pb-2 sm:px-3"
    >
      {asked.map((permission) => (
        <AskedCard key={keyOf(permission)} permission={permission} />
      ))}
    </section>
  );
}
