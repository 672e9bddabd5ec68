import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../postgres/embedded/index.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 30_000 });

const log = pino({ level: "silent" });
const home = () => join(parent, "data");
let parent: string;
let running: EmbeddedPostgres[];

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), "parley-root-"));
  running = [];
});
afterEach(async () => {
  for (const postgres of running) await postgres.stop();
  rmSync(parent, { recursive: true, force: true });
});

async function start() {
  const postgres = await startEmbeddedPostgres({ dataDir: home(), log });
  running.push(postgres);
  return postgres;
}

/** Who a process is to the system, whatever it believes to be in a namespace of its own. */
const realUid = (pid: number) => Number(/^Uid:\t(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);

async function works(postgres: EmbeddedPostgres) {
  const client = new Client({ connectionString: postgres.url() });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  await client.end();
  return rows[0]?.pid ?? 0;
}

describe.skipIf(process.getuid?.() !== 0 || process.platform !== "linux")("started by root", () => {
  test("the database runs as a user without rights, who owns the data, also after a crash and a new start", async () => {
    chmodSync(parent, 0o755);
    const first = await start();
    const uid = realUid(first.pid ?? 0);
    expect(uid).not.toBe(0);
    expect(statSync(join(home(), "postgres")).uid).toBe(uid);
    expect(await works(first)).toBeGreaterThan(0);
    const killed = first.pid ?? 0;
    process.kill(killed, "SIGKILL");
    await vi.waitUntil(() => first.pid !== undefined && first.pid !== killed, { timeout: 20_000 });
    expect(await works(first)).toBeGreaterThan(0);
    expect(realUid(first.pid ?? 0)).toBe(uid);
    await first.stop();
    expect(realUid((await start()).pid ?? 0)).toBe(uid);
  });

  test("what a killed Parley left behind is taken over as that user", async () => {
    chmodSync(parent, 0o755);
    const script = `
      const { startEmbeddedPostgres } = await import(${JSON.stringify(join(import.meta.dirname, "../../postgres/embedded/index.ts"))});
      const log = { info() {}, warn() {}, error() {}, fatal() {} };
      const { pid } = await startEmbeddedPostgres({ dataDir: ${JSON.stringify(home())}, log });
      process.stdout.write(String(pid));
      setInterval(() => {}, 1000);`;
    const other = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [output] = await once(other.stdout, "data");
    other.kill("SIGKILL");
    await once(other, "exit");
    const next = await start();
    expect(next.pid).toBe(Number(output));
    expect(realUid(next.pid ?? 0)).not.toBe(0);
    expect(await works(next)).toBeGreaterThan(0);
  });

  test("a folder that only root can reach is served from a namespace, and stays so when others can reach it", async () => {
    chmodSync(parent, 0o700);
    mkdirSync(home(), { mode: 0o700 });
    const hidden = await start();
    expect(await works(hidden)).toBeGreaterThan(0);
    expect(statSync(join(home(), "postgres")).uid).toBe(0);
    expect(statSync(home()).mode & 0o777).toBe(0o700);
    await hidden.stop();
    chmodSync(parent, 0o755);
    const seen = await start();
    expect(await works(seen)).toBeGreaterThan(0);
    expect(statSync(join(home(), "postgres")).uid).toBe(0);
  });
});
