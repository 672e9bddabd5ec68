import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { Connection, get, mcp, rest } from "./client.ts";
import type { Lab, Server, Team } from "./lab.ts";
import { quantile, type Report } from "./report.ts";

const doors = { REST: rest, MCP: mcp };
const ROUNDS = new Map([
  [1, 100],
  [10, 50],
  [100, 20],
  [1_000, 6],
]);

/** From sending a post until the waiting calls of the session have their answer, against a bare LISTEN. */
export async function wake(lab: Lab, report: Report) {
  const parley = await lab.startParley();
  const listener = await startListener(lab);
  await postsAndWaits(lab, parley, listener, "REST", 1, 30);

  const raw = (await postsAndWaits(lab, parley, listener, "REST", 0, 150)).raw;
  const rows: (string | number)[][] = [["LISTEN", "–", quantile(raw, 0.5), quantile(raw, 0.95), 1, "–"]];
  for (const door of ["REST", "MCP"] as const) {
    for (const [waiters, rounds] of ROUNDS) {
      const { woken, lag } = await postsAndWaits(lab, parley, listener, door, waiters, rounds);
      const [p50, p95] = [quantile(woken, 0.5), quantile(woken, 0.95)];
      rows.push([door, String(waiters), p50, p95, p50 / quantile(raw, 0.5), quantile(lag, 0.5)]);
      if (waiters === 1)
        report.goal(`1 waiter over ${door} woken, against LISTEN`, p50 / quantile(raw, 0.5), " ×", "≤", 3);
      if (waiters === 100) report.goal(`100 waiters over ${door} woken, p95`, p95, " ms", "≤", 65);
    }
  }
  await listener.end();
  await parley.stop();
  report.table(
    "Wake-up: from sending a post to the answer of a waiting call",
    ["door", "waiters", "p50 ms", "p95 ms", "p50 / LISTEN", "p50 ms after the NOTIFY"],
    rows,
  );
}

async function postsAndWaits(
  lab: Lab,
  parley: Server,
  listener: Listener,
  door: keyof typeof doors,
  waiters: number,
  rounds: number,
) {
  const { id, teams } = await lab.seat(waiters + 1);
  const [poster, ...others] = teams as [Team, ...Team[]];
  const [posting, ...waiting] = (await Connection.openMany(parley.port, waiters + 1)) as [Connection, ...Connection[]];
  const result = { raw: [] as number[], woken: [] as number[], lag: [] as number[] };

  for (let cursor = 0; cursor < rounds; cursor++) {
    const answers = waiting.map((connection, i) => connection.send(doors[door].wait(others[i] as Team, cursor)));
    await untilWaiting(posting, waiters);
    await sleep(5 + Math.random() * 10);
    const notified = listener.next(`feed ${id}`);
    const start = performance.now();
    await posting.send(rest.post(poster, "Wake up."));
    const ends = (await Promise.all(answers)).map(({ at, body }) => {
      if (!body.includes("Wake up.")) throw new Error(`a waiter got no message: ${body}`);
      return at;
    });
    const heard = await notified;
    result.raw.push(heard - start);
    result.woken.push(...ends.map((at) => at - start));
    result.lag.push(...ends.map((at) => at - heard));
  }
  for (const connection of [posting, ...waiting]) connection.close();
  return result;
}

export async function untilWaiting(connection: Connection, count: number) {
  for (const deadline = performance.now() + 20_000; performance.now() < deadline; await sleep(count > 100 ? 50 : 5)) {
    const { body } = await connection.send(get("/metrics"));
    if (Number(/^parley_waiting_calls (\d+)/m.exec(body)?.[1]) === count) return;
  }
  throw new Error(`there were never ${count} waiting calls`);
}

interface Listener {
  next(topic: string): Promise<number>;
  end(): Promise<void>;
}

async function startListener(lab: Lab): Promise<Listener> {
  const client = new pg.Client({ connectionString: lab.postgres.url() });
  await client.connect();
  await client.query("listen parley");
  return {
    next: (topic) =>
      new Promise((resolve) => {
        client.on("notification", function heard({ payload }) {
          if (!payload?.startsWith(topic)) return;
          client.off("notification", heard);
          resolve(performance.now());
        });
      }),
    end: () => client.end(),
  };
}
