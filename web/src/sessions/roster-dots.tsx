import { StatusDot } from "@/components/status-dot.tsx";
import { Tooltip, TooltipContent, TooltipTrigger } from "@/components/ui/tooltip";
import { cn } from "@/lib/utils.ts";
import { visible } from "@/session/markdown/visible.ts";
import type { SessionRowData } from "./queries.ts";

const SHOWN = 5;
const LIVELIEST_FIRST = ["active", "idle", "disconnected"];

type Team = SessionRowData["participants"]["nodes"][number];

/** One dot per team that is still here, and in words how many are active; each team's own word on hover. */
export function RosterDots({ session, className }: { session: SessionRowData; className?: string }) {
  const { participants } = session;
  if (session.state === "concluded")
    return (
      <span className={cn("text-xs whitespace-nowrap text-muted-foreground", className)}>
        {teamCount(participants.totalCount)}
      </span>
    );
  const teams = participants.nodes
    .filter(({ leftAt }) => !leftAt)
    .toSorted((a, b) => LIVELIEST_FIRST.indexOf(a.status) - LIVELIEST_FIRST.indexOf(b.status));
  return (
    <Tooltip>
      <TooltipTrigger asChild>
        {/* Above the row's link, so that the tooltip opens. */}
        <span className={cn("relative inline-flex w-fit items-center gap-1 text-xs text-muted-foreground", className)}>
          <span aria-hidden className="inline-flex items-center gap-1">
            {teams.slice(0, SHOWN).map(({ id, status }) => (
              <StatusDot key={id} status={status} hideWord />
            ))}
          </span>
          <span className="ml-0.5 whitespace-nowrap tabular-nums">{summary(teams)}</span>
        </span>
      </TooltipTrigger>
      <TooltipContent>
        <ul>
          {teams.map(({ id, teamName, status }) => (
            <li key={id}>
              {visible(teamName)}: {status}
            </li>
          ))}
        </ul>
      </TooltipContent>
    </Tooltip>
  );
}

const teamCount = (n: number) => `${n} ${n === 1 ? "team" : "teams"}`;

/** "2 active", or what is the next best. */
function summary(teams: Team[]): string {
  const best = teams[0]?.status;
  return best ? `${teams.filter(({ status }) => status === best).length} ${best}` : "everyone left";
}
