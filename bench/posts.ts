import type pg from "pg";
import { asRole, createPool } from "../api/postgres/database.ts";
import { createCall, hashTeamId } from "../api/verbs/call.ts";
import { LiveCatalogue, type Verb } from "../api/verbs/catalogue.ts";
import { Connection, mcp, post, rest } from "./client.ts";
import { type Lab, log, type Server, type Team } from "./lab.ts";
import { median, type Report } from "./report.ts";

const TEXT = "We keep the schema as it is and add the column in the next release. ".repeat(3);
const ROUND_MS = 1_200;
const ROUNDS = 3;
const MOST = 50_000;

type Send = () => Promise<unknown>;
interface Rate {
  perSecond: number;
  cpuUs: number;
}

/** How many posts a second, through every door and with less and less of Parley in between. */
export async function posts(lab: Lab, report: Report) {
  const parley = await lab.startParley();
  const bare = await lab.startBare();
  const straight = await straightCalls(lab);
  const rows: (string | number)[][] = [];
  const doors = {
    rest: [parley, restSends],
    mcp: [parley, mcpSends],
    bare: [bare, bareSends],
    sql: [undefined, straight.sends],
  } as const;

  for (const [clients, sessions] of [
    [1, 1],
    [16, 8],
    [64, 8],
    [64, 1],
  ] as const) {
    const teams = await seatTeams(lab, clients, sessions);
    const rates: Record<keyof typeof doors, Rate[]> = { rest: [], mcp: [], bare: [], sql: [] };
    for (let round = 0; round <= ROUNDS; round++) {
      for (const [door, [server, sends]] of Object.entries(doors) as [keyof typeof doors, (typeof doors)["rest"]][]) {
        const rate = await run(server, await sends(server?.port ?? 0, teams), round === 0 ? ROUND_MS / 3 : ROUND_MS);
        if (round > 0) rates[door].push(rate);
      }
    }
    const of = (door: keyof typeof doors, key: keyof Rate) => median(rates[door].map((rate) => rate[key]));
    const [r, b, s, m] = (["rest", "bare", "sql", "mcp"] as const).map((door) => of(door, "perSecond")) as [
      number,
      number,
      number,
      number,
    ];
    rows.push([
      String(clients),
      String(sessions),
      r,
      m,
      s,
      b,
      r / s,
      r / b,
      of("rest", "cpuUs"),
      of("mcp", "cpuUs"),
      of("bare", "cpuUs"),
    ]);
    if (sessions === 8 || clients === 1)
      report.goal(`REST posts against a bare insert server, clients: ${clients}`, r / b, "", "≥", 0.6);
  }
  await straight.end();
  await Promise.all([parley.stop(), bare.stop()]);
  const head = [
    "clients",
    "sessions",
    "REST/s",
    "MCP/s",
    "SQL/s",
    "bare/s",
    "REST/SQL",
    "REST/bare",
    "REST CPU µs",
    "MCP CPU µs",
    "bare CPU µs",
  ];
  report.table("Posts per second (CPU: of the server process, per post)", head, rows);
}

async function seatTeams(lab: Lab, clients: number, sessions: number): Promise<Team[]> {
  const teams: Team[] = [];
  for (let i = 0; i < sessions; i++) teams.push(...(await lab.seat(clients / sessions)).teams);
  return teams;
}

async function run(
  server: Server | undefined,
  { sends, close }: { sends: Send[]; close: () => void },
  ms: number,
): Promise<Rate> {
  const before = await server?.usage();
  const start = performance.now();
  let done = 0;
  await Promise.all(
    sends.map(async (send) => {
      while (performance.now() - start < ms && done < MOST) {
        await send();
        done++;
      }
    }),
  );
  const seconds = (performance.now() - start) / 1_000;
  const after = await server?.usage();
  close();
  return { perSecond: done / seconds, cpuUs: (((after?.cpuMs ?? 0) - (before?.cpuMs ?? 0)) * 1_000) / done };
}

async function overHttp(port: number, requests: string[]) {
  const connections = await Connection.openMany(port, requests.length);
  return {
    sends: connections.map((connection, i) => () => connection.send(requests[i] as string)),
    close: () => {
      for (const connection of connections) connection.close();
    },
  };
}

const restSends = (port: number, teams: Team[]) =>
  overHttp(
    port,
    teams.map((team) => rest.post(team, TEXT)),
  );
const mcpSends = (port: number, teams: Team[]) =>
  overHttp(
    port,
    teams.map((team) => mcp.post(team, TEXT)),
  );
const bareSends = (port: number, teams: Team[]) =>
  overHttp(
    port,
    teams.map(() => post("/", { content: TEXT })),
  );

/** The very statement of api/call.ts, on a pool of the same size, without HTTP. */
async function straightCalls(lab: Lab) {
  const url = asRole(lab.postgres.url("parley_server"), "parley_caller", { statement_timeout: "15s" });
  const pool: pg.Pool = createPool(url, log, { max: 10 });
  const catalogue = new LiveCatalogue(pool, log);
  await catalogue.start();
  catalogue.stop();
  const call = createCall(pool, { announce() {} } as never, { now: () => 0 } as never);
  const verb = catalogue.current.byName.get("post_message") as Verb;
  return {
    sends: async (_port: number, teams: Team[]) => ({
      sends: teams.map(({ session, teamId }) => {
        const caller = { teamHash: hashTeamId(teamId), origin: "http://127.0.0.1" };
        return () => call(verb, { session_id: session, content: TEXT }, caller);
      }),
      close: () => undefined,
    }),
    end: () => pool.end(),
  };
}
