import { ActivityDot } from "@/components/activity-dot.tsx";
import { Tooltip, TooltipContent, TooltipTrigger } from "@/components/ui/tooltip";
import { cn } from "@/lib/utils.ts";
import { visibleName } from "@/session/markdown/visible.ts";
import type { Row } from "./queries.ts";

const SHOWN = 4;

export type Team = NonNullable<Row["teams"][number]>;

export const teamsOf = ({ teams }: Row): Team[] => teams.filter((team) => team !== null);

/** One dot per team that is still here, and in words how many listen or work; who does what on hover. */
export function RosterDots({ row, className }: { row: Row; className?: string }) {
  if (row.state === "concluded")
    return (
      <span className={cn("text-xs whitespace-nowrap text-muted-foreground", className)}>{inWords(row.teamCount)}</span>
    );
  const teams = teamsOf(row);
  return (
    <Tooltip>
      <TooltipTrigger asChild>
        {/* Above the row's link, so that the tooltip opens. */}
        <span className={cn("relative inline-flex w-fit items-center gap-1 text-xs text-muted-foreground", className)}>
          <span aria-hidden className="inline-flex items-center gap-1">
            {teams.slice(0, SHOWN).map(({ handle, activity }) => (
              <ActivityDot key={handle} activity={activity} hideWord />
            ))}
          </span>
          <span className="ml-0.5 whitespace-nowrap tabular-nums">{summary(teams)}</span>
        </span>
      </TooltipTrigger>
      <TooltipContent>
        <ul>
          {teams.map(({ handle, teamName, activity, doing }) => (
            <li key={handle}>
              <bdi>{visibleName(teamName)}</bdi>: {doing ? `${visibleName(doing)} (${activity})` : activity}
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
