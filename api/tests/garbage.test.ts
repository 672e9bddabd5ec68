import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);
const garbage = new URL("../garbage.ts", import.meta.url).href;

/** How often a process that holds 40 MB goes through all of them while it makes and drops 400 MB of buffers. */
async function majorCollections(before: string) {
  const script = `
    import { constants, PerformanceObserver } from "node:perf_hooks";
    ${before}
    globalThis.held = Array.from({ length: 500_000 }, (_, n) => ({ n, text: "held " + n }));
    let major = 0;
    const count = (entries) => { for (const { detail } of entries) if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) major++; };
    const observer = new PerformanceObserver((list) => count(list.getEntries()));
    observer.observe({ entryTypes: ["gc"] });
    for (let n = 0; n < 1_000; n++) {
      Buffer.alloc(400_000, 1);
      await new Promise(setImmediate);
    }
    count(observer.takeRecords());
    console.log(major);`;
  const { stdout, stderr } = await run(process.execPath, ["--input-type=module", "--eval", script]);
  return { major: Number(stdout), stderr };
}

test.runIf(process.versions.v8.startsWith("13."))(
  "buffers that were let go do not make the server go through its whole memory again and again",
  async () => {
    const told = await majorCollections(`(await import(${JSON.stringify(garbage)})).countBuffersAsMemory();`);
    const notTold = await majorCollections("");
    expect(told.stderr).toBe("");
    expect(told.major).toBeLessThan(notTold.major);
  },
);
