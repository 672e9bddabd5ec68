import { resolve } from "node:path";
import { DEFAULT_POOLS } from "../api/config.ts";
import { hashSecret, NOBODY } from "../api/http/caller.ts";
import { runBatch } from "../api/postgres/batch.ts";
import { withConnection } from "../api/postgres/database.ts";
import { createPools } from "../api/postgres/pools.ts";
import { readArguments } from "../api/verbs/arguments.ts";
import { LiveCatalogue, type Verb } from "../api/verbs/catalogue.ts";
import { statementOf } from "../api/verbs/statement.ts";
import { Connection, mcp, post, rest } from "./client.ts";
import { type Lab, log, type Server, type Team } from "./lab.ts";
import { median, type Report } from "./report.ts";

const TEXT = "We keep the schema as it is and add the column in the next release. ".repeat(3);
const ROUND_MS = 800;
const ROUNDS = 6;
/** One process of the bare server is up to a sixth faster than the next, for as long as it runs: several take turns. */
const BARE = 3;
/** Until everybody's code is compiled and every plan is made, for as many clients as are measured then. */
const WARM_UP = 12_000;
const MOST = 50_000;
const LONGEST_MS = 20_000;
/** So long that the words of what is posted have to be indexed meanwhile. */
const WITHOUT_PAUSE = { clients: 16, sessions: 8, ms: 10_000, most: 200_000 };

/**
 * Another version of Parley, to be measured in turns with this one: BENCH_BEFORE=../old npm run bench posts. While it is
 * there it listens, so that this one notifies it of every post; the goals are measured without it.
 */
const BEFORE = process.env.BENCH_BEFORE;

interface Sends {
  sends: (() => Promise<unknown>)[];
  close: () => void;
}
interface Door {
  /** They take turns, a round each. */
  servers: Server[];
  sends: (port: number, teams: Team[]) => Promise<Sends>;
}
interface Rate {
  perSecond: number;
  serverUs: number;
  databaseUs: number;
}

/** How many posts a second, through every door and with less and less of Parley in between. */
export async function posts(lab: Lab, report: Report) {
  const parley = await lab.startParley();
  const bare = await Promise.all(Array.from({ length: BARE }, () => lab.startBare()));
  const before = BEFORE ? await lab.start(resolve(BEFORE, "bench/parley.ts")) : undefined;
  const straight = await straightCalls(lab);
  const doors: Record<string, Door> = {
    REST: { servers: [parley], sends: overHttp((team) => rest.post(team, TEXT)) },
    ...(before && { "REST before": { servers: [before], sends: overHttp((team) => rest.post(team, TEXT)) } }),
    MCP: { servers: [parley], sends: overHttp((team) => mcp.post(team, TEXT)) },
    ...(before && { "MCP before": { servers: [before], sends: overHttp((team) => mcp.post(team, TEXT)) } }),
    SQL: { servers: [], sends: straight.sends },
    bare: { servers: bare, sends: overHttp(() => post("/", { content: TEXT })) },
  };
  const names = Object.keys(doors);
  const rows: { perSecond: (string | number)[][]; cpu: (string | number)[][] } = { perSecond: [], cpu: [] };

  for (const [clients, sessions] of [
    [1, 1],
    [16, 8],
    [64, 8],
    [64, 1],
  ] as const) {
    const teams = await seatTeams(lab, clients, sessions);
    const rates = new Map(names.map((name) => [name, [] as Rate[]]));
    const go = async ({ servers, sends }: Door, turn: number, ms: number, most: number) => {
      await indexWords(lab);
      const server = servers[turn % servers.length];
      return run(lab, server, await sends(server?.port ?? 0, teams), ms, most);
    };
    for (const door of Object.values(doors))
      for (let turn = 0; turn < Math.max(1, door.servers.length); turn++) await go(door, turn, LONGEST_MS, WARM_UP);
    for (let round = 0; round < ROUNDS; round++)
      for (const [name, door] of Object.entries(doors)) rates.get(name)?.push(await go(door, round, ROUND_MS, MOST));
    const of = (name: string, key: keyof Rate) => median((rates.get(name) as Rate[]).map((rate) => rate[key]));
    const against = (name: string, other: string) => of(name, "perSecond") / of(other, "perSecond");
    const who = [String(clients), String(sessions)];
    rows.perSecond.push([
      ...who,
      ...names.map((name) => of(name, "perSecond")),
      against("REST", "SQL"),
      against("REST", "bare"),
      against("MCP", "bare"),
    ]);
    rows.cpu.push([...who, ...names.map((name) => cpu(of(name, "serverUs"), of(name, "databaseUs")))]);
    if (sessions === 1 && clients > 1) continue;
    report.goal(`REST posts against a bare insert server, clients: ${clients}`, against("REST", "bare"), "", "≥", 0.6);
    report.goal(`MCP posts against a bare insert server, clients: ${clients}`, against("MCP", "bare"), "", "≥", 0.35);
  }
  const { clients, sessions, ms, most } = WITHOUT_PAUSE;
  const teams = await seatTeams(lab, clients, sessions);
  const long = async ({ servers: [server], sends }: Door) => {
    await indexWords(lab);
    return (await run(lab, server, await sends(server?.port ?? 0, teams), ms, most)).perSecond;
  };
  const [rest16, bare16] = [await long(doors.REST as Door), await long(doors.bare as Door)];
  await straight.end();
  await Promise.all([parley, before, ...bare].map((server) => server?.stop()));
  const who = ["clients", "sessions"];
  report.table("Posts per second", [...who, ...names, "REST/SQL", "REST/bare", "MCP/bare"], rows.perSecond);
  report.table(
    `Posts per second for ${ms / 1_000} s without a pause`,
    [...who, "REST", "bare", "REST/bare"],
    [[String(clients), String(sessions), rest16, bare16, rest16 / bare16]],
  );
  report.table("CPU µs per post: of the server + of PostgreSQL", [...who, ...names], rows.cpu);
}

