import { Connection, get } from "./client.ts";
import type { Lab, Team } from "./lab.ts";
import { quantile, type Report } from "./report.ts";

const EVENTS = 10_000;
const TIMES = 200;

/** The newest page of a long transcript, and one from its middle. */
export async function transcript(lab: Lab, report: Report) {
  const { id, teams } = await lab.seat(1);
  const [{ teamId }] = teams as [Team];
  await lab.superuser.query(
    `insert into parley.runs (session_id, run, participant_id, agent, status, alive_until, last_event)
     values ($1, 1, 1, 'claude', 'working', 'infinity', ${EVENTS})`,
    [id],
  );
  await lab.superuser.query(
    `insert into parley.run_events (session_id, run, event, kind, title, text)
     select $1, 1, n, 'tool', 'Read src/part-' || n || '.ts', repeat('line of it\n', 200) from generate_series(1, ${EVENTS}) n`,
    [id],
  );
  const { rows: handles } = await lab.superuser.query<{ handle: string }>(
    "select handle from parley.participants where session_id = $1 and id = 1",
    [id],
  );
  await lab.superuser.query("analyze parley.run_events");
  const parley = await lab.startParley();
  const connection = await Connection.open(parley.port);
  const path = `/api/sessions/${id}/agents/${handles[0]?.handle}/transcript`;
  const rows: (string | number)[][] = [];
  for (const [what, query] of Object.entries({
    "newest page": "",
    "page of the middle": `?after=${EVENTS / 2}`,
    "whole texts": "?full=true",
  })) {
    const ms: number[] = [];
    for (let n = 0; n < TIMES; n++) {
      const start = performance.now();
      const { at } = await connection.send(get(path + query, teamId));
      if (n >= 20) ms.push(at - start);
    }
    rows.push([what, quantile(ms, 0.5), quantile(ms, 0.95)]);
    report.goal(
      `a transcript of ${EVENTS.toLocaleString("en")} events, ${what}, p50`,
      quantile(ms, 0.5),
      " ms",
      "≤",
      10,
    );
  }
  connection.close();
  await parley.stop();
  report.table(`Reading a transcript of ${EVENTS.toLocaleString("en")} events`, ["page", "p50 ms", "p95 ms"], rows);
}
