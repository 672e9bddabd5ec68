import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { isParley } from "../alive.ts";
import { Trouble } from "../errors.ts";
import { locked } from "../team/lock.ts";

/** Two processes of one name would both speak for the same teams. Resolves to what gives the name back. */
export async function onlyOne(name: string): Promise<() => void> {
  const folder = process.env.PARLEY_HOME || join(homedir(), ".parley");
  const file = join(folder, `runner-${name}.pid`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  await locked(`${file}.lock`, () => {
    const holder = pidIn(file);
    if (holder !== process.pid && isParley(holder))
      throw new Trouble(`${name} is offered by process ${holder} already. Take another name, or end that one.`);
    writeFileSync(file, String(process.pid), { mode: 0o600 });
  });
  return () => {
    if (pidIn(file) === process.pid) rmSync(file, { force: true });
  };
}

function pidIn(file: string): number {
  try {
    return Number(readFileSync(file, "utf8"));
  } catch {
    return 0;
  }
}
