import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect, createServer, type NetConnectOpts, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { asRole } from "../api/postgres/database.ts";
import { startEmbeddedPostgres } from "../api/postgres/embedded/index.ts";
import type { TestDatabase } from "./postgres.ts";
import { makeDataFolder } from "./scratch.ts";
import { fillTemplate } from "./setup.ts";

interface Line {
  client: Socket;
  upstream: Socket;
  listens: boolean;
  frozen: boolean;
}

/** A way to Postgres that can fall silent as a lost network does: the socket stays open and nothing comes through. */
export async function startProxy(databaseUrl: string) {
  const folder = mkdtempSync(join(tmpdir(), "parley-proxy-"));
  const lines = new Set<Line>();
  const server = createServer((client) => {
    const upstream = connect(addressOf(databaseUrl));
    const line: Line = { client, upstream, listens: false, frozen: false };
    lines.add(line);
    client.on("data", (bytes) => {
      if (bytes.includes("listen parley")) line.listens = true;
      if (!line.frozen) upstream.write(bytes);
    });
    upstream.on("data", (bytes) => {
      if (!line.frozen) client.write(bytes);
    });
    const hangUp = (other: Socket) => () => {
      if (!line.frozen) other.destroy();
    };
    client.on("error", () => undefined).on("close", hangUp(upstream));
    upstream.on("error", () => undefined).on("close", hangUp(client));
    client.on("close", () => lines.delete(line));
  });
  await new Promise<void>((resolve) => server.listen(join(folder, ".s.PGSQL.5432"), resolve));

  const freeze = (which: (line: Line) => boolean) => {
    const chosen = [...lines].filter((line) => which(line) && !line.frozen);
    for (const line of chosen) line.frozen = true;
    return chosen.length;
  };
  const url = new URL(databaseUrl);
  url.host = "localhost:5432";
  url.searchParams.set("host", folder);
  return {
    url: url.href,
    freezeListener: () => freeze((line) => line.listens),
    freezeAll: () => freeze(() => true),
    close() {
      server.close();
      for (const { client, upstream } of lines) for (const socket of [client, upstream]) socket.destroy();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function addressOf(databaseUrl: string): NetConnectOpts {
  const url = new URL(databaseUrl);
  const folder = url.searchParams.get("host");
  const port = Number(url.port || 5432);
  return folder?.startsWith("/") ? { path: `${folder}/.s.PGSQL.${port}` } : { host: url.hostname, port };
}

/** A PostgreSQL that a test may kill, with Parley in it, durable as in production. */
export async function startOwnPostgres(settings: Record<string, string> = {}, { empty = false } = {}) {
  const dataDir = makeDataFolder("own");
  const postgres = await startEmbeddedPostgres({ dataDir, log: pino({ level: "silent" }), settings });
  const stop = async () => {
    await postgres.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    if (!empty) await fillTemplate(postgres.url());
  } catch (error) {
    await stop();
    throw error;
  }
  const database: TestDatabase = {
    url: (role) => (role && role !== "parley_server" ? asRole(postgres.url(), role) : postgres.url(role)),
    drop: async () => undefined,
  };
  return { dataDir, database, stop, kill: () => process.kill(postgres.pid as number, "SIGKILL") };
}

/** The pid in a data folder's postmaster.pid; undefined while no postmaster runs. */
export function postmasterOf(dataDir: string): number | undefined {
  const file = join(dataDir, "postgres/postmaster.pid");
  return existsSync(file) ? Number.parseInt(readFileSync(file, "utf8"), 10) || undefined : undefined;
}

/** One figure of /metrics. */
export async function metric(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]);
}
