import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const api = process.env.PARLEY_API ?? "http://127.0.0.1:7423";
const SERVED_BY_API = [
  "/api",
  "/mcp",
  "/AGENTS.md",
  "/demo",
  "/parley.mjs",
  "/parley.sh",
  "/docs",
  "/plain.css",
  "/graphiql",
  "/livez",
  "/readyz",
];

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  plugins: [react(), tailwindcss()],
  resolve: { alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) } },
  build: { outDir: "dist", emptyOutDir: true, assetsInlineLimit: 0 },
  server: {
    proxy: {
      ...Object.fromEntries(SERVED_BY_API.map((path) => [path, api])),
      "/graphql": { target: api, ws: true },
    },
  },
});
