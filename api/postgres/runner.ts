import { execFile } from "node:child_process";
import { chmodSync, statSync } from "node:fs";
import { promisify } from "node:util";
import { StartError } from "../start-error.ts";

const run = promisify(execFile);

/** How to start a program of PostgreSQL, which refuses to run as root. */
export interface Runner {
  readonly prefix: readonly string[];
  readonly user?: { readonly uid: number; readonly gid: number };
}

const AS_NOBODY_IN_A_NAMESPACE = ["unshare", "--user", "--map-user=65534", "--map-group=65534"];

export async function chooseRunner(postgres: string, clusterDir: string): Promise<Runner> {
  if (process.getuid?.() !== 0) return { prefix: [] };
  // A folder that has an owner keeps it, whoever starts Parley this time.
  const { uid, gid } = statSync(clusterDir, { throwIfNoEntry: false }) ?? { uid: 0, gid: 0 };
  if (uid !== 0) return { prefix: [], user: { uid, gid } };
  const [unshare = "", ...flags] = AS_NOBODY_IN_A_NAMESPACE;
  if (await output(unshare, [...flags, postgres, "--version"])) return { prefix: AS_NOBODY_IN_A_NAMESPACE };
  const user = (await findUser("postgres")) ?? (await findUser("nobody"));
  if (user) return { prefix: [], user };
  throw new StartError(
    "PostgreSQL does not run as root, and there is no other user to run it as: " +
      "start Parley as an ordinary user, or set DATABASE_URL to a PostgreSQL of your own.",
  );
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

/** PGPORT, PGDATA and the like steer PostgreSQL too, and the locale of a shell must not steer a database. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(PG|LC_|LANG)/.test(name));
  return { ...Object.fromEntries(inherited), LANG: "C", LC_ALL: "C" };
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
