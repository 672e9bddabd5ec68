import { command, WHO, WHO_HELP } from "../command.ts";
import { type Answer, call } from "../connection/api.ts";
import { UsageError } from "../errors.ts";
import { json, print } from "../output.ts";
import { whichTeam } from "../team/which-team.ts";

const WAIT_SECONDS = 30;
const NOBODY = 4;

const STATES: Record<string, string> = {
  stored: "nothing of it has answered",
  handed: "it was told, and has not answered",
  turn: "a turn began with it",
  acted: "it is there",
};

export const ring = command({
  help: `parley ring <handle> [ref]: see whether a team is there: it is asked for a sign of life, in silence. 0 if it gave one within 30 seconds, else 4.

${WHO_HELP}`,
  options: WHO,
  async run(values, [handle, ref, stray]) {
    if (handle === undefined) throw new UsageError("Say whom, e.g. parley ring team-blue.");
    if (stray !== undefined) throw new UsageError(`${stray} is one word too many.`);
    const team = whichTeam({ ref, ...values });
    const answer = await call(team.url, `/sessions/${team.session_id}/ring`, {
      teamId: team.team_id,
      args: { handle, wait: WAIT_SECONDS },
      stream: true,
      withinMs: (WAIT_SECONDS + 15) * 1_000,
    });
    await print(values.json ? json(answer) : describe(answer));
    return answer.state === "acted" ? 0 : NOBODY;
  },
});

function describe({ handle, state, reachable }: Answer): string {
  const by = reachable?.by && reachable.by !== "none" ? `, reachable by its ${reachable.by}` : "";
  return `${handle}: ${state}, ${STATES[state] ?? state}${by}.`;
}
