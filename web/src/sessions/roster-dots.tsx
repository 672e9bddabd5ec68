import { ActivityDot, LIVELIEST_FIRST } from "@/components/activity-dot.tsx";
import { Tooltip, TooltipContent, TooltipTrigger } from "@/components/ui/tooltip";
import { cn } from "@/lib/utils.ts";
import { visibleName } from "@/session/markdown/visible.ts";
import type { SessionRowData } from "./queries.ts";

const SHOWN = 5;

type Team = SessionRowData["participants"]["nodes"][number];

/** One dot per team that is still here, and in words how many listen or work; each team's own word on hover. */
export function RosterDots({ session, className }: { session: SessionRowData; className?: string }) {
  if (session.state === "concluded")
    return (
      <span className={cn("text-xs whitespace-nowrap text-muted-foreground", className)}>
        {inWords(session.teamCount)}
      </span>
    );
  const teams = session.participants.nodes
    .filter(({ leftAt }) => !leftAt)
    .toSorted((a, b) => LIVELIEST_FIRST.indexOf(a.activity) - LIVELIEST_FIRST.indexOf(b.activity));
  return (
    <Tooltip>
      <TooltipTrigger asChild>
        {/* Above the row's link, so that the tooltip opens. */}
        <span className={cn("relative inline-flex w-fit items-center gap-1 text-xs text-muted-foreground", className)}>
          <span aria-hidden className="inline-flex items-center gap-1">
            {teams.slice(0, SHOWN).map(({ id, activity }) => (
              <ActivityDot key={id} activity={activity} hideWord />
            ))}
          </span>
          <span className="ml-0.5 whitespace-nowrap tabular-nums">{summary(teams)}</span>
        </span>
      </TooltipTrigger>
      <TooltipContent>
        <ul>
          {teams.map(({ id, teamName, activity }) => (
            <li key={id}>
              <bdi>{visibleName(teamName)}</bdi>: {activity}
            </li>
          ))}
        </ul>
      </TooltipContent>
    </Tooltip>
  );
}

const inWords = (n: number) => `${n} ${n === 1 ? "team" : "teams"}`;

/** "2 listening", or what is the next best. */
function summary(teams: Team[]): string {
  const best = teams[0]?.activity;
  return best ? `${teams.filter(({ activity }) => activity === best).length} ${best}` : "everyone left";
}
