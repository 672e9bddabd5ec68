import { command, WHO, WHO_HELP } from "../command.ts";
import { call, persist } from "../connection/api.ts";
import { Refusal, UsageError } from "../errors.ts";
import { toNumber } from "../input.ts";
import { json, note, print } from "../output.ts";
import { whichTeam } from "../team/which-team.ts";
import { pathOf, refAndTask, showTask } from "./tasks.ts";

const CONCLUDED = 3;
const NOTHING = 4;
const POLL_SECONDS = 30;
const PATIENCE_MS = 60_000;

export const claim = command({
  help: `parley claim [ref] [n]: take task n, or the next one that is free; print it.

  --wait <minutes>    block, in silence, until there is one, at most so long
${WHO_HELP}

Exit codes: 0 it is yours, 3 the session is concluded, 4 there is none to take, 1 error, 2 wrong use.`,
  options: { ...WHO, wait: { type: "string" } },
  async run(values, positionals) {
    const { ref, task, rest } = refAndTask(positionals);
    if (rest.length > 0) throw new UsageError(`${rest[0]} is one word too many.`);
    const team = whichTeam({ ref, ...values });
    const minutes = toNumber(values.wait, "--wait", { min: 0 }) ?? 0;
    const endsAt = Date.now() + minutes * 60_000;
    const attempt = () => {
      const wait = Math.min(POLL_SECONDS, Math.max(0, Math.ceil((endsAt - Date.now()) / 1_000)));
      const args = { task, wait: task === undefined && wait > 0 ? wait : undefined };
      const options = { teamId: team.team_id, args, stream: true, withinMs: (wait + 15) * 1_000 };
      return call(team.url, pathOf(team, "/claim"), options);
    };
    try {
      for (;;) {
        const answer = await persist(attempt, { forMs: PATIENCE_MS });
        if (answer.task !== null) {
          await print(values.json ? json(answer) : showTask(answer));
          return 0;
        }
        if (Date.now() < endsAt) continue;
        if (values.json) await print(json(answer));
        note(`Nothing to take: open ${answer.open}, blocked ${answer.blocked}, claimed ${answer.claimed}.`);
        return NOTHING;
      }
    } catch (error) {
      if (!(error instanceof Refusal && error.code === "session_closed")) throw error;
      note(`${team.ref} is concluded. Its document has the conclusion: parley doc ${team.ref}`);
      return CONCLUDED;
    }
  },
});
