import { execFile } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { StartError } from "../../start-error.ts";
import type { Binaries } from "./binaries.ts";
import { commandFor, giveTo, type Runner } from "./runner.ts";
import { PORT, prepareSocketDir } from "./socket.ts";

const run = promisify(execFile);

/** Everything that is settled before a postmaster starts, and stays the same when it is restarted. */
export interface Cluster {
  readonly dir: string;
  readonly socketDir: string;
  readonly logFile: string;
  readonly binaries: Binaries;
  readonly runner: Runner;
  /** The postmaster's arguments: a running one with others is not ours to keep. */
  readonly args: readonly string[];
}

export interface ClusterPlan {
  readonly dataDir: string;
  readonly dir: string;
  readonly binaries: Binaries;
  readonly runner: Runner;
  readonly settings: Readonly<Record<string, string>>;
}

const SETTINGS = {
  listen_addresses: "",
  port: String(PORT),
  unix_socket_permissions: "0700",
  max_connections: "100",
  shared_buffers: "128MB",
  fsync: "on",
  full_page_writes: "on",
  synchronous_commit: "on",
  wal_compression: "on",
  // Keeps the recovery after a crash short.
  max_wal_size: "512MB",
  timezone: "UTC",
  log_timezone: "UTC",
  // What people write must not be found in a log: no statements, no parameters, no details that quote a row.
  log_min_messages: "warning",
  log_statement: "none",
  log_min_error_statement: "panic",
  log_parameter_max_length: "0",
  log_parameter_max_length_on_error: "0",
  log_error_verbosity: "terse",
};

export function describeCluster(plan: ClusterPlan): Cluster {
  const { dataDir, dir, binaries, runner } = plan;
  const socketDir = prepareSocketDir(dataDir, [process.getuid?.(), runner.user?.uid]);
  const settings = { ...SETTINGS, unix_socket_directories: socketDir, ...plan.settings };
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const logFile = join(dataDir, "postgres.log");
  return { dir, socketDir, logFile, binaries, runner, args: ["-D", dir, ...flags] };
}

/** Makes the cluster at the first start; later, checks that these binaries can read it. */
export async function prepareCluster(plan: ClusterPlan, cluster: Cluster): Promise<void> {
  const { dataDir, dir, binaries, runner } = plan;
  if (!existsSync(dir)) await createCluster(plan);
  const made = readMajor(dir);
  if (made !== binaries.major) {
    throw new StartError(
      `${dir} was made by PostgreSQL ${made}, but this Parley brings PostgreSQL ${binaries.major}: ` +
        "move the data with pg_dump of the old version, or set PARLEY_DATA to another folder.",
    );
  }
  await giveTo(runner, dataDir, dir);
  await giveTo(runner, dataDir, cluster.socketDir);
  if ((statSync(dir).mode & 0o777) !== 0o700) chmodSync(dir, 0o700);
}

/** Works in a sibling folder that is renamed when complete, so an interrupted start leaves nothing half made. */
async function createCluster({ dataDir, dir, binaries, runner }: ClusterPlan): Promise<void> {
  const draft = `${dir}.new`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { mode: 0o700 });
  await giveTo(runner, dataDir, draft);
  const locale = ["--encoding=UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"];
  const access = ["--username=postgres", "--auth-local=trust", "--auth-host=reject"];
  const command = commandFor(runner, binaries.initdb, ["-D", draft, "--data-checksums", ...locale, ...access]);
  try {
    await run(command.file, command.args, command.options);
  } catch (error) {
    const said = (error as { stderr?: string }).stderr?.trim() || (error as Error).message;
    throw new StartError(`PostgreSQL could not make its data folder ${dir}:\n${said}`, { cause: error });
  }
  renameSync(draft, dir);
}

function readMajor(dir: string): number {
  try {
    return Number.parseInt(readFileSync(join(dir, "PG_VERSION"), "utf8"), 10);
  } catch (error) {
    throw new StartError(`${dir} is not a PostgreSQL data folder: remove it, or set PARLEY_DATA to another folder.`, {
      cause: error,
    });
  }
}
