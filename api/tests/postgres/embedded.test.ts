import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { makeDataFolder } from "../../../testing/scratch.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../postgres/embedded/index.ts";
import { isAlive } from "../../postgres/embedded/processes.ts";

const log = pino({ level: "silent" });
let made: string;
let dataDir: string;
let running: EmbeddedPostgres[];
let helpers: ChildProcess[];

beforeAll(async () => {
  made = makeDataFolder("made");
  const postgres = await startEmbeddedPostgres({ dataDir: made, log });
  await postgres.stop();
});

afterAll(() => rmSync(made, { recursive: true, force: true }));

beforeEach(() => {
  dataDir = makeDataFolder("test");
  running = [];
  helpers = [];
});

afterEach(async () => {
  for (const postgres of running) await postgres.stop();
  for (const helper of helpers) helper.kill("SIGKILL");
  if (existsSync(join(dataDir, "postgres/postmaster.pid"))) await (await start()).stop();
  rmSync(dataDir, { recursive: true, force: true });
});

test("the first start makes a UTF8 database with checksums, even under LC_ALL=C", async () => {
  const before = process.env.LC_ALL;
  process.env.LC_ALL = "C";
  try {
    const postgres = await start();
    const [row] = await sql(
      postgres,
      `select current_setting('server_encoding') as encoding, current_setting('data_checksums') as checksums,
              current_setting('fsync') as fsync, current_setting('listen_addresses') as addresses,
              lower('ÄÉ') as lowered, current_database() as database`,
    );
    expect(row).toEqual({
      encoding: "UTF8",
      checksums: "on",
      fsync: "on",
      addresses: "",
      lowered: "äé",
      database: "parley",
    });
    expect(statSync(join(dataDir, "socket")).mode & 0o777).toBe(0o700);
  } finally {
    if (before === undefined) delete process.env.LC_ALL;
    else process.env.LC_ALL = before;
  }
});

test("a start that was interrupted while it made the data folder is made good by the next", async () => {
  mkdirSync(join(dataDir, "postgres.new/base"), { recursive: true });
  const postgres = await start();
  expect(await sql(postgres, "select 1 as one")).toEqual([{ one: 1 }]);
});

test("the postmaster of a Parley that was killed is taken over by the next, and watched", async () => {
  useMadeCluster();
  const { child, pid } = await startInAnotherProcess();
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(isAlive(pid)).toBe(true);

  const postgres = await start();
  expect(postgres.pid).toBe(pid);
  process.kill(pid, "SIGKILL");
  await until(() => postgres.pid !== undefined && postgres.pid !== pid);
  expect(await sql(postgres, "select 1 as one")).toEqual([{ one: 1 }]);
});

test("a left-over postmaster that was started otherwise is replaced", async () => {
  useMadeCluster();
  const { child, pid } = await startInAnotherProcess();
  child.kill("SIGKILL");
  await once(child, "exit");

  const postgres = await start({ max_connections: "50" });
  expect(isAlive(pid)).toBe(false);
  expect(await sql(postgres, "show max_connections")).toEqual([{ max_connections: "50" }]);
});

test("a killed postmaster is restarted, and what was committed is still there", async () => {
  useMadeCluster();
  const postgres = await start();
  await sql(postgres, "create table kept as select 42 as answer");
  const killed = postgres.pid as number;
  process.kill(killed, "SIGKILL");
  await until(() => postgres.pid !== undefined && postgres.pid !== killed, 5_000);
  expect(await sql(postgres, "select answer from kept")).toEqual([{ answer: 42 }]);
});

test("stop() leaves no process behind, not even while the postmaster is being restarted", async () => {
  useMadeCluster();
  const calm = await start();
  const first = calm.pid as number;
  await calm.stop();
  expect(isAlive(first)).toBe(false);
  expect(existsSync(join(dataDir, "postgres/postmaster.pid"))).toBe(false);
  expect(existsSync(join(dataDir, "parley.pid"))).toBe(false);

  const hurried = await start();
  process.kill(hurried.pid as number, "SIGKILL");
  await until(() => hurried.pid === undefined);
  await hurried.stop();
  // Who was stopped before the restart began has left the file of the one that was killed; who was stopped as it began, us in its place.
  const file = join(dataDir, "postgres/postmaster.pid");
  const named = existsSync(file) ? Number.parseInt(readFileSync(file, "utf8"), 10) : first;
  expect(named === process.pid || !isAlive(named)).toBe(true);
});

