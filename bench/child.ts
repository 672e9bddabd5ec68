export interface Usage {
  cpuMs: number;
  rss: number;
  heapUsed: number;
  external: number;
}

/** What a measured process tells about itself; it ends when the bench does. */
export function serveUsage(port: number, stop: () => Promise<unknown>) {
  process.on("message", ({ collect }: { collect: boolean }) => {
    if (collect) for (let i = 0; i < 3; i++) globalThis.gc?.();
    const { user, system } = process.cpuUsage();
    const { rss, heapUsed, external } = process.memoryUsage();
    process.send?.({ cpuMs: (user + system) / 1_000, rss, heapUsed, external } satisfies Usage);
  });
  process.once("disconnect", () => stop().finally(() => process.exit()));
  // Ctrl-C reaches the whole group: the bench says when to stop.
  process.on("SIGINT", () => undefined);
  process.send?.({ port });
}
