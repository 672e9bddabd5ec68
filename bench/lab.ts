import { type ChildProcess, fork } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { clearAllPools } from "graphile-migrate/dist/pgReal.js";
import pg from "pg";
import { pino } from "pino";
import { startEmbeddedPostgres } from "../api/postgres/embedded/index.ts";
import { migrate } from "../api/postgres/migrate.ts";
import { applyCurrent, isBlank } from "../api/scripts/current.ts";
import { NO_RULES } from "../testing/no-rules.ts";
import type { Usage } from "./child.ts";

export const log = pino({ level: "error" });

export interface Team {
  session: string;
  teamId: string;
}

export interface Server {
  port: number;
  pid: number;
  /** CPU time so far, and memory after a garbage collection if asked for. */
  usage(collect?: boolean): Promise<Usage>;
  stop(): Promise<void>;
}

/** A durable PostgreSQL of its own and, as separate processes, the servers that are measured. This process is the client. */
export async function openLab() {
  const dataDir = mkdtempSync(join(tmpdir(), "parley-bench-"));
  const postgres = await startEmbeddedPostgres({ dataDir, log });
  // What is being worked on is measured too; a blank current.sql adds nothing.
  await migrate(postgres.url(), log, { sources: isBlank() });
  if (!isBlank()) await applyCurrent(postgres.url(), log);
  clearAllPools();
  const superuser = new pg.Client({ connectionString: postgres.url(), application_name: "parley bench" });
  await superuser.connect();
  // Nobody would get far with the rules of a server: what they cost is a bench of its own.
  await superuser.query("update parley.settings s set value = r.value from jsonb_each($1) r where r.key = s.name", [
    NO_RULES,
  ]);
  const { rows } = await superuser.query<{ pid: number }>("select pg_backend_pid() as pid");
  const postmaster = statOf(rows[0]?.pid)?.parent;
  const servers = new Set<Server>();

  const start = async (file: string, execArgv: string[] = [], env: NodeJS.ProcessEnv = {}): Promise<Server> => {
    const child = fork(fileURLToPath(new URL(file, import.meta.url)), {
      execArgv: ["--expose-gc", ...execArgv],
      env: {
        ...process.env,
        ...env,
        NODE_ENV: "production",
        BENCH_DATABASE_URL: postgres.url("parley_server"),
        BENCH_SUPERUSER_URL: postgres.url(),
      },
    });
    const server = await connectChild(child, () => servers.delete(server));
    servers.add(server);
    return server;
  };

  return {
    postgres,
    superuser,
    /** CPU time of the whole database so far; 0 where the system does not tell. */
    databaseCpuMs: () => cpuMsOf(postmaster),
    start,
    startParley: (execArgv?: string[]) => start("./parley.ts", execArgv),
    startBare: () => start("./bare.ts"),
    seat: (teams: number) => seat(superuser, teams),
    async close() {
      await Promise.all([...servers].map((server) => server.stop()));
      await superuser.end();
      await postgres.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

export type Lab = Awaited<ReturnType<typeof openLab>>;

/** Of a process and those that it started, the ended ones too. */
function cpuMsOf(pid: number | undefined): number {
  if (pid === undefined) return 0;
  const all = readdirSync("/proc").map((name) => statOf(Number(name)));
  const own = all.filter((stat) => stat?.parent === pid).reduce((sum, stat) => sum + (stat?.cpuMs ?? 0), 0);
  return own + (statOf(pid)?.cpuMs ?? 0) + (statOf(pid)?.endedMs ?? 0);
}

/** Linux only. Its clock ticks a hundred times a second. */
function statOf(pid: number | undefined) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat
      .slice(stat.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    const [utime, stime, cutime, cstime] = fields.slice(11, 15) as [number, number, number, number];
    return { parent: fields[1] as number, cpuMs: (utime + stime) * 10, endedMs: (cutime + cstime) * 10 };
  } catch {
    return undefined;
  }
}

async function connectChild(child: ChildProcess, onStop: () => void): Promise<Server> {
  const exited = once(child, "exit");
  const ready = await Promise.race([once(child, "message"), exited.then(() => [])]);
  const port = (ready[0] as { port?: number } | undefined)?.port;
  if (!port) throw new Error("a server that should be measured did not start");
  return {
    port,
    pid: child.pid as number,
    async usage(collect = false) {
      const answer = once(child, "message");
      child.send({ collect });
      return (await answer)[0] as Usage;
    },
    async stop() {
      onStop();
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}

/** A session with that many teams. By SQL, since a thousand joins would announce and list one another. */
async function seat(superuser: pg.Client, teams: number): Promise<{ id: string; teams: Team[] }> {
  const id = randomUUID();
  const secrets = Array.from({ length: teams }, (_, i) => `pt_bench_${id}_${i + 1}`);
  const hashes = secrets.map((secret) => createHash("sha256").update(secret).digest());
  await superuser.query(
    "insert into parley.sessions (id, ref, title, description) values ($1, 'bench-' || $1::uuid, 'Bench', '')",
    [id],
  );
  await superuser.query(
    "insert into parley.participants (session_id, id, handle, team_name) select $1, n, 'team-' || n, 'Team ' || n from generate_series(1, $2) n",
    [id, teams],
  );
  await superuser.query(
    "insert into parley_private.credentials (session_id, participant_id, hash) select $1, n, hash from unnest($2::bytea[]) with ordinality as u (hash, n)",
    [id, hashes],
  );
  return { id, teams: secrets.map((teamId) => ({ session: id, teamId })) };
}
