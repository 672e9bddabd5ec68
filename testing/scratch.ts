import { existsSync, mkdtempSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const MEMORY = "/dev/shm";
const ROOM = 2 * 1024 ** 3;

export const memoryHasRoom = (): boolean => {
  if (!existsSync(MEMORY)) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize > ROOM;
};

/** A folder for the data of a PostgreSQL, in memory where there is room: a database is many files, and the run makes hundreds. */
export function makeDataFolder(name: string): string {
  return mkdtempSync(join(memoryHasRoom() ? MEMORY : tmpdir(), `parley-${name}-`));
}
