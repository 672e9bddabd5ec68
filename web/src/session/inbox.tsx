import { createContext, useContext } from "react";
import { useLive } from "@/lib/live.ts";
import { NeedCard } from "@/needs/need-card.tsx";
import type { Need } from "@/needs/queries.ts";
import { useActions } from "./actions/actions-provider.tsx";
import { PermissionCard } from "./agents/permission-card.tsx";
import { type AskedPermission, SessionInbox } from "./agents/queries.ts";
import { useSession } from "./store/session-provider.tsx";
import { nameOfTeam } from "./team-name.ts";

interface Inbox {
  needs: readonly Need[];
  /** What agents ask to be allowed: the same, with what goes into their tools. */
  asked: readonly AskedPermission[];
}

const NOTHING: Inbox = { needs: [], asked: [] };
const InboxContext = createContext(NOTHING);

/** What in this session waits for a person: as the list of sessions says it, for whatever on the page shows it. */
export const useInbox = () => useContext(InboxContext);

export function InboxProvider({ children }: { children: React.ReactNode }) {
  const id = useSession(({ head }) => head.id);
  const session = useLive(SessionInbox, { id })?.sessionInbox?.session;
  const inbox = session ? { needs: session.needs.nodes, asked: session.askedPermissions.nodes } : NOTHING;
  return <InboxContext value={inbox}>{children}</InboxContext>;
}

/** One thing that waits, answered where it is read. */
export function SessionNeed({ need }: { need: Need }) {
  const { asked } = useInbox();
  const { standing } = useActions();
  const permission = asked.find(
    ({ request, ofRun }) => request === need.request && ofRun?.team?.handle === need.handle,
  );
  if (!permission) return <NeedCard here need={need} mayAnswer={standing?.mayWrite === true} />;
  return (
    <li className="min-w-0">
      <AskedCard permission={permission} />
    </li>
  );
}

function AskedCard({ permission }: { permission: AskedPermission }) {
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

/** Between feed and composer, where people look: an agent stands still until somebody answers. */
export function AskedInFeed() {
  const { asked } = useInbox();
  if (asked.length === 0) return null;
  return (
    <section
      aria-label="Asked for permission"
      className="max-h-[40%] shrink-0 overflow-y-auto border-t px-2 pb-2 sm:px-3"
    >
      {asked.map((permission) => (
        <AskedCard key={`${permission.run} ${permission.request}`} permission={permission} />
      ))}
    </section>
  );
}
