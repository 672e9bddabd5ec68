import pg from "pg";
import { hashSecret } from "../api/http/caller.ts";
import { asRole } from "../api/postgres/database.ts";
import { Connection, post } from "./client.ts";
import { fillMessages, fillSessions } from "./fill.ts";
import type { Lab } from "./lab.ts";
import { quantile, type Report } from "./report.ts";

const SESSIONS = 10_000;
const ON_THE_BOARD = 500;
const TIMES = 100;

/** A board of 500 sessions and a tree of as many, in a house of 10,000; and what it takes to catch up. */
export async function family(lab: Lab, report: Report) {
  const team = await fillMessages(lab, 10_000);
  await fillSessions(lab, SESSIONS);
  await lab.superuser.query(
    `insert into parley.boards (slug, name, zones) values ('bench', 'Bench', '{Planning,In progress,Done}');
    insert into parley.placements (session_id, board, zone)
    select id, 'bench', (array['Planning', 'In progress', 'Done'])[1 + row_number() over () % 3] from parley.sessions limit ${ON_THE_BOARD};
    insert into parley.lineage (session_id, origin_id, relation)
    select id, '${team.session}', 'forked' from parley.sessions where id <> '${team.session}' limit ${ON_THE_BOARD}`,
  );
  await lab.superuser.query("vacuum analyze");
  const parley = await lab.startParley();
  const connection = await Connection.open(parley.port);
  const settings = { plan_cache_mode: "force_generic_plan", enable_seqscan: "off", jit: "off" };
  const client = new pg.Client({
    connectionString: asRole(lab.postgres.url("parley_server"), "parley_caller", settings),
  });
  await client.connect();

  const rows: (string | number)[][] = [];
  const measure = async (what: string, goal: number, work: () => Promise<unknown>) => {
    const ms: number[] = [];
    for (let n = 0; n < TIMES; n++) {
      const start = performance.now();
      await work();
      ms.push(performance.now() - start);
    }
    // The first ones make plans and fill caches.
    const [p50, p95] = [0.5, 0.95].map((q) => quantile(ms.slice(3), q)) as [number, number];
    rows.push([what, p50, p95]);
    report.goal(`${what}, p95`, p95, " ms", "≤", goal);
  };
  const verb = (call: string) => {
    const text = `select to_json(${call})::text as answer from (select parley_private.begin_call($1, '') offset 0) begun`;
    return () => client.query({ name: call, text, values: [hashSecret(team.teamId)] });
  };
  await measure("get_board of 500 sessions, SQL", 15, verb("parley.get_board('bench')"));
  const page = post("/graphql", { query: BOARD_QUERY });
  await measure("the page of that board, GraphQL", 100, async () => {
    const { body } = await connection.send(page);
    if (body.includes('"errors"')) throw new Error(body);
  });
  await measure("list_sessions of that board, SQL", 15, verb("parley.list_sessions(board => 'bench')"));
  await measure("get_lineage of 500 sessions, SQL", 15, verb(`parley.get_lineage('${team.session}')`));
  await measure("catch_up after 10,000 messages, SQL", 15, verb(`parley.catch_up('${team.session}')`));
  connection.close();
  await client.end();
  await parley.stop();
  report.table("Boards and lineage, among 10,000 sessions", ["call", "p50 ms", "p95 ms"], rows);
}

const BOARD_QUERY = `{
  board(slug: "bench") {
    name zones
    placements(first: 500) {
      nodes {
        zone
        session {
          id ref title state lastSequence sessionDocVersion lastActivityAt teamCount
          participants(first: 6) { nodes { id sessionId handle teamName activity leftAt } }
        }
      }
    }
  }
}`;
