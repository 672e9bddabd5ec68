import { createECDH, randomBytes } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { signIn } from "../../../testing/people.ts";
import { connected } from "../../../testing/postgres.ts";
import { startTestServer, type TestServer, until } from "../../../testing/server.ts";
import { isPublic } from "../../push/addresses.ts";
import { pushKeys, sendPushes } from "../../push/send.ts";

interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

let parley: TestServer;
let service: Server;
let received: Received[] = [];
beforeAll(async () => {
  parley = await startTestServer();
  service = createServer((req, res) => {
    const parts: Buffer[] = [];
    req.on("data", (part) => parts.push(part));
    req.on("end", () => {
      received.push({ path: req.url ?? "", headers: req.headers, body: Buffer.concat(parts) });
      if (req.url === "/drip") return drip(req.socket);
      if (req.url === "/flood") return flood(res.writeHead(201));
      res.writeHead(req.url === "/gone" ? 410 : 201).end();
    });
  });
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  service.close();
  await parley.stop();
});

/** A header that never ends, and is never silent. */
function drip(socket: Socket) {
  socket.write("HTTP/1.1 201 Created\r\nx-slow: ");
  const timer = setInterval(() => socket.write("a"), 200);
  socket.once("close", () => clearInterval(timer));
}
let flooding = 0;
/** An answer that never ends. */
function flood(res: ServerResponse) {
  flooding++;
  const pour = () => {
    while (!res.destroyed && res.write(Buffer.alloc(65_536)));
  };
  res.on("drain", pour).once("close", () => flooding--);
  pour();
}

const asWorker = <T>(work: (query: Parameters<typeof sendPushes>[0]) => Promise<T>) =>
  connected(parley.database.url("parley_worker"), (client) =>
    work((text, values) => client.query(text, values) as never),
  );
const sql = (text: string, values: unknown[] = []) =>
  connected(parley.database.url("parley_owner"), async (client) => (await client.query(text, values)).rows);
const browserKeys = () => {
  const keys = createECDH("prime256v1");
  keys.generateKeys();
  return { p256dh: keys.getPublicKey("base64url"), auth: randomBytes(16).toString("base64url") };
};
/** As the page does it; to this machine only by hand, since no page may. */
async function subscribe(user: string, name: string) {
  const { p256dh, auth } = browserKeys();
  const { port } = service.address() as AddressInfo;
  await sql("insert into parley_private.push_subscriptions (endpoint, user_id, p256dh, auth) values ($1, $2, $3, $4)", [
    `http://127.0.0.1:${port}/${name}`,
    user,
    p256dh,
    auth,
  ]);
}
const send = () => {
  received = [];
  return asWorker((query) => sendPushes(query, { mayReachLoopback: true })).then(() => received);
};

test("who is asked is notified once, and only they; nothing of what was said goes out, and a browser that is gone is forgotten", async () => {
  const [ada, grace] = [await signIn(parley, "member", "Ada"), await signIn(parley, "member", "Grace")];
  await subscribe(ada.id, "ada");
  await subscribe(grace.id, "gone");
  const alex = await parley.create("Alex's Team", "A secret title");
  await parley.post(`/sessions/${alex.ref}/messages`, { content: "nothing to answer" }, alex);
  expect(await send()).toEqual([]);

  const speak = (headers: Record<string, string>) =>
    fetch(`${parley.url}/api/sessions/${alex.ref}/messages`, {
      method: "POST",
      headers,
      body: JSON.stringify({ content: "Here." }),
    });
  await speak(ada.headers);
  const question = { content: "secret words for Ada", kind: "question", expects_reply: true, to: ["ada"] };
  expect((await parley.post(`/sessions/${alex.ref}/messages`, question, alex)).status).toBe(200);
  const [only, ...others] = await send();
  expect(others).toEqual([]);
  expect(only?.path).toBe("/ada");
  expect(only?.headers).toMatchObject({ "content-encoding": "aes128gcm", urgency: "high" });
  expect(only?.headers.authorization).toContain((await asWorker(pushKeys)).publicKey);
  expect(only?.body.length).toBeLessThan(200);
  expect(await send()).toEqual([]);

  await parley.post(`/sessions/${alex.ref}/ask`, { question: "Ship it?" }, alex);
  expect((await send()).map(({ path }) => path).sort()).toEqual(["/ada", "/gone"]);
  const left = (await sql("select endpoint from parley_private.push_subscriptions")) as { endpoint: string }[];
  expect(left.map(({ endpoint }) => endpoint.split("/").at(-1))).toEqual(["ada"]);
});

