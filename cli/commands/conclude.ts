import { command, WHO, WHO_HELP } from "../command.ts";
import { call } from "../connection/api.ts";
import { refAndText } from "../input.ts";
import { json, print } from "../output.ts";
import { whichTeam } from "../team/which-team.ts";

export const conclude = command({
  help: `parley conclude [ref] "summary" | -: close the session; the summary becomes the document's conclusion.

${WHO_HELP}`,
  options: WHO,
  async run(values, positionals) {
    const { ref, text } = await refAndText(positionals, "summary");
    const team = whichTeam({ ref, ...values });
    const args = { summary_section: text };
    const closed = await call(team.url, `/sessions/${team.session_id}/conclude`, { teamId: team.team_id, args });
    await print(values.json ? json(closed) : `${team.ref} is concluded, document version ${closed.doc_version}.`);
  },
});
