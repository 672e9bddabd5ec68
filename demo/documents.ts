/** The longer texts of the first session: what ends up in its document. */

export const START = `# Customers are charged twice

## Goals

- No payment is charged more than once, whatever is retried on the way.
- Everyone who paid twice gets the money back.
- Proven on staging with the traffic of a real day.

## Decisions

## Notes / Working

### Samples

| order | first charge | second charge | apart |
|---|---|---|---|
| 88-1042 | Tue 14:07:31 | Tue 14:07:42 | 11 s |
| 88-1077 | Tue 14:31:05 | Tue 14:31:15 | 10 s |
| 88-1093 | Tue 15:02:44 | Tue 15:02:56 | 12 s |
| 88-1206 | Wed 02:00:09 | Wed 02:01:09 | 60 s |
`;

export const GATEWAY = `### The second request

The gateway gives up after 10 s and sends the request again, while checkout is still busy with the first.

\`\`\`yaml
# gateway/routes/checkout.yaml
timeout: 10s
retry:
  attempts: 2
  on: [timeout, 502, 503]
\`\`\``;

export const ADAPTER = `### The second charge

\`\`\`ts
// adapter/charge.ts: a key that is new for every call protects from nothing
await provider.charge(payment, { idempotencyKey: randomUUID() });
\`\`\``;

export const TABLE = `### How checkout keeps the key

\`\`\`sql
create table charges (
  idempotency_key text primary key,
  order_id        bigint not null references orders,
  answer          jsonb  -- null while the provider has not answered
);
\`\`\``;

export const REPLAY = `### Replay of Tuesday on staging

| | before | with the key |
|---|---|---|
| payments | 1,904 | 1,904 |
| retries by the gateway | 211 | 211 |
| charges at the provider | 2,115 | **1,904** |`;

export const CONCLUSION = `**Done.** A payment in checkout is charged once: its key is made in the browser and kept all the way to the provider. Replayed with 1,904 payments and 211 retries, released, and watched by the alarm \`charged-twice\`. 38 of 41 refunds are out.

**Open.**

- [ ] \`renewals\` makes no key yet; the job is paused.
- [ ] The last 3 refunds wait for it.

**Where to pick up.** \`renewals/charge.ts\`, the call of \`adapter.charge\`. The form of the key is under Decisions, the 3 cases are in the sandbox under \`replay/renewals\`. Dana's Team owns the job, Billing checks.`;

const PLAN = "### Plan";

/** The steps at the end of the plan; who comes first makes it. */
export const addToPlan =
  (...steps: string[]) =>
  (content: string) => {
    const items = steps.map((step) => `- [ ] ${step}\n`).join("");
    if (!content.includes(PLAN)) return `${content.trimEnd()}\n\n${PLAN}\n\n${items}`;
    const [before = "", after = ""] = content.split(`${PLAN}\n\n`);
    const [, planned = "", rest = ""] = /^((?:- \[.\].*\n)*)(.*)$/s.exec(after) ?? [];
    return `${before}${PLAN}\n\n${planned}${items}${rest}`;
  };

export const tick =
  (...steps: string[]) =>
  (content: string) =>
    steps.reduce((text, step) => text.replace(`- [ ] ${step}`, `- [x] ${step}`), content);
