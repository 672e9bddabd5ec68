import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { connectionUrl } from "../api/postgres/embedded/socket.ts";
import { connected } from "./postgres.ts";
import { until } from "./server.ts";

const INSTALLED = "/usr/lib/postgresql";
const binaries = findBinaries();
const user = findUser();

/** Why there can be none on this machine; undefined where there can. */
export const noSecondPostgres = !binaries
  ? `no PostgreSQL under ${INSTALLED}`
  : !user
    ? "no user to run PostgreSQL as"
    : undefined;

function findBinaries(): string | undefined {
  const versions = existsSync(INSTALLED)
    ? readdirSync(INSTALLED)
        .map(Number)
        .filter((version) => version >= 15)
    : [];
  return versions
    .sort((a, b) => a - b)
    .map((version) => `${INSTALLED}/${version}/bin`)
    .find((bin) => existsSync(`${bin}/initdb`) && existsSync(`${bin}/postgres`));
}

/** PostgreSQL refuses to run as root. */
function findUser(): { uid?: number; gid?: number } | undefined {
  if (process.getuid?.() !== 0) return {};
  for (const name of ["postgres", "nobody"]) {
    try {
      const id = (flag: string) => Number(execFileSync("id", [flag, name], { encoding: "utf8", stdio: "pipe" }));
      return { uid: id("-u"), gid: id("-g") };
    } catch {
      // Not on this machine.
    }
  }
  return undefined;
}

/** A PostgreSQL that this machine has, beside the embedded one: of another version, and without Parley. */
export async function startSecondPostgres() {
  const folder = mkdtempSync(join(tmpdir(), "parley-second-"));
  if (user?.uid) chownSync(folder, user.uid, user.gid as number);
  const data = join(folder, "data");
  const options = { ...user, cwd: "/" };
  await promisify(execFile)(
    `${binaries}/initdb`,
    ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"],
    options,
  );
  const flags = ["listen_addresses=", `unix_socket_directories=${folder}`, "port=5432", "fsync=off"].flatMap((flag) => [
    "-c",
    flag,
  ]);
  const server = spawn(`${binaries}/postgres`, ["-D", data, ...flags], { ...options, stdio: "ignore" });
  const url = (role: string, database: string) => connectionUrl(folder, role, database);
  const asSuperuser = (text: string) => connected(url("postgres", "postgres"), (client) => client.query(text));
  await until(() => asSuperuser("select").catch(() => undefined), "the second PostgreSQL");
  return {
    url,
    asSuperuser,
    /** One of the programs that came with it. */
    run: (program: string, args: string[]) =>
      promisify(execFile)(`${binaries}/${program}`, ["--host", folder, "--port", "5432", ...args], {
        maxBuffer: 1 << 28,
      }),
    stop: async () => {
      server.kill("SIGINT");
      await once(server, "exit");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
