import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { connectModern } from "../../mcp/tests/client.ts";
import { metric } from "../../testing/faults.ts";
import { startTestServer, type TestServer, until } from "../../testing/server.ts";
import { createMachine, LAUNCHER, type Machine } from "./machine.ts";

let parley: TestServer;
let machine: Machine;
const clients: Client[] = [];
beforeAll(async () => {
  parley = await startTestServer();
  machine = createMachine();
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});
afterAll(async () => {
  await parley.stop();
  machine.remove();
});

async function connect(): Promise<Client> {
  const client = new Client({ name: "test", version: "2" }, { versionNegotiation: { mode: "auto" } });
  clients.push(client);
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [LAUNCHER, "mcp", "--url", `${parley.url}/mcp`],
      cwd: machine.folder,
      env: machine.environment,
      stderr: "ignore",
    }),
  );
  return client;
}

const waiting = (count: number) =>
  until(async () => (await metric(parley.url, "parley_waiting_calls")) === count, `${count} waiting calls`);

test("a client of today on the bridge sees the server as over HTTP", async () => {
  const [bridged, direct] = [await connect(), await connectModern(parley)];
  clients.push(direct);
  expect(bridged.getNegotiatedProtocolVersion()).toBe("2026-07-28");
  expect(bridged.getServerCapabilities()).toEqual(direct.getServerCapabilities());
  expect(bridged.getInstructions()).toBe(direct.getInstructions());
  expect(await bridged.listTools()).toEqual(await direct.listTools());
});

test("a name that is not plain ASCII reaches the server over the bridge", async () => {
  const { content, isError } = await (await connect()).callTool({ name: "größe", arguments: {} });
  expect([isError, JSON.parse((content[0] as { text: string }).text).error.message]).toEqual([
    true,
    "There is no tool größe.",
  ]);
});

test("a client on the bridge listens to a feed, and a wait that it gives up ends on the server", async () => {
  const client = await connect();
  const alex = await parley.create();
  const uri = `parley://sessions/${alex.ref}/feed`;
  const heard: string[] = [];
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => void heard.push(params.uri));
  const subscription = await client.listen({ resourceSubscriptions: [uri] });
  await parley.say(alex, "news");
  await until(() => heard.length > 0, "the post");
  expect(heard).toEqual([uri]);

  const over = new AbortController();
  const args = { session_id: alex.ref, team_id: alex.team_id, since_cursor: 1 };
  const given = client.callTool({ name: "wait_for_messages", arguments: args }, { signal: over.signal });
  given.catch(() => undefined);
  await waiting(1);
  over.abort();
  await expect(given).rejects.toThrow();
  await waiting(0);

  await subscription.close();
  await until(async () => (await metric(parley.url, "parley_listening_streams")) === 0, "the stream to end");
  expect((await client.listTools()).tools.length).toBeGreaterThan(13);
});
