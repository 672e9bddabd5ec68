import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { readSources } from "../postgres/sources.ts";
import { applyCurrent, CURRENT } from "./current.ts";

const LOOK_MS = 150;

/** Looks at the files again and again, and applies them when they have come to rest: editors write in several steps. */
export async function watch(url: string, log: Logger, stop: AbortSignal): Promise<void> {
  let [before, applied] = ["", ""];
  while (!stop.aborted) {
    const now = written();
    if (now === before && now !== applied) {
      applied = now;
      await applyCurrent(url, log).then(
        () => console.log(`${new Date().toLocaleTimeString("en-GB")} applied`),
        // The migration tool has shown its own errors already.
        (error: Error & { _gmlogged?: boolean }) => !error._gmlogged && console.error(error.message),
      );
    }
    before = now;
    await sleep(LOOK_MS, undefined, { signal: stop }).catch(() => undefined);
  }
}

function written(): string {
  try {
    return [readFileSync(CURRENT, "utf8"), ...readSources().map(({ name, hash }) => `${name} ${hash}`)].join("\n");
  } catch (error) {
    return (error as Error).message;
  }
}