test("stale pid files whose pid now belongs to another process are ignored", async () => {
  useMadeCluster();
  await (await start()).stop();
  const bystander = spawn("sleep", ["60"]);
  helpers.push(bystander);
  const stale = `${bystander.pid}\n${join(dataDir, "postgres")}\n1700000000\n5432\n${join(dataDir, "socket")}\n\n`;
  writeFileSync(join(dataDir, "postgres/postmaster.pid"), stale);
  writeFileSync(join(dataDir, "socket/.s.PGSQL.5432.lock"), stale);
  writeFileSync(join(dataDir, "parley.pid"), `${bystander.pid} started:1\n`);
  const postgres = await start();
  expect(await sql(postgres, "select 1 as one")).toEqual([{ one: 1 }]);
  await postgres.stop();
  expect(bystander.exitCode ?? bystander.signalCode).toBeNull();
});

test("a long data path with a space and an accent works", async () => {
  const long = join(dataDir, `${"deep/".repeat(20)}dépôt of data`);
  const postgres = await start({}, long);
  expect(await sql(postgres, "show data_directory")).toEqual([{ data_directory: join(long, "postgres") }]);
  const socketDir = new URL(postgres.url()).searchParams.get("host") as string;
  expect(statSync(socketDir).mode & 0o777).toBe(0o700);
  await postgres.stop();
  rmSync(socketDir, { recursive: true });
});

test("a second Parley on the same folder is refused with a sentence, and the first goes on", async () => {
  useMadeCluster();
  const { child, pid } = await startInAnotherProcess();
  await expect(start()).rejects.toThrow(
    `Another Parley (pid ${child.pid}) is using ${dataDir}: stop it, or set PARLEY_DATA to another folder.`,
  );
  expect(isAlive(pid)).toBe(true);
  child.kill("SIGTERM");
  await once(child, "exit");
  expect(isAlive(pid)).toBe(false);
});

test("data of another major version is refused with a sentence", async () => {
  useMadeCluster();
  await (await start()).stop();
  writeFileSync(join(dataDir, "postgres/PG_VERSION"), "17\n");
  await expect(start()).rejects.toThrow(/was made by PostgreSQL 17, but this Parley brings PostgreSQL 18/);
});

test("a server that cannot start says why, and lets go of the folder", async () => {
  useMadeCluster();
  await expect(start({ shared_buffers: "nonsense" })).rejects.toThrow(
    /PostgreSQL did not start: it ended with code 1.*shared_buffers/s,
  );
  expect(existsSync(join(dataDir, "parley.pid"))).toBe(false);
});

test("the log holds neither statements nor the values of rows", async () => {
  useMadeCluster();
  const postgres = await start();
  await sql(postgres, "create table secrets (word text primary key)");
  await sql(postgres, "insert into secrets values ('swordfish')");
  await expect(sql(postgres, "insert into secrets values ('swordfish')")).rejects.toThrow("duplicate key");
  await expect(sql(postgres, "select 'swordfish' from nowhere")).rejects.toThrow("nowhere");
  const written = readFileSync(join(dataDir, "postgres.log"), "utf8");
  expect(written).toContain("duplicate key");
  expect(written).not.toContain("swordfish");
});

/** Data that an earlier Parley has left, for tests that are not about making it. */
function useMadeCluster(): void {
  cpSync(join(made, "postgres"), join(dataDir, "postgres"), { recursive: true });
}

async function start(settings: Record<string, string> = {}, folder = dataDir): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({ dataDir: folder, log, settings });
  running.push(postgres);
  return postgres;
}

/** Starts Parley's database from a Node process of its own, which stops it on SIGTERM. */
async function startInAnotherProcess() {
  const program = `
    import { pino } from "pino";
    import { startEmbeddedPostgres } from "../../postgres/embedded/index.ts";
    const postgres = await startEmbeddedPostgres({ dataDir: process.argv[1], log: pino({ level: "silent" }) });
    const idle = setInterval(() => {}, 1000);
    process.once("SIGTERM", () => { clearInterval(idle); void postgres.stop(); });
    console.log(postgres.pid);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program, dataDir], {
    cwd: import.meta.dirname,
    stdio: ["ignore", "pipe", "inherit"],
  });
  helpers.push(child);
  const [line] = await once(child.stdout, "data");
  return { child, pid: Number(line) };
}

async function sql(postgres: EmbeddedPostgres, text: string): Promise<unknown[]> {
  const client = new Client({ connectionString: postgres.url() });
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

async function until(condition: () => boolean, patience = 10_000): Promise<void> {
  for (const deadline = Date.now() + patience; !condition(); await delay(10)) {
    if (Date.now() > deadline) throw new Error(`Not true after ${patience} ms: ${condition}`);
  }
}
