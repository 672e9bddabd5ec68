import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import WebSocket from "ws";
import { metric } from "../../../testing/faults.ts";
import { sendRaw } from "../../../testing/raw-http.ts";
import { startTestServer, type TestServer, until } from "../../../testing/server.ts";
import { readTrust, type Trust } from "../../http/client-address.ts";
import { DEFAULT_LIMITS, keyOf, type Limits } from "../../http/limits.ts";
import { Rates } from "../../http/rates.ts";

let parley: TestServer;

/** Behind a proxy that is trusted, so that a test can come from anywhere. */
async function start(limits: Partial<Limits>, trustProxy = readTrust("loopback") as Trust) {
  const server = await startTestServer({ limits: { ...DEFAULT_LIMITS, ...limits }, trustProxy });
  onTestFinished(() => server.stop());
  parley = server;
}
const from = (address: string) => ({ headers: { "x-forwarded-for": address } });
const fromHere = { headers: { "x-forwarded-for": "192.0.2.7" } };

test("an address that asks too often is refused at every door, with when to come back; others are answered", async () => {
  // One, and the next after ten seconds.
  await start({ requests: 0.1 });
  const ask = async (path: string, address: string, method = "GET") => {
    const init = { method, ...from(address), ...(method === "POST" && { body: "{}" }) };
    const response = await fetch(parley.url + path, init);
    return { response, text: await response.text() };
  };
  expect((await ask("/livez", "192.0.2.7")).response.status).toBe(200);
  for (const [path, method] of [
    ["/", "GET"],
    ["/livez", "GET"],
    ["/api/sessions", "GET"],
    ["/api/sessions", "POST"],
    ["/mcp", "POST"],
    ["/graphql", "POST"],
    ["/AGENTS.md", "GET"],
    ["/nothing", "GET"],
  ] as const) {
    const { response, text } = await ask(path, "192.0.2.7", method);
    expect([path, response.status, JSON.parse(text).error.code]).toEqual([path, 429, "rate_limited"]);
    const seconds = Number(response.headers.get("retry-after"));
    expect(seconds).toBeGreaterThan(0);
    expect(JSON.parse(text).error.details).toMatchObject({ retry_after_seconds: seconds, hint: expect.any(String) });
  }
  for (const address of ["192.0.2.8", "2001:db8::1"]) expect((await ask("/livez", address)).response.status).toBe(200);
  // This machine itself is no address among others.
  for (let n = 0; n < 30; n++) expect((await fetch(`${parley.url}/livez`)).status).toBe(200);
  expect(await metric(parley.url, "parley_limited")).toBe(8);
});

test("calls under way are bounded per address, waits among them, and what ends makes room", async () => {
  await start({ open: 3 });
  const alex = await parley.create();
  const gone = new AbortController();
  const held = [0, 1, 2].map(() =>
    parley.wait(alex, { timeout: 30 }, { ...fromHere, signal: gone.signal }).catch(() => undefined),
  );
  await until(async () => (await metric(parley.url, "parley_waiting_calls")) === 3, "three waits to be held");
  const refused = await parley.wait(alex, {}, fromHere);
  expect(refused).toMatchObject({ status: 429, body: { error: { code: "rate_limited" } } });
  expect((await parley.wait(alex, { timeout: 0 }, from("192.0.2.8"))).status).toBe(200);
  gone.abort();
  await Promise.all(held);
  await until(async () => (await parley.wait(alex, { timeout: 0 }, fromHere)).status === 200, "room for another call");
});

describe("WebSockets", () => {
  const open = async (address: string) => {
    const socket = new WebSocket(`${parley.url.replace("http", "ws")}/graphql`, "graphql-transport-ws", from(address));
    const opened = await Promise.race([
      once(socket, "open").then(() => 101),
      once(socket, "unexpected-response").then(([, response]) => response.statusCode as number),
    ]);
    return { socket, opened };
  };

  test("are bounded per address, and one that closes makes room", async () => {
    await start({ sockets: 2 });
    const [first] = [await open("192.0.2.7"), await open("192.0.2.7")];
    expect((await open("192.0.2.7")).opened).toBe(429);
    expect((await open("192.0.2.8")).opened).toBe(101);
    first?.socket.close();
    await until(async () => (await open("192.0.2.7")).opened === 101, "room for another socket");
  });

  test("that are flooded with messages are closed, and say why", async () => {
    await start({ requests: 2 });
    const { socket } = await open("192.0.2.7");
    for (let n = 0; n < 40; n++) socket.send('{"type":"ping"}');
    const [code, reason] = await once(socket, "close");
    expect([code, String(reason)]).toEqual([4429, "rate_limited"]);
  });
});

test("connections are bounded per address: one too many is told so, far too many are hung up on", async () => {
  // All come from this machine, which may have a hundred times as many.
  await start({ connections: 0.03 }, () => false);
  const { port } = parley.server;
  const open = async () => {
    const socket = connect(port, "127.0.0.1").on("error", () => undefined);
    await once(socket, "connect");
    return socket;
  };
  const sockets: Socket[] = [await open(), await open(), await open()];
  const answer = await sendRaw(parley.url, `GET /livez HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
  expect([answer.status, answer.headers.connection, answer.headers["retry-after"]]).toEqual([429, "close", "5"]);
  while (sockets.length < 6) sockets.push(await open());
  await once(await open(), "close");
  for (const socket of sockets.splice(0)) socket.destroy();
  await until(
    async () => (await fetch(`${parley.url}/livez`).catch(() => undefined))?.ok,
    "room for another connection",
  );
});

describe("what is counted", () => {
  test("comes back with time, and never more than a burst of it", () => {
    let now = 0;
    const rates = new Rates(10, () => now);
    const burst = () => {
      let taken = 0;
      while (rates.take("a", 2) === 0) taken++;
      return taken;
    };
    expect(burst()).toBe(20);
    now += 3_000;
    expect(burst()).toBe(6);
    now += 3_600_000;
    expect(burst()).toBe(20);
    expect(rates.take("a", 2)).toBe(1);
    expect(rates.take("a", 0.1)).toBe(10);
    expect(rates.take("b", 2)).toBe(0);
    expect(rates.take("a", Number.POSITIVE_INFINITY)).toBe(0);
  });

  test("is bounded however many addresses there are, and the busiest is not the one that is forgotten", () => {
    const rates = new Rates(100, () => 0);
    while (rates.take("busy", 1) === 0);
    for (let n = 0; n < 10_000; n++) {
      rates.take(`10.0.${n >> 8}.${n & 255}`, 1);
      if (n % 50 === 0) expect(rates.take("busy", 1)).toBeGreaterThan(0);
    }
    expect(rates.size).toBe(100);
  });

  test("is the network of an IPv6 address, and the address of IPv4", () => {
    expect(keyOf("192.0.2.7")).toBe("192.0.2.7");
    const network = keyOf("2001:db8:1:2:3:4:5:6");
    expect(network).toBe("2001:db8:1:2");
    for (const same of ["2001:db8:1:2::", "2001:DB8:1:2::9", "2001:db8:1:2:ffff::1"]) expect(keyOf(same)).toBe(network);
    expect(keyOf("2001:db8::1")).toBe("2001:db8:0:0");
    expect(keyOf("::1")).toBe("0:0:0:0");
    expect(keyOf("fe80::")).toBe("fe80:0:0:0");
  });
});
