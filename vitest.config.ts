import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

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
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 20_000,
  },
});
