import type { ClientRequest, IncomingMessage } from "node:http";
import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin, type ProxyOptions } from "vite";

const api = process.env.PARLEY_API ?? "http://127.0.0.1:7423";
const SERVED_BY_API = [
  "/api",
  "/auth",
  "/connection-test",
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

/** The server answers its own pages under its own address: a page of this one is told to it as such, a foreign one is not. */
const tellOrigin = (outgoing: ClientRequest, { headers }: IncomingMessage) => {
  if (headers.origin === `http://${headers.host}`) outgoing.setHeader("origin", new URL(api).origin);
};
const proxied: ProxyOptions = {
  target: api,
  changeOrigin: true,
  configure: (proxy) => void proxy.on("proxyReq", tellOrigin).on("proxyReqWs", tellOrigin),
};

/** The typeface is asked for with the page, not once its styles have been read. */
const preloadTypeface: Plugin = {
  name: "preload-typeface",
  transformIndexHtml: {
    order: "post",
    handler(_html, { bundle = {} }) {
      const font = Object.keys(bundle).find((name) => /geist-latin-wght-normal.*\.woff2$/.test(name));
      const attrs = { rel: "preload", as: "font", type: "font/woff2", crossorigin: "", href: `/${font}` };
      return font ? [{ tag: "link", attrs, injectTo: "head" }] : [];
    },
  },
};

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  plugins: [react(), tailwindcss(), preloadTypeface],
  resolve: {
    alias: {
      "@": fileURLToPath(new URL("./src", import.meta.url)),
      // The build for browsers asks the document, and a worker has none.
      "decode-named-character-reference": fileURLToPath(import.meta.resolve("decode-named-character-reference")),
    },
  },
  build: { outDir: "dist", emptyOutDir: true, assetsInlineLimit: 0 },
  server: {
    proxy: {
      ...Object.fromEntries(SERVED_BY_API.map((path) => [path, proxied])),
      "/graphql": { ...proxied, ws: true },
    },
  },
});
