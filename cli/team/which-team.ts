import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { findAddress } from "../connection/address.ts";
import { UsageError } from "../errors.ts";
import { teamFolder } from "./team-folder.ts";
import { readTeams, type Team } from "./teams.ts";

interface Wanted {
  ref?: string | undefined;
  team?: string | undefined;
  url?: string | undefined;
}

/**
 * The team to speak for: of the session named, or of the one joined last from this repository, or from this folder or the nearest above it.
 * Where several teams of one session are remembered, nobody speaks for another by chance.
 */
export function whichTeam({ ref, team: handle, url }: Wanted): Team {
  const teams = readTeams();
  const named = handle === undefined ? teams : teams.filter((team) => team.handle === handle);
  const candidates = ref === undefined ? lastSession(nearest(named)) : named.filter((team) => isOf(team, ref));
  const here = preferFolder(candidates);
  const [found, ...others] = here;
  if (!found) throw new UsageError(notThere(ref, handle));
  if (others.length > 0) {
    throw new UsageError(
      `Several teams are remembered for ${ref ?? found.ref}: say --team ${here.map((team) => team.handle).join(" or --team ")}.`,
    );
  }
  return url === undefined ? found : { ...found, url: findAddress({ url }).base };
}

export const isOf = (team: Team, ref: string) =>
  team.ref === ref || (ref.length >= 8 && team.session_id.startsWith(ref));

function nearest(teams: Team[], folder = process.cwd()): Team[] {
  const here = teams.filter((team) => team.folder === folder);
  const isTop = dirname(folder) === folder || existsSync(join(folder, ".git"));
  return here.length > 0 || isTop ? here : nearest(teams, dirname(folder));
}

function lastSession(teams: Team[]): Team[] {
  const last = teams.at(-1);
  return teams.filter((team) => team.session_id === last?.session_id);
}

function preferFolder(teams: Team[]): Team[] {
  const here = teams.filter((team) => team.folder === teamFolder());
  return here.length > 0 ? here : teams;
}

function notThere(ref: string | undefined, handle: string | undefined): string {
  const as = handle === undefined ? "" : ` as ${handle}`;
  return ref === undefined
    ? `No session was joined${as} from this folder. Join one: parley join <ref> --as "Your Team".`
    : `${ref} was not joined${as} from here. Join it: parley join ${ref} --as "Your Team".`;
}
