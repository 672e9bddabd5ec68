import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** Where a team belongs: the top of the repository (a worktree has its own), else the folder. As in parley.sh. */
export function teamFolder(folder = process.cwd(), from = folder): string {
  if (existsSync(join(from, ".git"))) return from;
  return dirname(from) === from ? folder : teamFolder(folder, dirname(from));
}
