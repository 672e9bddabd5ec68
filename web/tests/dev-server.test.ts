import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer, type ViteDevServer } from "vite";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import WebSocket from "ws";
import { startTestServer, type TestServer } from "../../testing/server.ts";

let parley: TestServer;
let vite: ViteDevServer;
let url: string;
beforeAll(async () => {
  parley = await startTestServer();
  vi.stubEnv("PARLEY_API", parley.url);
  const server = { host: "127.0.0.1", port: 0, strictPort: false, watch: null };
  vite = await createServer({ configFile: "web/vite.config.ts", logLevel: "silent", server });
  await vite.listen();
  const address = vite.httpServer?.address() as AddressInfo;
  url = `http://127.0.0.1:${address.port}`;
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await vite?.close();
  await parley.stop();
});

const ask = (origin: string) =>
  fetch(`${url}/graphql`, {
    method: "POST",
    headers: { origin, "content-type": "application/json" },
    body: '{"query":"{ __typename }"}',
  });

test("the page of the development server reaches the server behind it, a foreign page does not", async () => {
  expect((await fetch(`${url}/livez`)).status).toBe(200);
  expect((await ask(url)).status).toBe(200);
  expect((await ask("http://evil.example")).status).toBe(403);
});

test("so do its WebSockets", async () => {
  const open = (origin: string) =>
    new WebSocket(`${url.replace("http", "ws")}/graphql`, "graphql-transport-ws", { origin });
  const own = open(url);
  await once(own, "open");
  own.terminate();
  const [error] = await once(open("http://evil.example"), "error");
  expect(String(error)).toMatch(/403|hang up/);
});
