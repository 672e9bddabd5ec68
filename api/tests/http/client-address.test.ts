import { createServer, get } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sendRaw } from "../../../testing/raw-http.ts";
import { startTestServer } from "../../../testing/server.ts";
import { clientAddress, noteClient, readTrust, type Trust, trustNobody } from "../../http/client-address.ts";

let trust: Trust = trustNobody;
const server = createServer((req, res) => {
  noteClient(req, trust);
  res.end(clientAddress(req));
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
afterAll(() => server.close());

const seenAs = (headers: Record<string, string | string[]>): Promise<string> =>
  new Promise((resolve, reject) => {
    get({ port: (server.address() as AddressInfo).port, host: "127.0.0.1", headers }, (response) => {
      response.setEncoding("utf8").once("data", resolve);
    }).on("error", reject);
  });

test.each([
  [undefined, "192.0.2.7", "127.0.0.1"],
  ["10.0.0.7", "192.0.2.7", "127.0.0.1"],
  ["loopback", "192.0.2.7", "192.0.2.7"],
  ["127.0.0.0/8", "192.0.2.7", "192.0.2.7"],
  ["loopback", "1.2.3.4, 192.0.2.7", "192.0.2.7"],
  ["loopback", "127.0.0.1, 192.0.2.7", "192.0.2.7"],
  ["loopback, 10.0.0.0/8", "1.2.3.4, 192.0.2.7, 10.1.2.3", "192.0.2.7"],
  ["loopback,uniquelocal", "10.1.2.3,192.168.0.7", "10.1.2.3"],
  ["0", "1.2.3.4, 192.0.2.7", "127.0.0.1"],
  ["1", "1.2.3.4, 192.0.2.7", "192.0.2.7"],
  ["2", "1.2.3.4, 192.0.2.7", "1.2.3.4"],
  ["9", "1.2.3.4, 192.0.2.7", "1.2.3.4"],
  ["loopback", "192.0.2.7:5555", "192.0.2.7"],
  ["loopback", "[2001:db8::7]:443", "2001:db8::7"],
  ["loopback", "2001:db8::7", "2001:db8::7"],
  ["loopback", "::ffff:192.0.2.7", "192.0.2.7"],
  ["loopback", "unknown", "127.0.0.1"],
  ["loopback", "192.0.2.7, <script>", "127.0.0.1"],
  ["loopback", "192.0.2.777", "127.0.0.1"],
  ["loopback", ",,", "127.0.0.1"],
])("with TRUST_PROXY %s, X-Forwarded-For: %s is %s", async (value, forwarded, address) => {
  trust = value === undefined ? trustNobody : (readTrust(value) as Trust);
  expect(await seenAs({ "x-forwarded-for": forwarded })).toBe(address);
});

test("a header that comes twice is one list", async () => {
  trust = readTrust("loopback") as Trust;
  expect(await seenAs({ "x-forwarded-for": ["1.2.3.4", "192.0.2.7"] })).toBe("192.0.2.7");
  expect(await seenAs({})).toBe("127.0.0.1");
});

test.each(["yes", "-1", "100", "300.1.1.1", "10.0.0.0/33", "10.0.0.0/8/8", "10.0.0.0/", "::1/129", "1.2.3.4,", "a b"])(
  "TRUST_PROXY=%s is refused",
  (value) => expect(readTrust(value)).toBeUndefined(),
);

test("which of two public addresses was meant is told by a trusted proxy alone, and https asks to stay with it", async () => {
  const publicOrigins = ["http://parley.example.com", "https://parley.example.com"];
  const ask = async (url: string, headers: string) => {
    const {
      status,
      body,
      headers: answered,
    } = await sendRaw(
      url,
      `GET /AGENTS.md HTTP/1.1\r\nHost: parley.example.com\r\nConnection: close\r\n${headers}\r\n`,
    );
    expect(status).toBe(200);
    return [/(https?):\/\/parley\.example\.com\/mcp/.exec(body)?.[1], answered["strict-transport-security"]];
  };
  const behind = await startTestServer({ publicOrigins, trustProxy: readTrust("loopback") as Trust });
  expect(await ask(behind.url, "")).toEqual(["http", undefined]);
  expect(await ask(behind.url, "X-Forwarded-Proto: https\r\n")).toEqual(["https", "max-age=31536000"]);
  expect(await ask(behind.url, "X-Forwarded-Proto: gopher\r\n")).toEqual(["http", undefined]);
  expect((await fetch(`${behind.url}/livez`)).headers.get("strict-transport-security")).toBeNull();
  await behind.stop();
  const alone = await startTestServer({ publicOrigins });
  expect(await ask(alone.url, "X-Forwarded-Proto: https\r\n")).toEqual(["http", undefined]);
  await alone.stop();
  const secure = await startTestServer({ publicOrigins: ["https://parley.example.com"] });
  expect(await ask(secure.url, "")).toEqual(["https", "max-age=31536000"]);
  await secure.stop();
});
