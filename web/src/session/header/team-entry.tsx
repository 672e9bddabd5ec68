import { ActivityDot } from "@/components/activity-dot.tsx";
import { RelativeTime } from "@/components/relative-time.tsx";
import { Button } from "@/components/ui/button";
import { useNow } from "@/lib/time.ts";
import { useActions } from "../actions/actions-provider.tsx";
import { JumpLink } from "../feed/jump-link.tsx";
import { full } from "../format.ts";
import { visible, visibleName } from "../markdown/visible.ts";
import type { Participant } from "../queries.ts";
import { useSession } from "../store/session-provider.tsx";
import { nameOfTeam } from "../team-name.ts";
import { Avatar } from "./avatar.tsx";

/** What a team says of itself, in the order in which it is shown. */
const ABOUT = ["agent", "model", "role", "machine", "repo", "branch", "worktree"];

const JUST_NOW_MS = 60_000;

interface TeamEntryProps {
  team: Participant;
  roster: readonly Participant[];
  concluded: boolean;
  onActed: () => void;
}

export function TeamEntry({ team, roster, concluded, onActed }: TeamEntryProps) {
  const last = useSession((session) => session.last);
  const { handle, teamName, kind, guest, convener, activity, leftAt, doing } = team;
  const about = team.about as Record<string, unknown> | null;
  const facts = [convener && "convener", kind === "human" && "human", guest && "guest"].filter(Boolean);
  return (
    <li className="flex gap-3 px-4 py-3 text-sm">
      <Avatar
        id={team.id}
        name={nameOfTeam(team, roster)}
        activity={concluded ? undefined : activity}
        className="mt-0.5 size-7"
      />
      <div className="min-w-0 flex-1">
        <h3 className="flex min-w-0 flex-wrap items-baseline gap-x-2">
          <bdi className="min-w-0 truncate font-medium" title={visibleName(teamName)}>
            {nameOfTeam(team, roster)}
          </bdi>
          <span className="shrink-0 text-xs text-muted-foreground">{facts.join(" · ")}</span>
          {concluded ? (
            leftAt && <span className="ml-auto text-xs text-muted-foreground">left</span>
          ) : (
            <ActivityDot activity={activity} className="ml-auto" />
          )}
        </h3>
        <p className="flex flex-wrap gap-x-2 text-xs text-muted-foreground">
          <span className="font-mono break-all">@{handle}</span>
          <LastSeen team={team} />
          <Read team={team} last={last} />
        </p>
        {doing ? <p className="mt-1 break-words">{visible(doing)}</p> : null}
        <Tasks team={team} />
        <dl className="mt-1 grid grid-cols-[auto_1fr] gap-x-3 text-xs empty:hidden">
          {ABOUT.filter((name) => about?.[name]).map((name) => (
            <div key={name} className="contents">
              <dt className="text-muted-foreground">{name}</dt>
              <dd className="min-w-0 font-mono break-all">{visibleName(String(about?.[name]))}</dd>
            </div>
          ))}
        </dl>
        {leftAt ? null : <TeamActions handle={handle} onActed={onActed} />}
      </div>
    </li>
  );
}

/** When it was last heard of, unless that is just now. */
function LastSeen({ team: { activity, joinedAt, leftAt, lastSeenAt } }: { team: Participant }) {
  const now = useNow();
  if (activity === "listening" || (activity === "working" && now - Date.parse(lastSeenAt) < JUST_NOW_MS)) return null;
  return (
    <span title={`Joined ${full(joinedAt)}`}>
      {leftAt ? "left " : "seen "}
      <RelativeTime at={leftAt ?? lastSeenAt} />
    </span>
  );
}

/** How far it has said that it has read. */
function Read({ team: { kind, cursor, ackedCursor }, last }: { team: Participant; last: number }) {
  if (kind === "human") return null;
  const [word, at] = ackedCursor > 0 ? ["read", ackedCursor] : ["received", cursor];
  if (at === 0) return <span>has read nothing yet</span>;
  return (
    <span>
      {word} up to <JumpLink to={at}>#{at}</JumpLink>
      {at >= last ? ", everything" : ` of ${last}`}
    </span>
  );
}

function Tasks({ team: { claimedTasks } }: { team: Participant }) {
  if (claimedTasks.nodes.length === 0) return null;
  return (
    <ul aria-label="Tasks" className="mt-1 text-xs">
      {claimedTasks.nodes.map(({ task, title }) => (
        <li key={task} className="truncate" title={visibleName(title)}>
          <span className="text-muted-foreground">task {task}</span> {visibleName(title)}
        </li>
      ))}
    </ul>
  );
}

function TeamActions({ handle, onActed }: { handle: string; onActed: () => void }) {
  const { offered, start } = useActions();
  const offers = (id: string) => offered.some((one) => one.id === id && handle in (one.asks[0]?.choices ?? {}));
  const begin = (id: string) => {
    onActed();
    start(id, { handle });
  };
  if (!offers("interrupt") && !offers("remove")) return null;
  return (
    <div className="mt-2 flex gap-2">
      {offers("interrupt") ? (
        <Button size="sm" variant="outline" className="h-7 text-xs" onClick={() => begin("interrupt")}>
          Interrupt
        </Button>
      ) : null}
      {offers("remove") ? (
        <Button size="sm" variant="outline" className="h-7 text-xs text-destructive" onClick={() => begin("remove")}>
          Remove
        </Button>
      ) : null}
    </div>
  );
}
