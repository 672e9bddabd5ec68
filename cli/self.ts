import { basename, relative, sep } from "node:path";

/** How this program was called, so that what it prints can be pasted. */
export function self(script = process.argv[1] ?? "parley"): string {
  if (script.includes(`${sep}node_modules${sep}`)) return "npx parley";
  if (!/\.m?js$/.test(script)) return basename(script);
  const near = relative(process.cwd(), script);
  return `node ${near.startsWith("..") ? script : near}`;
}
