import { existsSync, readdirSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

const TARGETS = [
  {
    what: "The page",
    built: "dist/index.html",
    config: "vite.config.ts",
    sources: ["src", "public", "index.html", "vite.config.ts", "schema.graphql"],
  },
  {
    what: "The parley command for other machines",
    built: "../cli/dist/parley.mjs",
    config: "../cli/vite.config.ts",
    sources: ["../cli", "../demo", "../package.json"],
  },
];

function newest(file: string): number {
  if (!existsSync(file)) return 0;
  const { mtimeMs } = statSync(file);
  if (!statSync(file).isDirectory()) return mtimeMs;
  const inside = readdirSync(file).filter((name) => name !== "dist");
  return Math.max(mtimeMs, ...inside.map((name) => newest(`${file}/${name}`)));
}

/** Where the build tools were left out (`npm ci --omit=dev`), what is there is served. */
for (const { what, built, config, sources } of TARGETS) {
  const file = path(built);
  if (existsSync(file) && statSync(file).mtimeMs >= Math.max(...sources.map((name) => newest(path(name))))) continue;
  const vite = await import("vite").catch(() => undefined);
  if (vite) await vite.build({ configFile: path(config), logLevel: "warn" });
  else if (!existsSync(file)) console.warn(`${what} is not built: run npm ci and npm run build. All else works.`);
}
