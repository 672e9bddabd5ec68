import type pg from "pg";
import { client, type Team } from "../testing/server.ts";

/** A session in which three agents work as processes, on two machines; one of them asks for permission. Answers with its ref. */
export async function playAgents(url: string, sql: pg.Client): Promise<string> {
  const rest = client(url);
  const ok = async (path: string, body: object, team?: Team) => {
    const { status, body: answer } = await rest.post(path, body, team);
    if (status !== 200) throw new Error(`${path}: ${JSON.stringify(answer)}`);
    return answer;
  };
  const alex: Team = await ok("/sessions", {
    title: "Port refunds to the new API",
    description: "Three agents, each in a worktree of its own.",
    creator_team_name: "Alex's Team",
  });
  const at = `/sessions/${alex.ref}`;
  const say = (team: Team, content: string, about: object = {}) => ok(`${at}/messages`, { content, ...about }, team);
  const token = (name: string) => ({ runner_token: `token of ${name}` });
  const runners = { studio: ["claude", "codex"], "build-2": ["gemini"] };
  for (const [name, agents] of Object.entries(runners))
    await ok("/runners/offer", { name, agents, repos: ["billing"], accept: "anyone", max_runs: 4, ...token(name) });
  await ok(`${at}/tasks`, { tasks: ["Port the call sites", "Replay last year", "Write the release note"] }, alex);
  await say(alex, "Refunds go the way invoices went. One of you ports, one replays, one writes it down.");
  const start = async (runner: string, agent: string, team_name: string, prompt: string): Promise<Team> => {
    await ok(`${at}/agents`, { agent, runner, team_name, prompt }, alex);
    return ok("/runners/take", { runner, ...token(runner) });
  };
  const report = (team: Team, body: object) => ok(`${at}/run`, { status: "working", ...body }, team);
  const porter = await start("studio", "claude", "Porter", "Port the call sites of refunds.");
  const replay = await start("studio", "codex", "Replay", "Replay the refunds of last year.");
  const writer = await start("build-2", "gemini", "Writer", "Write the release note when the others are done.");
  const tree = (branch: string) => ({
    path: `/src/billing-${branch}`,
    branch: `parley/refunds/${branch}`,
    dirty: true,
  });
  for (const [team, task] of [
    [porter, 1],
    [replay, 2],
  ] as const)
    await ok(`${at}/tasks/claim`, { task }, team);
  await report(porter, {
    worktree: tree("porter"),
    usage: { turns: 6, tokens: 48_210, cost: 0.41 },
    events: [
      { kind: "tool", title: "Read src/refunds/refund.ts", text: "export const refund = …" },
      { kind: "say", title: "15 call sites, 9 are plain." },
      { kind: "tool", title: "Edit src/refunds/total.ts", text: "- round(sum)\n+ lines.map(round)" },
    ],
  });
  await say(porter, "9 of 15 ported in `src/refunds/`, tests green. The other six pass a currency.", {
    kind: "status",
  });
  await report(replay, { worktree: tree("replay"), usage: { turns: 3, tokens: 17_905, cost: 0.12 } });
  const asked = await say(replay, "Which rounding holds for partial refunds?", { kind: "question", to: ["porter"] });
  await say(porter, "Per line, halves away from zero.", { kind: "answer", reply_to: asked.cursor });
  await say(replay, "Then 3,114 of 3,114 are equal so far.", { kind: "status" });
  await report(writer, { status: "waiting", usage: { turns: 1, tokens: 2_340, cost: 0.01 } });
  await ok(
    `${at}/run/permission`,
    { request: "r1", tool: "Run npm run replay -- --year 2025", input: { command: "npm run replay -- --year 2025" } },
    replay,
  );
  // Nobody speaks for them from here on.
  await sql.query("update parley.runs set alive_until = 'infinity' where alive_until is not null");
  await sql.query("update parley_private.runners set expires_at = 'infinity'");
  return alex.ref;
}
