#!/usr/bin/env node
// A checkout runs the sources as they are. Node strips no types inside node_modules, and old ones nowhere: there it
// is the bundle that `npm run build` makes.
import { existsSync } from "node:fs";

const bundle = new URL("dist/parley.mjs", import.meta.url);
if (process.features.typescript && !import.meta.url.includes("/node_modules/")) await import("./main.ts");
else if (existsSync(bundle)) await import(bundle.href);
else {
  console.error("parley: Node 22.18 or newer runs it as it is; for an older one make the bundle first: npm run build");
  process.exitCode = 1;
}
