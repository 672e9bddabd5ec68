import { command, WHO, WHO_HELP } from "../command.ts";
import { call } from "../connection/api.ts";
import { onlyRef } from "../input.ts";
import { json, print } from "../output.ts";
import { forget } from "../team/teams.ts";
import { whichTeam } from "../team/which-team.ts";

export const leave = command({
  help: `parley leave [ref]: leave the session; its credential is dead and forgotten from then on.

${WHO_HELP}`,
  options: WHO,
  async run(values, positionals) {
    const team = whichTeam({ ref: onlyRef(positionals), ...values });
    const left = await call(team.url, `/sessions/${team.session_id}/leave`, { teamId: team.team_id });
    await forget(team);
    await print(values.json ? json(left) : `${left.handle} has left ${team.ref}.`);
  },
});
