import { command, WHO, WHO_HELP } from "../command.ts";
import { type Answer, call } from "../connection/api.ts";
import { onlyRef } from "../input.ts";
import { json, line, note, print } from "../output.ts";
import { whichTeam } from "../team/which-team.ts";

export const agents = command({
  help: `parley agents [ref]: the agents that run in the session, what each is doing, and on which branch.

${WHO_HELP}`,
  options: WHO,
  async run(values, positionals) {
    const team = whichTeam({ ref: onlyRef(positionals), ...values });
    const answer = await call(team.url, `/sessions/${team.session_id}/agents`, { method: "GET", teamId: team.team_id });
    if (values.json) return print(json(answer));
    if (answer.agents.length === 0) return void note("No agent runs here. parley run puts one at the table.");
    await print(answer.agents.map(describe).join("\n"));
  },
});

function describe(run: Answer): string {
  const { branch, ahead, dirty } = run.worktree ?? {};
  const facts = [
    run.status,
    run.agent,
    run.runner && `on ${run.runner}`,
    `turns ${run.turns}`,
    run.tokens > 0 && `tokens ${run.tokens}`,
    run.cost > 0 && `${Number(run.cost).toFixed(2)} USD`,
    branch && `${branch}${ahead ? `, ${ahead} ahead` : ""}${dirty ? ", not committed" : ""}`,
    run.permissions?.length > 0 && `asks for ${run.permissions.map(({ tool }: Answer) => tool).join("; ")}`,
  ].filter(Boolean);
  return line(`${run.handle} (${facts.join(", ")})${run.error ? `: ${run.error}` : ""}`);
}
