import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { build } from "vite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestServer, type TestServer, until } from "../../testing/server.ts";
import { version } from "../version.ts";
import { createMachine, type Machine } from "./machine.ts";

const here = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));

let parley: TestServer;
let machine: Machine;
beforeAll(async () => {
  if (!existsSync(here("dist/parley.mjs"))) await build({ configFile: here("vite.config.ts"), logLevel: "warn" });
  parley = await startTestServer();
  machine = createMachine({}, "parley.mjs");
  const response = await fetch(`${parley.url}/parley.mjs`);
  expect(response.headers.get("content-type")).toMatch(/^text\/javascript/);
  writeFileSync(join(machine.folder, "parley.mjs"), await response.text());
});
afterAll(async () => {
  await parley.stop();
  machine.remove();
});

test("the one file joins, waits and posts in an empty folder, and knows the server it came from", async () => {
  const alex = await parley.create();
  const joined = await machine.run(["join", alex.ref, "--as", "Team Blue"]);
  expect(joined).toMatchObject({ code: 0, stderr: "" });
  expect(joined.stdout).toContain(`node parley.mjs wait ${alex.ref}`);
  const waiting = machine.start(["wait"]);
  await until(
    async () => (await parley.get(`/sessions/${alex.ref}/participants`, alex)).body.participants[1].listening,
    "the wait",
  );
  await parley.say(alex, "news");
  expect(await waiting.ended).toEqual({ code: 0, stdout: "#2 alexs-team: news\n", stderr: "" });
  expect((await machine.run(["post", "heard"])).code).toBe(0);
  const { stdout } = await machine.run(["doctor", "--quick"]);
  expect(stdout).toContain(`address ${parley.url}/mcp, from the server this file was downloaded from`);
});

test("the one file is a stdio bridge in an empty folder", async () => {
  const client = new Client({ name: "test", version: "1" });
  const { folder: cwd, environment: env } = machine;
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: ["parley.mjs", "mcp"], cwd, env, stderr: "ignore" }),
  );
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names).toContain("wait_for_messages");
  const created = await client.callTool({
    name: "create_session",
    arguments: { title: "By one file", description: "", creator_team_name: "Alex's Team" },
  });
  expect(created.isError ?? false).toBe(false);
  await client.close();
});

test("the one file runs the demo", async () => {
  const { code, stdout } = await machine.run(["demo", "--fast"]);
  expect([code, stdout]).toEqual([0, expect.stringContaining(`${parley.url}/s/`)]);
});

test("installed in node_modules, where Node strips no types, the launcher runs the bundle", async () => {
  const installed = join(machine.root, "node_modules/parley/cli");
  mkdirSync(installed, { recursive: true });
  cpSync(here("parley.js"), join(installed, "parley.js"));
  writeFileSync(join(installed, "../package.json"), '{"type":"module"}');
  const { run, remove } = createMachine({}, join(installed, "parley.js"));
  expect(await run(["--version"])).toMatchObject({ code: 1, stderr: expect.stringContaining("npm run build") });
  cpSync(here("dist"), join(installed, "dist"), { recursive: true });
  expect(await run(["--version"])).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
  remove();
});
