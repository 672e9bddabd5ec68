import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { version } from "./version.ts";

/** The command as one file, for machines that have Node and nothing of ours: the server hands it out. */
export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  ssr: { noExternal: true },
  // A validator of answers, of which none of ours has a schema: the small one makes the file a quarter smaller.
  resolve: {
    alias: {
      "@modelcontextprotocol/client/_shims": fileURLToPath(
        new URL("../node_modules/@modelcontextprotocol/client/dist/shimsWorkerd.mjs", import.meta.url),
      ),
    },
  },
  build: {
    ssr: "main.ts",
    target: "node18",
    outDir: "dist",
    emptyOutDir: true,
    minify: true,
    rolldownOptions: {
      output: {
        entryFileNames: "parley.mjs",
        codeSplitting: false,
        // The server fills in its address here; see api/command.ts.
        postBanner: '#!/usr/bin/env node\nglobalThis.PARLEY_SERVED_FROM = "";\n',
      },
    },
  },
  plugins: [
    {
      name: "only-the-version-of-package.json",
      load: (id) => (id.endsWith("/cli/version.ts") ? `export const version = ${JSON.stringify(version)}` : undefined),
    },
  ],
});
