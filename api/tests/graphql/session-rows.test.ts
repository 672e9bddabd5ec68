import { afterAll, beforeAll, expect, test } from "vitest";
import { asPerson, auth } from "../../../testing/people.ts";
import { connected } from "../../../testing/postgres.ts";
import { startTestServer, type Team, type TestServer } from "../../../testing/server.ts";
import { type GraphQLTestServer, startGraphQL } from "./test-client.ts";

const ROW =
  "id ref title state paused needs openQuestions lastCursor said saidBy conclusion board zone family teams { handle activity doing }";
const LIST = `query ($status: String, $search: String, $limit: Int) {
  listSessionRows(status: $status, search: $search, limit: $limit) { total hasMore rows { ${ROW} } }
}`;
const NEEDS = "{ needsYou { nodes { id kind ref cursor handle task text options default ask } } }";

let server: GraphQLTestServer;
let parley: TestServer;
beforeAll(async () => {
  server = await startGraphQL();
  parley = server.parley;
});
afterAll(() => server.stop());

const post = (team: Team, what: string, body: object) => parley.post(`/sessions/${team.ref}/${what}`, body, team);
const rows = async (variables = {}) => (await server.ask(LIST, variables)).data.listSessionRows.rows;
const hourAgo = (team: Team) =>
  server.sql(
    "update parley.participants set last_seen_at = now() - interval '1 hour', known_status = 'disconnected' where session_id = $1",
    [team.session_id],
  );

test("what needs somebody comes first, then what is live, quiet, concluded, each with what a line of the list says", async () => {
  const over = await parley.create("Alex's Team", "At an end");
  await post(over, "conclude", { summary_section: "## Conclusion\n\n**Both** are ported. The load test is left." });
  const quiet = await parley.create("Alex's Team", "Gone quiet");
  await hourAgo(quiet);
  const stuck = await parley.create("Alex's Team", "Stuck");
  await post(stuck, "messages", { content: "No access to the bucket", kind: "blocker" });
  await hourAgo(stuck);
  const live = await parley.create("Alex's Team", "Going on");
  await post(live, "team", { doing: "porting refunds, 3 of 5" });
  await post(live, "messages", { content: "Who takes invoices?", kind: "question", expects_reply: true });

  const found = await rows();
  expect(found.map(({ title, state }: { title: string; state: string }) => [title, state])).toEqual([
    ["Stuck", "quiet"],
    ["Going on", "live"],
    ["Gone quiet", "quiet"],
    ["At an end", "concluded"],
  ]);
  expect(found[0]).toMatchObject({ needs: 1, openQuestions: 0, said: { text: "No access to the bucket" } });
  expect(found[1]).toMatchObject({
    needs: 0,
    openQuestions: 1,
    saidBy: "Alex's Team",
    teams: [{ handle: "alexs-team", activity: "working", doing: "porting refunds, 3 of 5" }],
  });
  expect(found[3]).toMatchObject({ conclusion: "Both are ported.", teams: [] });
  expect((await rows({ status: "closed" })).length).toBe(1);
  expect((await rows({ search: "GONE q" })).map(({ ref }: Team) => ref)).toEqual([quiet.ref]);
  const { data } = await server.ask(LIST, { limit: 2 });
  expect(data.listSessionRows).toMatchObject({ total: 4, hasMore: true });

  await post(stuck, "messages", { content: "Got it", reply_to: 1 });
  expect((await rows({ search: "Stuck" }))[0].needs).toBe(0);
});

test("a change brings the row that has changed, and nothing else", async () => {
  const alex = await parley.create("Alex's Team", "Told row by row");
  const { close, subscribe } = server.connect();
  const list = subscribe(`subscription { sessionRows { series frame whole rows { ${ROW} } } }`);
  const news = async () => (await list.next()).data.sessionRows;
  const first = await news();
  expect(first).toMatchObject({ whole: true, rows: [] });
  await parley.say(alex, "a ".repeat(5_000));
  const second = await news();
  expect(second).toMatchObject({ series: first.series, frame: first.frame + 1, whole: false });
  expect(second.rows).toMatchObject([{ ref: alex.ref, lastCursor: 1 }]);
  expect(JSON.stringify(second).length).toBeLessThan(2_000);
  await close();
});

