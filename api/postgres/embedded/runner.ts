import { execFile } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { StartError } from "../../start-error.ts";

const run = promisify(execFile);

/** How to start a program of PostgreSQL, which refuses to run as root. */
export interface Runner {
  readonly prefix: readonly string[];
  readonly user?: { readonly uid: number; readonly gid: number };
}

const AS_NOBODY_IN_A_NAMESPACE = ["unshare", "--user", "--map-user=65534", "--map-group=65534"];

export async function chooseRunner(postgres: string, dataDir: string, clusterDir: string): Promise<Runner> {
  if (process.getuid?.() !== 0) return { prefix: [] };
  // A folder that has an owner keeps it, whoever starts Parley this time. One of root was made inside a namespace.
  const owner = statSync(clusterDir, { throwIfNoEntry: false });
  if (owner && owner.uid !== 0) return { prefix: [], user: { uid: owner.uid, gid: owner.gid } };
  if (!owner) {
    const user = await findServant(postgres, dataDir);
    if (user) return { prefix: [], user };
  }
  const [unshare = "", ...flags] = AS_NOBODY_IN_A_NAMESPACE;
  if (await output(unshare, [...flags, postgres, "--version"])) return { prefix: AS_NOBODY_IN_A_NAMESPACE };
  const user = owner && (await findServant(postgres, dataDir));
  if (user) return { prefix: [], user };
  throw new StartError(
    "PostgreSQL does not run as root, and there is no other user to run it as: " +
      "start Parley as an ordinary user, or set DATABASE_URL to a PostgreSQL of your own.",
  );
}

/** A user without rights of its own who can run these binaries on this folder: a home of root keeps it from both. */
async function findServant(postgres: string, dataDir: string): Promise<Runner["user"]> {
  for (const name of ["postgres", "nobody"]) {
    const user = await findUser(name);
    if (user && (await canServe(user, postgres, dataDir))) return user;
  }
  return undefined;
}

async function canServe(user: NonNullable<Runner["user"]>, postgres: string, dataDir: string): Promise<boolean> {
  const { mode } = statSync(dataDir);
  const trial = mkdtempSync(join(dataDir, "trial-"));
  try {
    await giveTo({ prefix: [], user }, dataDir, trial);
    const script = 'cd "$0" && : > "$0/file" && "$1" --version';
    const { stdout } = await run("sh", ["-c", script, trial, postgres], { cwd: "/", ...user });
    return stdout !== "";
  } catch {
    chmodSync(dataDir, mode & 0o777);
    return false;
  } finally {
    rmSync(trial, { recursive: true, force: true });
  }
}

/** The program and arguments to spawn, and the options that go with them. */
export function commandFor(runner: Runner, program: string, args: readonly string[]) {
  const [file = program, ...rest] = [...runner.prefix, program, ...args];
  return { file, args: rest, options: { cwd: "/", env: cleanEnvironment(), ...runner.user } };
}

export async function giveTo(runner: Runner, dataDir: string, path: string): Promise<void> {
  if (!runner.user) return;
  const { uid, gid } = runner.user;
  const mode = statSync(dataDir).mode & 0o777;
  // The other user must pass through the folder, but need not list it.
  if ((mode & 0o011) !== 0o011) chmodSync(dataDir, mode | 0o011);
  if (statSync(path).uid !== uid) await run("chown", ["-R", `${uid}:${gid}`, path]);
}

/**
 * glibc gives what a long answer took back to the system at once, page by page, and the next one fetches it again: a fifth of its time.
 * So a connection keeps up to this much.
 */
const KEPT_MEMORY = String(8 << 20);

/** PGPORT, PGDATA and the like steer PostgreSQL too, and the locale of a shell must not steer a database. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(PG|LC_|LANG)/.test(name));
  const malloc = { MALLOC_TRIM_THRESHOLD_: KEPT_MEMORY, MALLOC_MMAP_THRESHOLD_: KEPT_MEMORY };
  return { ...malloc, ...Object.fromEntries(inherited), LANG: "C", LC_ALL: "C" };
}

async function findUser(name: string): Promise<Runner["user"]> {
  const [uid, gid] = [await output("id", ["-u", name]), await output("id", ["-g", name])];
  return uid && gid ? { uid: Number(uid), gid: Number(gid) } : undefined;
}

async function output(file: string, args: string[]): Promise<string | undefined> {
  try {
    return (await run(file, args)).stdout.trim();
  } catch {
    return undefined;
  }
}
