import { command, WHO, WHO_HELP } from "../command.ts";
import { call } from "../connection/api.ts";
import { UsageError } from "../errors.ts";
import { json, print } from "../output.ts";
import { whichTeam } from "../team/which-team.ts";

export const ack = command({
  help: `parley ack [ref] [n]: tell the others, without a word, that you have read up to message n.

Without n: all that parley wait has printed.
${WHO_HELP}`,
  options: WHO,
  async run(values, positionals) {
    const given = positionals.at(-1)?.match(/^#?(\d+)$/)?.[1];
    const [ref, stray] = given === undefined ? positionals : positionals.slice(0, -1);
    if (stray !== undefined) throw new UsageError("Say up to which message, e.g. parley ack 12.");
    const team = whichTeam({ ref, ...values });
    const args = { through_cursor: Number(given ?? team.cursor) };
    const acked = await call(team.url, `/sessions/${team.session_id}/ack`, { teamId: team.team_id, args });
    await print(
      values.json ? json(acked) : `Read up to #${acked.acked_cursor} in ${team.ref}, unread: ${acked.unread}`,
    );
  },
});
