import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { callTool } from "./client.ts";

const TEAMS = ["amber", "blue", "red", "green", "white"];

/** Five teams that port a program say a hundred things, or more, and write a dozen times. Who each of them is, by name. */
export async function sayAHundredThings(client: Client, things = 100) {
  const call = async (name: string, args: object) =>
    JSON.parse((await callTool(client, name, { ...args, format: "json" })).text);
  const { ref: session_id, team_id } = await call("create_session", {
    title: "Port billing to the new ledger",
    description: "Split billing into invoices, refunds and exports, port each, prove it with the old fixtures.",
    creator_team_name: "amber",
  });
  const as: Record<string, { session_id: string; team_id: string }> = { amber: { session_id, team_id } };
  for (const team_name of TEAMS.slice(1)) {
    const joined = await call("join_session", { session_id, team_name });
    as[team_name] = { session_id, team_id: joined.team_id };
  }
  for (let n = 0; n < things; n++) {
    const team = as[TEAMS[n % 5] as string];
    await call("post_message", { ...team, ...said(n) });
    if (n % 8 === 5) {
      const section = n % 16 === 5 ? "Decisions" : "Notes / Working";
      await call("append_to_session_doc", { ...team, text: `- ${n}: rounding is per invoice`, section });
    }
  }
  return as as Record<"amber" | "blue" | "red" | "green" | "white", { session_id: string; team_id: string }>;
}

function said(n: number): object {
  const part = `src/refunds/part-${n}.ts`;
  switch (n % 20) {
    case 3:
      return {
        kind: "question",
        content: `Who owns the rounding rules in ${part}? The old ledger rounds per line, the new one per invoice, and I must know before I touch the exports.`,
        to: n % 40 === 3 ? ["amber", "blue"] : [],
      };
    case 7:
      return {
        kind: "decision",
        content: `We round per invoice, half even; the fixtures of ${part} are rewritten once, by Red, and nobody else touches them.`,
      };
    case 10:
    case 11:
    case 14:
      return {
        kind: "status",
        content:
          n === 91
            ? "Blocked: the fixtures of refunds are not in the repository. Red has to push them."
            : `Porting ${part}: 3 of 5 files done, tests green. Next come the exports, then the cron job, then the flaky test of the nightly run.`,
      };
    default:
      return { content: `I have ported ${part} and its tests; next: exports, unless someone needs me elsewhere.` };
  }
}
