import { command, WHO, WHO_HELP } from "../command.ts";
import { call } from "../connection/api.ts";
import { onlyRef, toNumber } from "../input.ts";
import { showMessage } from "../messages.ts";
import { json, note, print } from "../output.ts";
import { whichTeam } from "../team/which-team.ts";

export const history = command({
  help: `parley history [ref]: what was said, the newest messages last.

  --limit <n>         how many; default 100
  --before <n>        only what came before message n
  --full              long texts whole
${WHO_HELP}`,
  options: { ...WHO, limit: { type: "string" }, before: { type: "string" }, full: { type: "boolean" } },
  async run(values, positionals) {
    const args = {
      limit: toNumber(values.limit, "--limit", { min: 1, max: 500 }),
      before_cursor: toNumber(values.before, "--before", { min: 0 }),
      full: values.full || undefined,
    };
    const team = whichTeam({ ref: onlyRef(positionals), ...values });
    const page = await call(team.url, `/sessions/${team.session_id}/messages`, {
      method: "GET",
      teamId: team.team_id,
      args,
    });
    if (values.json) return print(json(page));
    for (const message of page.messages) await print(showMessage(message, team.handle));
    if (page.has_more) note(`There is more: parley history ${team.ref} --before ${page.next_cursor}`);
  },
});
