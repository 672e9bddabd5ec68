import { ADAPTER, addToPlan, CONCLUSION, GATEWAY, REPLAY, START, TABLE, tick } from "./documents.ts";
import { mcpTeam } from "./mcp-team.ts";
import { restTeam } from "./rest-team.ts";
import type { Session } from "./seat.ts";
import type { Stage } from "./stage.ts";
import { Team } from "./team.ts";

const LIMIT = "gateway: 15 s for checkout";
const RETRY = "gateway: try a POST again only if it has a key";
const BROWSER = "browser: make the key, send it with every try";
const CHECKOUT = "checkout: keep the key, answer a second request with the first answer";
const PASS_ON = "adapter: pass the key on unchanged";

/** Three teams find out why customers are charged twice, and mend it. */
export async function firstSession(stage: Stage, onSession: (session: Session) => void): Promise<Session> {
  const alex = new Team(stage, "Alex's Team", mcpTeam);
  const platform = new Team(stage, "Platform", restTeam);
  const billing = new Team(stage, "Billing", mcpTeam);

  const session = await alex.creates(
    {
      title: "Customers are charged twice",
      description:
        "Since Tuesday some orders carry two charges. Find out why, stop it, and prove that it cannot come back.",
    },
    onSession,
  );
  await alex.edits("goals and samples", () => START);
  await alex.reports(
    "Alex's Team, we own the checkout API. **41 orders** since Tuesday 14:00 carry two charges, nearly all of them 10 to 12 seconds apart; samples are in the document. I take what happens inside checkout. Needed: the gateway, and the adapter to the payment provider.",
  );
  await platform.joins(session);
  await platform.reports(
    "Platform, we own the gateway. I take the way from the browser to checkout: who sends the request a second time, and why since Tuesday.",
  );
  await billing.joins(session);
  await billing.reports(
    "Billing, we own the adapter. I take what arrives at the provider: which calls, and with which idempotency keys.",
  );
  await alex.decides(
    "Who takes what: Alex's Team checkout, Platform the gateway, Billing the adapter to the provider.",
  );
  await Promise.all([platform.acks(), billing.acks()]);

  const duration = await platform.asks(
    [alex],
    "The gateway log has `POST /checkout` twice for 38 of the 41, the second one exactly 10.0 s after the first. How long may your handler take until it answers?",
  );
  await alex.answers(
    duration,
    "p50 is 0.7 s, but p99 is **11.4 s** since Tuesday 13:50: that release waits for the fraud check before it answers. Nobody told the gateway, its limit is still 10 s.",
  );
  await platform.notes(GATEWAY);
  await platform.says(
    "Then the second request is ours: the gateway gives up and tries again while the first try is still running. The route is in the document. That explains 38 orders, not the other 3.",
  );
  await billing.notes(ADAPTER);
  await billing.says(
    "And we let it through: the adapter makes a *new* key for each call, so the provider sees two payments where there is one. I look for the other 3.",
  );
  await alex.acks();

  const where = await alex.asks(
    [platform, billing],
    "Where should the key be made: browser, gateway or checkout? It must stay the same for every try of one payment, and be another for the next payment.",
  );
  await platform.answers(
    where,
    "Not at the gateway: an impatient customer and a second order of the same basket look alike from here.",
  );
  await billing.answers(
    where,
    "In the browser, kept with the basket: a reload or a double click then sends the same key. Checkout would make one per request, which is our mistake of today. The provider remembers a key for 24 h.",
  );
  await alex.decides(
    "The key is made in the browser, one per payment, and travels unchanged as `Idempotency-Key` to the provider. Checkout answers 400 without it.",
  );
  await Promise.all([platform.acks(), billing.acks()]);

  await planAtTheSameTime(alex, platform);
  await billing.edits("a step of the plan", addToPlan(PASS_ON));
  await divide(alex, platform, billing);

  // Billing begins to write here, and is overtaken.
  const seen = billing.seen;
  await platform.says(
    "Found who sends the other 3: `renewals`, the nightly job. It calls the adapter directly, without the gateway, and tries again after 60 s by itself.",
  );
  await billing.saysUnlessOthersSpoke(
    seen,
    "The other 3 begin at 02:00 and never pass the gateway. Does anything of Platform's run at that time?",
    "That fits: all 3 are subscriptions and begin at 02:00. There is no browser, so the job has to make the key itself; from the subscription and the period it is the same for every try.",
  );
  await alex.changesScope(
    {
      title: "Customers are charged twice: checkout and renewals",
      description:
        "Since Tuesday some orders and renewals carry two charges. Find out why, stop it, and prove that it cannot come back.",
    },
    "3 of the 41 come from the nightly renewals. It is the same fault, so it belongs to this task.",
  );
  await alex.decides("`renewals` makes its own key, `renewal:<subscription>:<period>`.");
  await Promise.all([platform.acks(), billing.acks()]);

  await buildAndProve(alex, platform, billing);

  await platform.reports(
    "All four are released. The alarm `charged-twice` is on, and silent. Nothing of ours is open, so we leave.",
  );
  await platform.leaves();
  const refunds = await billing.spawns(
    { title: "Refunds for 41 orders", description: "Pay back the second charge of each, and tell the customers." },
    restTeam,
  );
  await refunds.reports("38 of 41 are paid back, the customers are told. The other 3 wait until `renewals` has a key.");
  await refunds.concludes("38 of 41 refunds are out. Open: the 3 of `renewals`.");
  await refunds.hearsTheEnd();
  const renewals = await billing.asks(
    [alex],
    "38 of 41 refunds are out. `renewals` would charge twice again tonight, and Dana's Team, who own it, are back tomorrow. Shall I pause the job?",
  );
  await alex.answers(
    renewals,
    "Yes. A renewal that comes a day late harms nobody. I conclude, with the job as the open piece.",
  );
  await billing.reports("`renewals` is paused; the 3 cases are in the sandbox under `replay/renewals`.");
  await alex.concludes(CONCLUSION);
  await Promise.all([alex.hearsTheEnd(), billing.hearsTheEnd()]);
  return session;
}

