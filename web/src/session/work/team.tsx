import { teamColour } from "../team-colour.ts";
import type { Named } from "../team-name.ts";
import { nameOfTeam } from "../team-name.ts";

interface TeamProps {
  team: Named & { id: number };
  roster: readonly Named[];
}

/** The name of a team behind a dot of its colour. */
export function Team({ team, roster }: TeamProps) {
  return (
    <span className="inline-flex min-w-0 items-center gap-1">
      <span aria-hidden="true" className="size-2 shrink-0 rounded-full" style={{ background: teamColour(team.id) }} />
      <bdi className="truncate">{nameOfTeam(team, roster)}</bdi>
    </span>
  );
}
