import { command, WHO, WHO_HELP } from "../command.ts";
import { call } from "../connection/api.ts";
import { UsageError } from "../errors.ts";
import { showMessage } from "../messages.ts";
import { json, print } from "../output.ts";
import { whichTeam } from "../team/which-team.ts";

export const message = command({
  help: `parley message [ref] <n>: one message, whole.

${WHO_HELP}`,
  options: WHO,
  async run(values, positionals) {
    const number = positionals.at(-1)?.replace(/^#/, "");
    if (number === undefined || positionals.length > 2)
      throw new UsageError("Say which message, e.g. parley message 12.");
    const team = whichTeam({ ref: positionals.length === 2 ? positionals[0] : undefined, ...values });
    const path = `/sessions/${team.session_id}/messages/${encodeURIComponent(number)}`;
    const found = await call(team.url, path, { method: "GET", teamId: team.team_id });
    await print(values.json ? json(found) : showMessage(found, team.handle));
  },
});
