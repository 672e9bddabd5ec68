import { closeSync, existsSync, openSync, readSync, renameSync, statSync } from "node:fs";

const LARGEST = 10 * 1024 * 1024;
const TAIL_BYTES = 8 * 1024;
const TAIL_LINES = 15;

/** Opens the log for appending; a large one is set aside first, replacing the one before it. */
export function openServerLog(file: string): { fd: number; offset: number } {
  if (existsSync(file) && statSync(file).size > LARGEST) renameSync(file, `${file}.1`);
  const fd = openSync(file, "a", 0o600);
  return { fd, offset: statSync(file).size };
}

/** The last lines written since the offset. */
export function readTail(file: string, offset: number): string {
  const { size } = statSync(file);
  const start = Math.max(offset, size - TAIL_BYTES);
  const buffer = Buffer.alloc(Math.max(size - start, 0));
  const fd = openSync(file, "r");
  try {
    readSync(fd, buffer, 0, buffer.length, start);
  } finally {
    closeSync(fd);
  }
  return buffer.toString("utf8").trim().split("\n").slice(-TAIL_LINES).join("\n");
}