const cpu = (serverUs: number, databaseUs: number) => `${Math.round(serverUs)} + ${Math.round(databaseUs)}`;

/** What was posted in the round before is not paid for in this one. */
async function indexWords(lab: Lab) {
  for (let indexed = -1; indexed !== 0; ) {
    const { rows } = await lab.superuser.query("select parley_private.index_words(20000) as n");
    indexed = rows[0].n;
  }
}

async function seatTeams(lab: Lab, clients: number, sessions: number): Promise<Team[]> {
  const teams: Team[] = [];
  for (let i = 0; i < sessions; i++) teams.push(...(await lab.seat(clients / sessions)).teams);
  return teams;
}

async function run(
  lab: Lab,
  server: Server | undefined,
  { sends, close }: Sends,
  ms: number,
  most: number,
): Promise<Rate> {
  const used = async () => ({ server: (await server?.usage())?.cpuMs ?? 0, database: lab.databaseCpuMs() });
  const before = await used();
  const start = performance.now();
  let done = 0;
  await Promise.all(
    sends.map(async (send) => {
      while (performance.now() - start < ms && done < most) {
        await send();
        done++;
      }
    }),
  );
  const seconds = (performance.now() - start) / 1_000;
  const after = await used();
  close();
  return {
    perSecond: done / seconds,
    serverUs: ((after.server - before.server) * 1_000) / done,
    databaseUs: ((after.database - before.database) * 1_000) / done,
  };
}

const overHttp = (request: (team: Team) => string) => async (port: number, teams: Team[]) => {
  const connections = await Connection.openMany(port, teams.length);
  const requests = teams.map(request);
  return {
    sends: connections.map((connection, i) => () => connection.send(requests[i] as string)),
    close: () => {
      for (const connection of connections) connection.close();
    },
  };
};

/** The very statement of a call, on connections like those of the server, each in a transaction of its own. */
async function straightCalls(lab: Lab) {
  const pools = createPools(lab.postgres.url("parley_server"), { sizes: DEFAULT_POOLS, log });
  const catalogue = new LiveCatalogue(pools.service, log);
  await catalogue.start();
  catalogue.stop();
  const verb = catalogue.current.byName.get("post_message") as Verb;
  return {
    sends: async (_port: number, teams: Team[]) => ({
      sends: teams.map(({ session, teamId }) => {
        const caller = { ...NOBODY, teamHash: hashSecret(teamId), origin: "http://127.0.0.1" };
        const args = readArguments(verb, { session_id: session, content: TEXT });
        const statement = statementOf(verb, args, caller, "");
        return () => withConnection(pools.calls, (client) => runBatch(client, [statement]));
      }),
      close: () => undefined,
    }),
    end: () => pools.close(),
  };
}
