import { connected } from "../../../testing/postgres.ts";
import { type Answer, type Team, type TestServer, until } from "../../../testing/server.ts";

/** Runners and runs, over REST, as the command speaks to the server. */
export function agents(parley: () => TestServer) {
  const must = ({ status, body }: Answer) => {
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
    return body;
  };
  const at = (team: Team, path: string) => `/sessions/${team.ref}/${path}`;
  const call =
    (path: string) =>
    (by: Team, agent: { handle: string }, body: object = {}) =>
      parley().post(at(by, `agents/${agent.handle}/${path}`), body, by);
  return {
    must,
    offer: (name: string, more: object = {}, init: RequestInit = {}) =>
      parley().post(
        "/runners/offer",
        { name, runner_token: `token of ${name}`, agents: ["claude"], accept: "anyone", ...more },
        undefined,
        init,
      ),
    take: (runner: string, more: object = {}, init: RequestInit = {}) =>
      parley().post("/runners/take", { runner, runner_token: `token of ${runner}`, ...more }, undefined, init),
    spawn: (by: Team, more: object = {}) =>
      parley().post(at(by, "agents"), { agent: "claude", prompt: "Port refunds.", ...more }, by),
    report: (team: Team, body: object = {}, init: RequestInit = {}) => parley().post(at(team, "run"), body, team, init),
    ask: (team: Team, body: object = {}) =>
      parley().post(at(team, "run/permission"), { request: "r1", tool: "Write src/a.ts", ...body }, team),
    prompt: call("prompt"),
    interrupt: call("interrupt"),
    stop: call("stop"),
    answer: call("permission"),
    list: async (team: Team) => must(await parley().get(at(team, "agents"), team)).agents,
    transcript: async (by: Team, agent: { handle: string }, query = "") =>
      must(await parley().get(at(by, `agents/${agent.handle}/transcript?${query}`), by)),
    feed: async (team: Team) => must(await parley().get(at(team, "messages?limit=500"), team)).messages,
    sql: <Row>(text: string, values: unknown[] = []): Promise<Row[]> =>
      connected(
        parley().database.url("parley_owner"),
        async (client) => (await client.query(text, values)).rows as Row[],
      ),
    /** What the worker does every few seconds, so many seconds from now: as often as there is something left. */
    sweep: (later = 0) =>
      connected(parley().database.url("parley_worker"), async (client) => {
        const text = "select parley_private.sweep_runs(clock_timestamp() + $1 * interval '1 second') as swept";
        for (let swept = 20; swept >= 20; ) swept = (await client.query(text, [later])).rows[0].swept;
      }),
    /** Until a call of a run, or about one, waits. */
    waits: (verb: string) =>
      until(
        () =>
          connected(
            parley().database.url("parley_owner"),
            async (client) =>
              (await client.query("select from parley_private.run_waits where verb = $1", [verb])).rowCount,
          ),
        `${verb} to wait`,
      ),
  };
}
