import { once } from "node:events";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { bearer, makeKey } from "../../../testing/access.ts";
import { startTestServer, type TestServer } from "../../../testing/server.ts";
import { type Hop, tryLink } from "../../http/connection-test.ts";

let parley: TestServer;
beforeAll(async () => {
  parley = await startTestServer();
});
afterAll(() => parley.stop());

async function listening(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Passes calls on as a proxy would; upgrades only if it is told to. A hasty one lets nobody wait. */
async function proxy({ upgrades = false, hasty = false, host = "" } = {}) {
  const { port } = parley.server;
  const own = () => ({ host: host || `127.0.0.1:${port}` });
  const server = createServer((req, res) => {
    if (hasty && req.url?.includes("wait")) return void res.writeHead(504).end();
    const onward = request(
      { port, path: req.url, method: req.method, headers: { ...req.headers, ...own() } },
      (answer) => {
        res.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(res);
      },
    );
    onward.on("error", () => res.destroy());
    req.pipe(onward);
  });
  if (upgrades)
    server.on("upgrade", (req, socket) => {
      const headers = { ...req.headers, ...own(), origin: `http://127.0.0.1:${port}` };
      request({ port, path: req.url, headers })
        .on("upgrade", (answer, back) => {
          const lines = Object.entries(answer.headers).map(([name, value]) => `${name}: ${value}`);
          socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join("\r\n")}\r\n\r\n`);
          back.pipe(socket).pipe(back);
          back.on("error", () => socket.destroy());
        })
        .end();
    });
  return listening(server);
}

async function tried(link: string) {
  const hops: Hop[] = [];
  for await (const hop of tryLink(link, { waitSeconds: 1 })) hops.push(hop);
  return { ok: hops.filter(({ ok }) => ok).map(({ hop }) => hop), failed: hops.find(({ ok }) => !ok) };
}

test("a link that works is said to work, hop by hop, to the end of a wait", async () => {
  const all = ["name", "server", "link", "sockets", "wait"];
  expect(await tried(`${parley.url}/mcp`)).toEqual({ ok: all, failed: undefined });
  expect(await tried(`${await proxy({ upgrades: true })}/mcp`)).toEqual({ ok: all, failed: undefined });
});

test("the hop that fails is named, with what to do about it", async () => {
  expect((await tried("http://nowhere.invalid/mcp")).failed).toMatchObject({
    hop: "name",
    said: "Nobody knows the name nowhere.invalid.",
  });
  const free = createServer();
  const closed = await listening(free);
  free.close();
  await once(free, "close");
  expect((await tried(`${closed}/mcp`)).failed).toMatchObject({ hop: "server", said: /^Nothing listens at 127/ });
  const other = await listening(createServer((_req, res) => res.end("It works!")));
  expect((await tried(`${other}/mcp`)).failed).toMatchObject({ hop: "server", said: /^Something else answers there/ });
  const lost = await listening(createServer((_req, res) => res.writeHead(502).end()));
  expect((await tried(`${lost}/mcp`)).failed).toMatchObject({ hop: "server", said: /does not reach this server/ });
  const foreign = await proxy({ host: "parley.example.com" });
  expect((await tried(`${foreign}/mcp`)).failed).toMatchObject({ hop: "server", todo: /PUBLIC_URL=http:\/\/127/ });
  expect((await tried(`${parley.url}/api/openapi.json`)).failed).toMatchObject({ hop: "server" });
  expect((await tried(await proxy())).failed).toMatchObject({ hop: "link", todo: /\/mcp\.$/ });
  expect((await tried(`${await proxy()}/mcp`)).failed).toMatchObject({ hop: "sockets", todo: /Upgrade/ });
  const hasty = await tried(`${await proxy({ upgrades: true, hasty: true })}/mcp`);
  expect(hasty.failed).toMatchObject({ hop: "wait", said: /cut off after \d+ seconds/, todo: /60 seconds/ });
});

test("it is for who may change the link: on this machine, or with the scope admin", async () => {
  const elsewhere = { "x-forwarded-for": "203.0.113.7" };
  const ask = async (url: string, headers: Record<string, string>) => {
    const gone = new AbortController();
    const answer = await fetch(`${url}/connection-test`, { method: "POST", headers, signal: gone.signal });
    const first = await answer.body?.pipeThrough(new TextDecoderStream()).getReader().read();
    gone.abort();
    return [answer.status, JSON.parse(first?.value?.split("\n")[0] ?? "")];
  };
  expect(await ask(parley.url, {})).toMatchObject([200, { hop: "name", ok: true }]);
  expect(await ask(parley.url, elsewhere)).toMatchObject([403, { error: { code: "forbidden" } }]);
  expect((await fetch(`${parley.url}/connection-test`)).status).toBe(405);

  const guarded = await startTestServer({ access: "keys" });
  onTestFinished(() => guarded.stop());
  expect(await ask(guarded.url, {})).toMatchObject([403, {}]);
  expect(await ask(guarded.url, bearer(await makeKey(guarded, ["read", "team"])))).toMatchObject([403, {}]);
  expect(await ask(guarded.url, bearer(await makeKey(guarded, ["admin"])))).toMatchObject([200, { ok: true }]);
});
