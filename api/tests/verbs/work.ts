import { connected } from "../../../testing/postgres.ts";
import { type Answer, type Team, type TestServer, until } from "../../../testing/server.ts";

/** Teams at work, over REST. */
export function workers(parley: () => TestServer) {
  const post = (path: string) => (team: Team | undefined, at: Team, body: unknown) =>
    parley().post(`/sessions/${at.ref}/${path}`, body, team);
  const must = ({ status, body }: Answer) => {
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
    return body;
  };
  const add = async (team: Team, ...tasks: unknown[]) => must(await post("tasks")(team, team, { tasks }));
  const claim = (team: Team, body: object = {}) => post("tasks/claim")(team, team, body);
  const update = (team: Team, task: number, body: object) => post(`tasks/${task}`)(team, team, body);
  return {
    /** Three teams of one session. */
    three: async (): Promise<[Team, Team, Team]> => {
      const a = await parley().create("Amber");
      return [a, await parley().join(a, "Blue"), await parley().join(a, "Green")];
    },
    must,
    add,
    claim,
    update,
    /** The number of what it got. */
    take: async (team: Team, body: object = {}): Promise<number | null> => must(await claim(team, body)).task,
    done: async (team: Team, task: number, more: object = {}) =>
      must(await update(team, task, { status: "done", result: "Done.", ...more })),
    verify: (team: Team, task: number, passed: boolean, more: object = {}) =>
      post(`tasks/${task}/verify`)(team, team, { passed, ...more }),
    list: async (team: Team, query = "") => must(await parley().get(`/sessions/${team.ref}/tasks?${query}`, team)),
    task: async (team: Team, task: number) =>
      must(await parley().get(`/sessions/${team.ref}/tasks?task=${task}`, team)).tasks[0],
    events: async (team: Team): Promise<Record<string, unknown>[]> => {
      const { messages } = must(await parley().get(`/sessions/${team.ref}/messages?limit=500`, team));
      return messages.filter((message: { type: string }) => message.type === "system").map(strip);
    },
    roster: async (team: Team) =>
      must(await parley().get(`/sessions/${team.ref}/participants`, team)).participants as Record<string, unknown>[],
    paths: {
      claim: (team: Team, ...paths: string[]) => post("paths/claim")(team, team, { paths }),
      release: (team: Team, body: object = {}) => post("paths/release")(team, team, body),
      list: async (team: Team) => must(await parley().get(`/sessions/${team.ref}/paths`, team)),
      report: (team: Team, body: object) => post("changes")(team, team, body),
    },
    /** As if nothing had been heard of the team for so long. */
    silence: (team: Team, ago: string) =>
      connected(parley().database.url(), async (client) => {
        const text =
          "update parley.participants set last_seen_at = now() - $3::interval where session_id = $1 and handle = $2";
        // A call that ends just now would be a sign of life.
        await until(
          async () => (await client.query(text, [team.session_id, team.handle, ago])).rowCount === 1,
          "the team",
        );
      }),
    sweep: () =>
      connected(parley().database.url("parley_worker"), (client) =>
        client.query("select parley_private.sweep_claims()"),
      ),
    set: (name: string, value: unknown) =>
      connected(parley().database.url(), (client) =>
        client.query("update parley.settings set value = $2 where name = $1", [name, JSON.stringify(value)]),
      ),
  };
}

const strip = ({ event, content }: { event: string; content: Record<string, unknown> }) => {
  const { event: _, ...fields } = content;
  return { event, ...fields };
};

export const refusal = (status: number, code: string, details: object = {}) => ({
  status,
  body: { error: { code, details } },
});
