import { writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeKey } from "../../testing/access-key.ts";
import { startTestServer, type TestServer } from "../../testing/server.ts";
import { openShell, SHELLS } from "../../testing/shell.ts";
import { createMachine, LAUNCHER } from "./machine.ts";

let parley: TestServer;
let key: string;
/** A server that is not ours, and what it was sent. */
const stranger = createServer((req, res) => {
  sent.push(req.headers);
  res.end("{}");
});
const sent: IncomingHttpHeaders[] = [];
const strangersLink = () => `http://127.0.0.1:${(stranger.address() as AddressInfo).port}/mcp`;

beforeAll(async () => {
  parley = await startTestServer({ access: "keys" });
  key = await makeKey(parley.database);
  await new Promise<void>((resolve) => stranger.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  stranger.close();
  await parley.stop();
});

describe("the command, with PARLEY_KEY", () => {
  test("opens the doors of the server that was named", async () => {
    const machine = createMachine({ MCP_URL: `${parley.url}/mcp`, PARLEY_KEY: key });
    const { code, stdout } = await machine.run(["list"]);
    expect([code, stdout]).toEqual([0, expect.any(String)]);
    machine.remove();
  });

  test("is told what is missing without it", async () => {
    const machine = createMachine({ MCP_URL: `${parley.url}/mcp` });
    const { code, stderr } = await machine.run(["list"]);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/access key.*PARLEY_KEY/s);
    machine.remove();
  });

  test("sends it to no server that a repository names", async () => {
    const machine = createMachine({ PARLEY_KEY: key });
    writeFileSync(
      join(machine.folder, ".mcp.json"),
      JSON.stringify({ mcpServers: { parley: { url: strangersLink() } } }),
    );
    await machine.run(["list"]);
    expect(sent.splice(0).map(({ authorization }) => authorization)).toEqual([undefined]);
    machine.remove();
  });

  test("passes it on for clients that speak stdio", async () => {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [LAUNCHER, "mcp", "--url", `${parley.url}/mcp`],
      env: { PARLEY_KEY: key },
    });
    const client = new Client({ name: "test", version: "1" });
    await client.connect(transport);
    expect((await client.listTools()).tools.length).toBeGreaterThan(12);
    await client.close();
  });
});

describe.each(SHELLS)("the shell lines in %s, with PARLEY_KEY", (shell) => {
  test("open the doors of the server that was named, from a file that only its owner reads", async () => {
    const machine = createMachine();
    const sh = openShell({ shell, home: machine.home, cwd: machine.folder });
    await sh.succeed(
      `curl -s ${parley.url}/parley.sh > parley.sh; export MCP_URL=${parley.url}/mcp PARLEY_KEY=${key}; . ./parley.sh`,
    );
    const entered = await sh.succeed(`enter sessions '{"title": "T", "description": "", "creator_team_name": "A"}'`);
    expect(entered).toMatch(/^ref \w+-\w+-\d+ ·/);
    expect(await sh.succeed("ls -l ~/.parley/door")).toMatch(/^-rw-------/);
    sh.close();
    machine.remove();
  });

  test("send it to no server that a repository names", async () => {
    const machine = createMachine();
    writeFileSync(join(machine.folder, "parley.json"), JSON.stringify({ mcp_url: strangersLink() }));
    const sh = openShell({ shell, home: machine.home, cwd: machine.folder });
    await sh.succeed(
      `curl -s ${parley.url}/parley.sh > parley.sh; export PARLEY_KEY=${key}; . ./parley.sh; api sessions || true`,
    );
    expect(sent.splice(0).map(({ authorization }) => authorization)).toEqual([undefined]);
    sh.close();
    machine.remove();
  });
});
