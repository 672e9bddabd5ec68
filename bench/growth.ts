import { readFileSync } from "node:fs";
import pg from "pg";
import { hashSecret } from "../api/http/caller.ts";
import { asRole } from "../api/postgres/database.ts";
import { Connection, post } from "./client.ts";
import {
  fillQuestions,
  fillSessions,
  fillTeams,
  markWordsAsIndexed,
  millionMessages,
  removeTeams,
  wakeTeams,
} from "./fill.ts";
import type { Lab, Team } from "./lab.ts";
import { quantile, type Report } from "./report.ts";

const SESSIONS = 10_000;
const TEAMS = 1_000;
const QUESTIONS = 10_000;
const TIMES = 100;
/** Until plans are made, caches filled and code is compiled, as in a server that has been up for a while. */
const WARM_UP = 50;

/** What grows with everything that was ever said, in a house that has been lived in. */
export async function growth(lab: Lab, report: Report) {
  const long = await millionMessages(lab);
  const asked = await fillQuestions(lab, QUESTIONS);
  const crowd = await fillTeams(lab, TEAMS);
  await fillSessions(lab, SESSIONS);
  await markWordsAsIndexed(lab);
  await lab.superuser.query("vacuum analyze");

  const parley = await lab.startParley();
  const connection = await Connection.open(parley.port);
  // As the server plans: once, for sessions of any length, and by indexes.
  const connectionString = asRole(lab.postgres.url("parley_server"), "parley_caller", {
    plan_cache_mode: "force_generic_plan",
    enable_seqscan: "off",
    jit: "off",
  });
  const client = new pg.Client({ connectionString });
  await client.connect();

  const rows: (string | number)[][] = [];
  const measure = async (
    what: string,
    goal: number | undefined,
    work: (n: number) => Promise<unknown>,
    undo?: () => Promise<void>,
  ) => {
    const ms: number[] = [];
    for (let n = 0; n < WARM_UP + TIMES; n++) {
      const start = performance.now();
      await work(n);
      ms.push(performance.now() - start);
      await undo?.();
      if (n > WARM_UP && ms.reduce((sum, one) => sum + one) > 10_000) break;
    }
    const [p50, p95] = [0.5, 0.95].map((q) => quantile(ms.slice(WARM_UP), q)) as [number, number];
    rows.push([what, p50, p95]);
    if (goal) report.goal(`${what}, p95`, p95, " ms", "≤", goal);
  };
  const verb = (team: Team, call: string) => {
    const text = `select to_json(${call})::text as answer from (select parley_private.begin_call($1, '') offset 0) begun`;
    return () => client.query({ name: call.slice(0, 63), text, values: [hashSecret(team.teamId)] });
  };
  const graphql = (query: string, variables: object) => {
    const request = post("/graphql", { query, variables });
    return async () => {
      const { body } = await connection.send(request);
      if (body.includes('"errors"')) throw new Error(body);
    };
  };

  await measure("list_sessions, 10,000 sessions, SQL", 15, verb(long, "parley.list_sessions()"));
  await measure("… the closed ones", undefined, verb(long, "parley.list_sessions(status => 'closed')"));
  await measure("… with a text that few have", undefined, verb(long, "parley.list_sessions(text => 'Session 77')"));
  for (const [what, variables, goal] of [
    ["the page's list, 10,000 sessions, GraphQL", { limit: 50 }, 15],
    ["… the closed ones", { limit: 50, status: "closed" }, undefined],
    ["… with a text that few have", { limit: 50, search: "Session 77" }, undefined],
  ] as const)
    await measure(what, goal, graphql(SESSIONS_QUERY, variables));
  await measure("whoami, 10,000 questions ever asked, SQL", 10, verb(asked, "parley.whoami()"));
  const session = `session_id => '${crowd.session}'`;
  const leave = () => removeTeams(lab, crowd, TEAMS);
  const join = `parley.join_session(${session}, team_name => 'Newcomer')`;
  await measure("join as team 1,001, SQL", 20, verb(crowd, join), leave);
  const request = post(`/api/sessions/${crowd.session}/join`, { team_name: "Newcomer" });
  await measure("join as team 1,001, REST", 20, () => connection.send(request), leave);
  await measure(
    "unread after 1,000 joins, SQL",
    2,
    verb(
      crowd,
      `(select parley_private.unread(p) from parley.participants p where p.session_id = '${crowd.session}' and p.id = 1)`,
    ),
  );
  await measure("feed { first: 1 } of 1,000,000 messages, GraphQL", 15, graphql(FEED_QUERY, { id: long.session }));
  await measure(
    "findMessages { first: 1 } of 1,000,000 messages, GraphQL",
    15,
    graphql(FIND_QUERY, { id: long.session, search: "message" }),
  );
  await wakeTeams(lab);
  await measure("sweep of 10,000 sessions with somebody in each, SQL", 50, () =>
    lab.superuser.query("select parley_private.sweep_presence()"),
  );
  connection.close();
  await client.end();
  await parley.stop();
  report.table(
    "Growth: 10,000 sessions, 1,000,000 messages in one, 1,000 teams in one",
    ["call", "p50 ms", "p95 ms"],
    rows,
  );
}

/** What the page asks for, as it stands there. */
export const SESSIONS_QUERY = readFileSync(new URL("../web/src/sessions/queries.ts", import.meta.url), "utf8")
  .match(/fragment RowParts [^`]*|query SessionRows[^`]*/g)
  ?.join("\n")
  .replaceAll("@_unmask", "") as string;
const FEED_QUERY = `query ($id: UUID!) {
  session(id: $id) { feed(fromCursor: 1, toCursor: 1000000, first: 1) { nodes { id sequence content } } }
}`;
const FIND_QUERY = `query ($id: UUID!, $search: String) {
  session(id: $id) { findMessages(search: $search, first: 1) { nodes { id sequence content } } }
}`;
