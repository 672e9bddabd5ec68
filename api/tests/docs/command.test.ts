import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import express from "express";
import { afterAll, beforeAll, expect, test } from "vitest";
import { commandRouter } from "../../docs/command.ts";
import { errorHandler } from "../../http/error-handler.ts";
import type { PublicAddress } from "../../http/public-address.ts";

const PUBLIC = { mcpUrl: () => "https://parley.example/$&/mcp" } as unknown as PublicAddress;

let folder: string;
let server: Server;
let url: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "parley-command-"));
  const app = express().use(commandRouter(PUBLIC, join(folder, "parley.mjs")));
  app.use(errorHandler(() => undefined));
  server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/parley.mjs`;
});
afterAll(async () => {
  server?.close();
  await rm(folder, { recursive: true, force: true });
});

test("where the command was not built, the answer says so and what works without it", async () => {
  const response = await fetch(url);
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ error: { code: "not_built", details: { hint: expect.any(String) } } });
});

test("the command is handed out with the address that agents should use filled in", async () => {
  await writeFile(join(folder, "parley.mjs"), '#!/usr/bin/env node\nglobalThis.PARLEY_SERVED_FROM = "";\nrest();\n');
  const response = await fetch(url);
  expect(response.headers.get("cache-control")).toBe("no-store");
  expect(await response.text()).toBe(
    '#!/usr/bin/env node\nglobalThis.PARLEY_SERVED_FROM = "https://parley.example/$&/mcp";\nrest();\n',
  );
});