test("questions, blockers, stalled teams and idle sessions need somebody, until they are answered", async () => {
  const alex = await parley.create("Alex's Team", "Needs all sorts");
  const needs = async () =>
    (await server.ask(NEEDS)).data.needsYou.nodes.filter(({ ref }: { ref: string }) => ref === alex.ref);
  await post(alex, "ask", { question: "Ship it?", options: ["yes", "no"], default: "no", expires_in: 3600 });
  const blue = await parley.join(alex);
  const { cursor } = (await post(blue, "messages", { content: "The tests hang", kind: "blocker" })).body;
  await post(alex, "tasks", { tasks: ["Port refunds"] });
  await post(blue, "tasks/claim", {});
  expect(await needs()).toMatchObject([
    { kind: "question", text: "Ship it?", options: ["yes", "no"], default: "no", ask: true },
    { kind: "blocker", cursor, handle: "team-blue", text: "The tests hang" },
  ]);
  await server.sql(
    "update parley.participants set last_seen_at = now() - interval '11 minutes' where session_id = $1 and id = 2",
    [alex.session_id],
  );
  await server.sql("update parley.participants set empty_polls = 50, known_status = 'active' where session_id = $1", [
    alex.session_id,
  ]);
  expect((await needs()).map(({ kind }: { kind: string }) => kind)).toEqual(["question", "blocker", "stalled", "idle"]);
  await post(alex, "messages", { content: "Killed the runner", reply_to: cursor });
  await post(blue, "leave", {});
  expect((await needs()).map(({ kind }: { kind: string }) => kind)).not.toContain("stalled");
  await post(alex, "conclude", { summary_section: "Done." });
  expect(await needs()).toEqual([]);
});

test("a team is stuck once at a time, until it reports that it goes on; the session itself tells the same", async () => {
  const alex = await parley.create("Alex's Team", "Stuck again");
  const needs = async () => {
    const asked = `{ sessionByRef(ref: "${alex.ref}") { needs { nodes { kind text } } } }`;
    return (await server.ask(asked)).data.sessionByRef.needs.nodes;
  };
  const number = async () => (await rows({ search: "Stuck again" }))[0].needs;
  for (const content of ["No key", "Still no key"]) await post(alex, "messages", { content, kind: "blocker" });
  expect([await needs(), await number()]).toEqual([[{ kind: "blocker", text: "Still no key" }], 1]);
  await post(alex, "messages", { content: "Found it, 3 of 5", kind: "status" });
  expect([await needs(), await number()]).toEqual([[], 0]);
});

test("whoever is not to see a session sees neither its row nor what it needs, and a person puts away for themselves alone", async () => {
  const keys = await startTestServer({ access: "keys" });
  try {
    const ask = async (query: string, headers: Record<string, string>) => {
      const response = await fetch(`${keys.url}/graphql`, { method: "POST", body: JSON.stringify({ query }), headers });
      // biome-ignore lint/suspicious/noExplicitAny: the shape is what each test asks for
      return (await response.json()) as any;
    };
    const people = [];
    for (const name of ["Ada", "Grace"]) {
      const { rows } = await connected(keys.database.url("parley_owner"), (client) =>
        client.query<{ secret: string }>("select secret from parley_private.admin_link($1, 'member')", [name]),
      );
      const { setCookie } = await auth(keys, "/sign-in", { token: rows[0]?.secret });
      people.push(asPerson(keys, setCookie));
    }
    const [ada, grace] = people as [Record<string, string>, Record<string, string>];
    const created = await ask(
      `mutation { createSession(input: { title: "Secret", description: "", creatorTeamName: "Ada", visibility: "members" }) { result { ref teamId } } }`,
      ada,
    );
    const { ref, teamId } = created.data.createSession.result;
    await keys.post(`/sessions/${ref}/ask`, { question: "Ship it?" }, teamId);
    const seen = async (who: Record<string, string>) => {
      const { data } = await ask(`{ listSessionRows { total rows { ref needs } } needsYou { nodes { ref } } }`, who);
      return [data.listSessionRows.rows, data.needsYou.nodes];
    };
    expect(await seen(grace)).toEqual([[], []]);
    const [[row], needs] = await seen(ada);
    expect(row).toMatchObject({ ref });
    expect(needs.length).toBe(row.needs);
    const away = (archived: boolean) =>
      ask(`mutation { archiveSession(input: { sessionId: "${ref}", archived: ${archived} }) { result } }`, ada);
    await away(true);
    expect(await seen(ada)).toEqual([[], []]);
    const { data } = await ask("{ listSessionRows(archived: true) { rows { ref archived } } }", ada);
    expect(data.listSessionRows.rows).toEqual([{ ref, archived: true }]);
    await away(false);
    expect((await seen(ada))[0]).toHaveLength(1);
    const refused = await ask(`mutation { archiveSession(input: { sessionId: "${ref}" }) { result } }`, grace);
    expect(refused.errors[0].extensions.code).toBe("session_not_found");
  } finally {
    await keys.stop();
  }
});
