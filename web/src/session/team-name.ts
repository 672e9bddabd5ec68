import { visibleName } from "./markdown/visible.ts";

export interface Named {
  handle: string;
  teamName: string;
}

const alike = (name: string) => name.normalize("NFKC").trim().toLowerCase();

/** People read names; handles are for addressing, and tell teams apart whose names look the same. */
export function nameOfTeam({ handle, teamName }: Named, roster: readonly Named[]): string {
  const name = visibleName(teamName);
  const shared = roster.some((other) => other.handle !== handle && alike(other.teamName) === alike(teamName));
  return shared ? `${name} (${handle})` : name;
}

export const nameOf = (handle: string, roster: readonly Named[]): string => {
  const team = roster.find((one) => one.handle === handle);
  return team ? nameOfTeam(team, roster) : visibleName(handle);
};
