import pg from "pg";
import { hashSecret } from "../api/http/caller.ts";
import { asRole } from "../api/postgres/database.ts";
import { Connection, get } from "./client.ts";
import { fillMessages, millionMessages } from "./fill.ts";
import type { Lab } from "./lab.ts";
import { median, type Report } from "./report.ts";

const SIZES = [1_000, 1_000_000];
const TIMES = 400;

/** Whether a long feed is slower to read than a short one. */
export async function depth(lab: Lab, report: Report) {
  const sessions = [];
  for (const size of SIZES)
    sessions.push({ size, team: await (size === 1_000_000 ? millionMessages(lab) : fillMessages(lab, size)) });
  await lab.superuser.query("vacuum analyze parley.messages");
  const parley = await lab.startParley();
  const connection = await Connection.open(parley.port);
  const client = new pg.Client({ connectionString: asRole(lab.postgres.url("parley_server"), "parley_caller") });
  await client.connect();

  const reads: Record<string, (size: number) => { path: string; sql: string }> = {
    "wait near the end": (size) => ({
      path: `/messages/wait?since_cursor=${size - 5}&timeout=0`,
      sql: `parley.wait_for_messages(session_id => $2, since_cursor => ${size - 5}, timeout => 0)`,
    }),
    "history at the end": () => ({ path: "/messages", sql: "parley.get_history(session_id => $2)" }),
    "history in the middle": (size) => ({
      path: `/messages?before_cursor=${size / 2}`,
      sql: `parley.get_history(session_id => $2, before_cursor => ${size / 2})`,
    }),
  };
  const rows: (string | number)[][] = [];
  for (const [what, read] of Object.entries(reads)) {
    const times = sessions.map(({ size, team }) => {
      const { path, sql } = read(size);
      const request = get(`/api/sessions/${team.session}${path}`, team.teamId);
      const text = `select case when parley_private.begin_call($1, '') then to_json(${sql}) end::text as answer`;
      const query = { name: `${what} ${size}`, text, values: [hashSecret(team.teamId), team.session] };
      return { rest: timed(() => connection.send(request)), sql: timed(() => client.query(query)) };
    });
    for (let i = 0; i < TIMES; i++)
      for (const { rest, sql } of times) for (const time of [rest, sql]) await time.once(i >= TIMES / 10);
    for (const door of ["rest", "sql"] as const) {
      const [short, long] = times.map((time) => median(time[door].ms)) as [number, number];
      rows.push([what, door === "rest" ? "REST" : "SQL", short, long, long / short]);
      report.goal(
        `${what}, 1,000,000 against 1,000 messages, ${door === "rest" ? "REST" : "SQL"}`,
        long / short,
        " ×",
        "≤",
        1.3,
      );
    }
  }
  connection.close();
  await client.end();
  await parley.stop();
  report.table(
    "Reading a feed of 1,000 and of 1,000,000 messages (median)",
    ["call", "door", "ms at 1,000", "ms at 1,000,000", "ratio"],
    rows,
  );
}

function timed(work: () => Promise<unknown>) {
  const ms: number[] = [];
  return {
    ms,
    async once(counts: boolean) {
      const start = performance.now();
      await work();
      if (counts) ms.push(performance.now() - start);
    },
  };
}
