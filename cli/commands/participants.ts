import { command, WHO, WHO_HELP } from "../command.ts";
import { type Answer, call } from "../connection/api.ts";
import { onlyRef } from "../input.ts";
import { json, line, print } from "../output.ts";
import { whichTeam } from "../team/which-team.ts";

export const participants = command({
  help: `parley participants [ref]: who is here, and who listens.

${WHO_HELP}`,
  options: WHO,
  async run(values, positionals) {
    const team = whichTeam({ ref: onlyRef(positionals), ...values });
    const path = `/sessions/${team.session_id}/participants`;
    const roster = await call(team.url, path, { method: "GET", teamId: team.team_id });
    await print(values.json ? json(roster) : roster.participants.map(describe).join("\n"));
  },
});

function describe(team: Answer): string {
  const what = [
    team.you && "you",
    team.convener && "convener",
    team.kind !== "agent" && team.kind,
    team.left_at ? "left" : team.listening ? "listening" : (team.activity ?? team.status),
    `read to #${team.cursor}`,
    team.tasks?.length > 0 && `tasks ${team.tasks.join(", ")}`,
    team.doing && `doing: ${line(team.doing)}`,
  ].filter(Boolean);
  return `${team.handle} (${what.join(", ")}): ${line(team.team_name)}`;
}
