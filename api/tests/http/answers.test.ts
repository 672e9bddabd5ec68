import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import WebSocket from "ws";
import { metric } from "../../../testing/faults.ts";
import { startTestServer, until } from "../../../testing/server.ts";
import { createAnswers } from "../../http/answers.ts";

const MB = 1024 * 1024;
const SIZE = 16 * MB;
let server: Server | undefined;
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server?.closeAllConnections();
  server?.close();
  server = undefined;
});

/** A server whose every answer is more than a network takes at once; /later has not got one yet. */
async function serve(answers: ReturnType<typeof createAnswers>) {
  server = createServer((req, res) => {
    answers.watch(res);
    if (req.url === "/later") return;
    if (req.url === "/piped") {
      res.write(Buffer.alloc(SIZE));
      return;
    }
    res.end(Buffer.alloc(SIZE));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** Asks, and reads nothing of the answer. */
function ask(port: number, path = "/", times = 1) {
  const socket = connect(port, "127.0.0.1").on("error", () => undefined);
  sockets.push(socket);
  socket.pause();
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(times));
  return socket;
}

test("an answer that nobody takes is cut off, one that is slow is not, and a call that waits is not", async () => {
  // Longer than a busy machine keeps the slow one from reading.
  const answers = createAnswers(1_000 * MB, 2_000);
  const port = await serve(answers);
  const waiting = ask(port, "/later");
  const slow = ask(port);
  ask(port);
  ask(port, "/piped");
  await until(() => answers.held > 3 * (SIZE - 10 * MB), "all to be under way");

  let read = 0;
  const reading = (async () => {
    while (answers.held > 0 && !slow.destroyed) {
      read += (slow.read() as Buffer | null)?.length ?? 0;
      await sleep(5);
    }
  })();
  await until(() => answers.cut === 2, "the two to be cut off");
  await reading;
  expect(read).toBeGreaterThan(SIZE - 10 * MB);
  expect([answers.cut, answers.held, waiting.destroyed]).toEqual([2, 0, false]);
});

test("when all answers together pass the bound, the one under way for the longest is cut off", async () => {
  const answers = createAnswers(64 * MB, 600_000);
  const port = await serve(answers);
  let most = 0;
  for (let asked = 1; asked <= 20; asked++) {
    const socket = ask(port);
    await until(
      () => socket.bytesWritten > 0 && answers.held + answers.cut * SIZE > asked * (SIZE - 10 * MB) - SIZE,
      "it",
    );
    most = Math.max(most, answers.held);
  }
  await until(() => answers.cut > 10, "the first to be cut off");
  expect(Math.max(most, answers.held)).toBeLessThanOrEqual(64 * MB);
  const fresh = await fetch(`http://127.0.0.1:${port}`);
  expect((await fresh.arrayBuffer()).byteLength).toBe(SIZE);
});

test("the server counts what its readers leave lying, asked for one by one or all at once", async () => {
  const parley = await startTestServer();
  const team = await parley.create();
  await parley.post(`/sessions/${team.ref}/doc`, { content: "x".repeat(MB), expected_version: 0 }, team);
  const { host, port } = new URL(parley.url);
  const socket = connect(Number(port), "127.0.0.1").on("error", () => undefined);
  socket.pause();
  const request = `GET /api/sessions/${team.ref}/doc HTTP/1.1\r\nHost: ${host}\r\nX-Team-ID: ${team.team_id}\r\n\r\n`;
  socket.write(request.repeat(20));
  await until(async () => (await metric(parley.url, "parley_answer_bytes")) > MB, "bytes that nobody takes");
  socket.destroy();
  await until(async () => (await metric(parley.url, "parley_answer_bytes")) === 0, "them to be let go");
  await parley.stop();
});

test("a WebSocket that reads nothing counts as well", async () => {
  const parley = await startTestServer();
  const team = await parley.create();
  await parley.post(`/sessions/${team.ref}/doc`, { content: "x".repeat(MB), expected_version: 0 }, team);
  const client = new WebSocket(`${parley.url.replace("http", "ws")}/graphql`, "graphql-transport-ws", {
    headers: { "x-team-id": team.team_id },
  });
  await once(client, "open");
  client.send('{"type":"connection_init"}');
  await once(client, "message");
  client.pause();
  const query = `{ readSessionDoc(sessionId: "${team.ref}") { content } }`;
  const ask = (id: number) => client.send(JSON.stringify({ id: String(id), type: "subscribe", payload: { query } }));
  client.on("error", () => undefined);
  for (let id = 1; id <= 20; id++) ask(id);
  await until(async () => (await metric(parley.url, "parley_answer_bytes")) > MB, "bytes that nobody takes");
  client.terminate();
  await until(async () => (await metric(parley.url, "parley_answer_bytes")) === 0, "them to be let go");
  await parley.stop();
});
