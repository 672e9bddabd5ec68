import { once } from "node:events";
import type { Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterEach, expect, test } from "vitest";
import { startTestServer, until } from "../../../testing/server.ts";
import { createHttpServer } from "../../http/http-server.ts";

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

function begin(port: number, text: string) {
  const socket = connect(port, "127.0.0.1").on("error", () => undefined);
  const said = { text: "", ended: false };
  socket.setEncoding("utf8").on("data", (data) => {
    said.text += data;
  });
  socket.on("close", () => {
    said.ended = true;
  });
  socket.write(text);
  return said;
}

test("a request that does not arrive is ended with the error body, one that waits for its answer is not", async () => {
  server = createHttpServer(() => undefined, {
    headersTimeout: 200,
    requestTimeout: 400,
    connectionsCheckingInterval: 50,
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const waiting = begin(port, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  const headers = begin(port, "GET / HTTP/1.1\r\nHost: x\r\n");
  const body = begin(port, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n12345");
  await until(() => headers.ended && body.ended, "both to be ended");
  for (const { text } of [headers, body]) expect(text).toMatch(/^HTTP\/1.1 408 [\s\S]*"code":"request_timeout"/);
  expect(waiting).toEqual({ text: "", ended: false });
});

test("headers that trickle in are given up before a wait of 20 seconds is over", async () => {
  const parley = await startTestServer();
  const team = await parley.create();
  const wait = parley.wait(team, { timeout: 20 });
  let answered = false;
  wait.then(() => {
    answered = true;
  });
  const { port } = new URL(parley.url);
  const slow = begin(Number(port), "GET /livez HTTP/1.1\r\n");
  await until(() => slow.ended, "the connection to be ended", 25_000);
  expect([slow.text.slice(0, 12), answered]).toEqual(["HTTP/1.1 408", false]);
  await parley.join(team);
  expect((await wait).body.messages).toHaveLength(1);
  await parley.stop();
});
