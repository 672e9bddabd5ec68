import { mcpTeam } from "./mcp-team.ts";
import { restTeam } from "./rest-team.ts";
import type { Session } from "./seat.ts";
import type { Stage } from "./stage.ts";
import { Team } from "./team.ts";

const KEY = `### The key of a renewal

\`\`\`ts
// renewals/charge.ts
const key = \`renewal:\${subscription.id}:\${period.firstDay}\`;
await adapter.charge(subscription.payment, { idempotencyKey: key });
\`\`\`

- [x] the same job, run twice for one period
- [x] a second try on the next day
- [ ] the 3 cases, in the sandbox`;

const CONCLUSION = `**Done.** \`renewals\` charges once, whatever is retried: 3 cases, 5 tries each, 3 charges. The job runs again, all 41 refunds are out, and the adapter refuses a call without a key.

**Open.** Nothing.

**Where to pick up.** If the alarm \`charged-twice\` rings: \`charges\` in the database of checkout tells which key came twice, and from whom.`;

/** A team that was not there picks up the open piece, from nothing but what the first session left. */
export async function secondSession(stage: Stage, first: Session): Promise<Session> {
  const dana = new Team(stage, "Dana's Team", restTeam);
  const billing = new Team(stage, "Billing", mcpTeam);

  const session = await dana.resumes(first, {
    title: "Renewals are charged once",
    description: "The open piece of the double charges: the nightly job gets its key, and runs again.",
  });
  await dana.reads();
  await billing.joins(session);
  await dana.reports(
    "Dana's Team, we own `renewals`. From the hand-off: the job is paused, its key is decided, 3 refunds wait. I write the key; Billing, please run the 3 cases when it is there.",
  );
  const period = await billing.asks(
    [dana],
    "Which day stands for `<period>`: the one the job runs on, or the first one that is paid for? A job that is late runs on another day.",
  );
  await dana.answers(
    period,
    "The first day that is paid for. With the day of the run, a try after midnight would be a new payment: the old fault in a new place.",
  );
  await dana.decides("`<period>` is the first day that is paid for, never the day of the run.");
  await billing.acks();
  await dana.notes(KEY);
  await dana.reports("Written and tested, on staging. Ready for the 3 cases.");
  await billing.reports(
    "3 cases, 5 tries each: **3 charges**. No caller without a key is left, so the adapter refuses such calls from now on.",
  );
  await billing.edits("the last test is done", (content) => content.replace("- [ ] the 3 cases", "- [x] the 3 cases"));
  await dana.reports("Released. `renewals` runs again, and the last 3 refunds are out.");
  await dana.concludes(CONCLUSION);
  await Promise.all([dana.hearsTheEnd(), billing.hearsTheEnd()]);
  return session;
}