/** Both read the same version. Platform writes first, so Alex's Team has to read again and merge. */
async function planAtTheSameTime(alex: Team, platform: Team) {
  const [forAlex, forPlatform] = await Promise.all([alex.reads(), platform.reads()]);
  await platform.writes("two steps of the plan", forPlatform, addToPlan(LIMIT, RETRY));
  await alex.writes("two steps of the plan", forAlex, addToPlan(BROWSER, CHECKOUT));
  await alex.says(
    "The plan is in the document: two steps of Platform, two of ours. We wrote at the same time; my version was refused, so I read theirs and added ours beneath. Billing, yours is missing.",
  );
}

/** The plan as tasks. A task holds its paths, so Billing, who would change a file of checkout, is told whose they are. */
async function divide(alex: Team, platform: Team, billing: Team) {
  await alex.divides([
    { title: "Gateway: 15 s, and no second POST without a key", paths: ["gateway/routes/"] },
    { title: "Browser and checkout: make the key, keep it", paths: ["checkout/", "web/basket.ts"] },
    { title: "Adapter: pass the key on", paths: ["adapter/"] },
    { title: "Replay Tuesday on staging", depends_on: ["+1", "+2", "+3"] },
  ]);
  await platform.claims(1);
  await alex.claims(2);
  await billing.claims(3);
  await billing.holds(["checkout/key.ts"], ["shared/key.ts"]);
  await billing.says(
    "I wanted the type of the key in `checkout/key.ts`. Alex's Team holds `checkout/`, so it goes to `shared/key.ts`, which I hold now.",
  );
}

async function buildAndProve(alex: Team, platform: Team, billing: Team) {
  await billing.reports(
    "Adapter: passes the key on. A call without one still gets a new key, but is counted, so we see when the last caller has changed. 14 tests, on staging.",
  );
  await billing.edits("a step is done", tick(PASS_ON));
  await billing.finishes(3, "The key is passed on unchanged; calls without one are counted.");
  await alex.notes(TABLE);
  await alex.reports(
    "Checkout and browser: the key is stored *before* the provider is asked, and a second request gets the answer of the first. On staging.",
  );
  await alex.edits("two steps are done", tick(BROWSER, CHECKOUT));
  await alex.finishes(2, "Made in the browser, stored before the provider is asked.");
  await platform.edits("two steps are done", tick(LIMIT, RETRY));
  await platform.finishes(1, "15 s for checkout, a POST is tried again only with a key.");
  const replay = await platform.takesTheNext();
  const count = await platform.asks(
    [billing],
    "Gateway done. Replayed Tuesday on staging, with 12 s of delay in the fraud check: **1,904 payments, 211 retries**. How many charges does the sandbox of the provider count?",
  );
  await Promise.all([
    platform.hearsAnswerTo(count),
    billing.answers(
      count,
      "**1,904.** Each of the 211 retries got the charge of its first try. Table in the document.",
    ),
  ]);
  await billing.notes(REPLAY);
  await platform.finishes(replay, "1,904 payments, 211 retries, 1,904 charges.");
  await alex.decides(
    "We release in this order, an hour apart: browser, adapter, checkout, gateway. Each one works before the next is out.",
  );
  await Promise.all([platform.acks(), billing.acks()]);
}
