import { existsSync, readdirSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const BUILT = path("dist/index.html");
const SOURCES = ["src", "public", "index.html", "vite.config.ts", "schema.graphql"];

function newest(file: string): number {
  const { mtimeMs } = statSync(file);
  if (!statSync(file).isDirectory()) return mtimeMs;
  return Math.max(mtimeMs, ...readdirSync(file).map((name) => newest(`${file}/${name}`)));
}

const upToDate = existsSync(BUILT) && statSync(BUILT).mtimeMs >= Math.max(...SOURCES.map((name) => newest(path(name))));

/** Where the build tools were left out (`npm ci --omit=dev`), what is there is served. */
if (!upToDate) {
  const vite = await import("vite").catch(() => undefined);
  if (vite) await vite.build({ configFile: path("vite.config.ts"), logLevel: "warn" });
  else if (!existsSync(BUILT)) console.warn("The page is not built: run npm ci and npm run build. All else works.");
}
