import { transactions } from "../testing/transactions.ts";

export interface Usage {
  cpuMs: number;
  rss: number;
  heapUsed: number;
  external: number;
  /** Of its connections to the database. */
  transactions: number;
}

/** What a measured process tells about itself; it ends when the bench does. */
export function serveUsage(port: number, stop: () => Promise<unknown>) {
  process.on("message", ({ collect }: { collect: boolean }) => {
    if (collect) for (let i = 0; i < 3; i++) globalThis.gc?.();
    const { user, system } = process.cpuUsage();
    const { rss, heapUsed, external } = process.memoryUsage();
    const cpuMs = (user + system) / 1_000;
    process.send?.({ cpuMs, rss, heapUsed, external, transactions: transactions() } satisfies Usage);
  });
  process.once("disconnect", () => stop().finally(() => process.exit()));
  // Ctrl-C reaches the whole group: the bench says when to stop.
  process.on("SIGINT", () => undefined);
  process.send?.({ port });
}
