import { Connection, mcp, rest } from "./client.ts";
import type { Lab, Team } from "./lab.ts";
import type { Report } from "./report.ts";
import { untilWaiting } from "./wake.ts";

const SESSIONS = 20;
const TEAMS = 100;
const STEP = 200;

/** What 2,000 calls that wait cost the server process, each with its connection. */
export async function memory(lab: Lab, report: Report) {
  const rows: (string | number)[][] = [];
  for (const [name, door] of [
    ["REST", rest],
    ["MCP", mcp],
  ] as const) {
    const parley = await lab.startParley();
    const [probe] = (await Connection.openMany(parley.port, 1)) as [Connection];
    const teams: Team[] = [];
    for (let i = 0; i < SESSIONS; i++) teams.push(...(await lab.seat(TEAMS)).teams);

    // The first calls make the engine compile and grow; that is not the price of a waiting call.
    const warm = await Connection.openMany(parley.port, STEP);
    await Promise.all(warm.map((connection, i) => connection.send(door.wait(teams[i] as Team, 0, 1))));
    for (const connection of warm) connection.close();
    await untilWaiting(probe, 0);

    const before = await parley.usage(true);
    const connections = await Connection.openMany(parley.port, teams.length);
    for (const [i, connection] of connections.entries()) {
      connection.send(door.wait(teams[i] as Team, 0)).catch(() => undefined);
      if ((i + 1) % STEP === 0) await untilWaiting(probe, i + 1);
    }
    const during = await parley.usage(true);
    const kb = (key: "rss" | "heapUsed" | "external") => (during[key] - before[key]) / teams.length / 1_024;
    rows.push([name, String(teams.length), kb("rss"), kb("heapUsed"), kb("external"), during.rss / 1_048_576]);

    for (const connection of [...connections, probe]) connection.close();
    await parley.stop();
  }
  report.table(
    "Memory of a waiting call, after garbage collection",
    ["door", "waiting", "RSS KB each", "heap KB each", "external KB each", "RSS MB in all"],
    rows,
  );
}