test("a person says of which kinds, in general and in a session; what they do not want is not sent", async () => {
  const linus = await signIn(parley, "member", "Linus");
  await sql("delete from parley_private.push_subscriptions");
  await subscribe(linus.id, "linus");
  await send();
  const ask = async (query: string) => {
    const init = { method: "POST", headers: linus.headers, body: JSON.stringify({ query }) };
    return (await (await fetch(`${parley.url}/graphql`, init)).json()) as {
      data: Record<string, unknown>;
      errors?: { extensions: { code: string } }[];
    };
  };
  const [loud, quiet] = [await parley.create("Alex's Team", "Loud"), await parley.create("Alex's Team", "Quiet")];
  await ask(`mutation { notifyMe(input: { kinds: ["blocker"] }) { result } }`);
  await ask(`mutation { notifyMe(input: { kinds: [], sessionId: "${quiet.ref}" }) { result } }`);
  expect((await ask(`{ a: myNotices b: myNotices(sessionId: "${quiet.ref}") }`)).data).toEqual({
    a: ["blocker"],
    b: [],
  });
  for (const team of [loud, quiet]) {
    await parley.post(`/sessions/${team.ref}/messages`, { content: "Stuck", kind: "blocker" }, team);
    await parley.post(`/sessions/${team.ref}/ask`, { question: "Well?" }, team);
  }
  expect((await send()).map(({ path }) => path)).toEqual(["/linus"]);

  const { p256dh, auth } = browserKeys();
  for (const endpoint of [
    "http://push.example.com/x",
    "https://127.0.0.1/x",
    "https://localhost/x",
    "https://10.0.0.1:8080/x",
    "file:///etc/passwd",
  ]) {
    const { errors } = await ask(
      `mutation { subscribePush(input: { endpoint: "${endpoint}", p256Dh: "${p256dh}", auth: "${auth}" }) { result } }`,
    );
    expect(errors?.[0]?.extensions.code, endpoint).toBe("invalid_argument");
  }
});

test("a push service that never comes to an end, and a browser whose keys are none, keep nothing from the others", async () => {
  await sql("delete from parley_private.push_subscriptions");
  const ken = await signIn(parley, "member", "Ken");
  for (const name of ["drip", "flood", "broken", "good"]) await subscribe(ken.id, name);
  // As long as a key is, but no point of the curve.
  await sql("update parley_private.push_subscriptions set p256dh = $1 where endpoint like '%/broken'", [
    "B".repeat(87),
  ]);
  const team = await parley.create();
  await parley.post(`/sessions/${team.ref}/ask`, { question: "Well?" }, team);
  expect(new Set((await send()).map(({ path }) => path))).toEqual(new Set(["/drip", "/flood", "/good"]));
  await until(() => flooding === 0, "the flood to be cut off");
  const left = (await sql("select endpoint from parley_private.push_subscriptions")) as { endpoint: string }[];
  expect(left.map(({ endpoint }) => endpoint.split("/").at(-1)).sort()).toEqual(["drip", "flood", "good"]);
});

test("however much comes in a session at once, its people are called there once; what a round cannot take is told in the next", async () => {
  await sql("delete from parley_private.push_subscriptions");
  const leo = await signIn(parley, "member", "Leo");
  await subscribe(leo.id, "leo");
  await send();
  const teams = [await parley.create(), await parley.create(), await parley.create()];
  for (const team of teams)
    for (const question of ["One?", "Two?", "Three?"])
      await parley.post(`/sessions/${team.ref}/ask`, { question }, team);
  const round = () =>
    asWorker(async (query) => (await query<{ path: string }>("select path from parley_private.take_pushes(2)")).rows);
  const paths = [await round(), await round(), await round()].map((rows) => rows.map(({ path }) => path));
  expect(paths.map((called) => called.length)).toEqual([2, 1, 0]);
  expect(paths.flat().sort()).toEqual(teams.map(({ ref }) => `/s/${ref}#3`).sort());
});

test("no address of a network of ours is a push service", () => {
  const ours = [
    "127.0.0.1",
    "10.1.2.3",
    "172.20.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "0.0.0.0",
    "::1",
    "fe80::1",
    "fd00::1",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "::127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b:1::a00:1",
    "2002:7f00:1::",
    "2001:0:7f00:1::",
    "fec0::1",
  ];
  expect(ours.filter(isPublic)).toEqual([]);
  expect(["142.250.185.78", "2a00:1450:4001:82a::200e"].filter(isPublic)).toHaveLength(2);
});
