import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import SlowFirst from "./testing/slow-first.ts";

export default defineConfig({
  resolve: {
    // Vite would take the .mjs build, next to the .js one that Node gives to PostGraphile; two copies do not mix.
    alias: [{ find: /^graphql$/, replacement: fileURLToPath(import.meta.resolve("graphql/index.js")) }],
  },
  test: {
    include: ["**/*.test.ts"],
    // migrations/fixtures is db/ once more.
    exclude: ["**/node_modules/**", "**/dist/**", "migrations/**"],
    globalSetup: "testing/setup.ts",
    sequence: { sequencer: SlowFirst },
    pool: "forks",
    // Files that follow each other in one process need not load PostGraphile and the MCP packages again.
    isolate: false,
    // Three more than two cores: many tests wait, for a timeout or for a process that ends.
    maxWorkers: 5,
    // What a test has made is garbage soon: with room for more of it less is copied.
    execArgv: ["--max-semi-space-size=32"],
    // For the commands and servers that tests start as processes of their own.
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL("node_modules/.cache/node", import.meta.url)) },
    // A machine that merges changes may be busy with anything: there a test has to fail three times.
    retry: process.env.CI ? 2 : 0,
    // On a machine that is busy with other things too.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    teardownTimeout: 20_000,
  },
});
