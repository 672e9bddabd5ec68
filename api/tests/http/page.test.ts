import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import express from "express";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sendRaw } from "../../../testing/raw-http.ts";
import { errorHandler, notFound } from "../../http/error-handler.ts";
import { missingPage, pageRouter } from "../../http/page.ts";

let folder: string;
let server: Server;
let base: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "parley-page-"));
  await mkdir(join(folder, "assets"));
  await writeFile(join(folder, "index.html"), "<title>Parley</title>");
  await writeFile(join(folder, "assets/index-abc.js"), "1");
  const app = express().use(pageRouter(folder), missingPage(folder), () => {
    throw notFound();
  });
  app.use(errorHandler(() => undefined));
  server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server?.close();
  await rm(folder, { recursive: true, force: true });
});

const router = readFileSync(new URL("../../../web/src/router.tsx", import.meta.url), "utf8");
const paths = [...router.matchAll(/ path: "([^"]+)"/g)].map(([, path = ""]) => path.replace(/\$\w+/g, "calm-otter-17"));

test.each([...paths, "/?status=active"])("%s is the app, asked for anew each time", async (path) => {
  const res = await fetch(base + path);
  expect(res.status).toBe(200);
  expect(res.headers.get("content-type")).toContain("text/html");
  expect(res.headers.get("cache-control")).toBe("no-cache");
});

test("what has its hash in its name is kept for good", async () => {
  const res = await fetch(`${base}/assets/index-abc.js`);
  expect(res.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
});

test.each(["/nope", "/s", "/s/calm-otter-17/nope", "/assets/index-old.js", "/index.htm"])(
  "%s is not found, as JSON",
  async (path) => {
    const res = await fetch(base + path);
    expect(res.status).toBe(404);
    expect(await res.json()).toMatchObject({ error: { code: "not_found" } });
  },
);

test("a browser that asks for what is not there gets the page, which says so, but for what is for programs", async () => {
  const accept = "text/html,application/xhtml+xml,*/*;q=0.8";
  const look = async (path: string) => {
    const res = await fetch(base + path, { headers: { accept } });
    return [res.status, res.headers.get("content-type")?.split(";")[0]];
  };
  for (const path of ["/nope", "/s/calm-otter-17/nope"]) expect(await look(path)).toEqual([404, "text/html"]);
  for (const path of ["/api/nope", "/mcp/nope", "/graphql/nope", "/assets/index-old.js"])
    expect(await look(path)).toEqual([404, "application/json"]);
});

test("the app answers no POST", async () => {
  expect((await fetch(base, { method: "POST" })).status).toBe(405);
});

test("where the page was not built, its addresses are not found", async () => {
  await rm(join(folder, "index.html"));
  expect((await fetch(base)).status).toBe(404);
});

test.each(["/assets", "/.", "//evil.example/%2e%2e", "/\\evil.example/%2e%2e"])(
  "%s leads nowhere else, and is told in JSON",
  async (path) => {
    const { status, headers, body } = await sendRaw(
      base,
      `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
    expect([status, headers.location]).toEqual([404, undefined]);
    expect(JSON.parse(body).error.code).toBe("not_found");
  },
);
