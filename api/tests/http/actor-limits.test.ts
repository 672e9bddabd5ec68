import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import WebSocket from "ws";
import { callTool, connect } from "../../../mcp/tests/client.ts";
import { bearer, makeKey, signIn } from "../../../testing/access.ts";
import { metric } from "../../../testing/faults.ts";
import { startTestServer, type Team, type TestServer, until } from "../../../testing/server.ts";
import { readTrust, type Trust } from "../../http/client-address.ts";
import { DEFAULT_LIMITS } from "../../http/limits.ts";

let parley: TestServer;
beforeAll(async () => {
  const limits = { ...DEFAULT_LIMITS, waits: 2, sockets: 2, subscriptions: 2 };
  // Behind a proxy that is trusted, so that every call can come from another address.
  parley = await startTestServer({ limits, trustProxy: readTrust("loopback") as Trust });
});
afterAll(() => parley.stop());

let addresses = 0;
const fromAnywhere = () => ({ "x-forwarded-for": `192.0.2.${++addresses}` });
const refused = {
  status: 429,
  body: { error: { code: "rate_limited", details: { retry_after_seconds: 5, hint: expect.any(String) } } },
};

test("calls that wait are bounded per team, wherever they come from, and what ends makes room", async () => {
  const alex = await parley.create();
  const blue = await parley.join(alex);
  const gone = new AbortController();
  const wait = (team: Team, timeout: number) =>
    parley.wait(team, { since_cursor: 1, timeout }, {
      headers: fromAnywhere(),
      signal: timeout ? gone.signal : undefined,
    } as RequestInit);
  const held = [wait(alex, 30), wait(alex, 30)].map((answer) => answer.catch(() => undefined));
  await until(async () => (await metric(parley.url, "parley_waiting_calls")) === 2, "two waits to be held");

  const answer = await wait(alex, 0);
  expect(answer).toMatchObject(refused);
  expect(answer.headers.get("retry-after")).toBe("5");
  expect(answer.body.error.message).toBe("Your team has too many calls that wait open.");
  const claim = await parley.post(`/sessions/${alex.ref}/tasks/claim`, {}, alex, { headers: fromAnywhere() });
  expect(claim).toMatchObject(refused);
  const mcp = await connect(parley);
  const given = { session_id: alex.ref, team_id: alex.team_id, timeout: 0 };
  const { isError, text } = await callTool(mcp, "wait_for_messages", given);
  expect([isError, JSON.parse(text)]).toMatchObject([true, refused.body]);
  await mcp.close();

  // Another team of the session, and what does not wait, are not concerned.
  expect((await wait(blue, 0)).status).toBe(200);
  expect(await parley.say(alex, "I am still here.")).toMatchObject({ cursor: 2 });
  gone.abort();
  await Promise.all(held);
  await until(async () => (await wait(alex, 0)).status === 200, "room for another wait");
});

async function open(headers: Record<string, string>, payload: Record<string, string> = {}) {
  const socket = new WebSocket(`${parley.url.replace("http", "ws")}/graphql`, "graphql-transport-ws", {
    headers: { ...headers, ...fromAnywhere() },
  });
  const answered = await Promise.race([
    once(socket, "open").then(() => 101),
    once(socket, "unexpected-response").then(([, response]) => [response.statusCode, response.headers["retry-after"]]),
  ]);
  if (answered !== 101) return { socket, answered };
  const greeted = Promise.race([
    once(socket, "message").then(([data]) => JSON.parse(String(data)).type as string),
    once(socket, "close").then(([code, reason]) => [code, String(reason)]),
  ]);
  socket.send(JSON.stringify({ type: "connection_init", payload }));
  return { socket, answered: await greeted };
}

test("WebSockets are bounded per person, per team and, ten times as many, per key", async () => {
  const person = await signIn(parley, "Ada");
  const team = await parley.create();
  const key = await makeKey(parley, ["read", "team"]);
  const opened: WebSocket[] = [];
  const fill = async (most: number, headers: Record<string, string>, payload?: Record<string, string>) => {
    for (let n = 0; n < most; n++) {
      const { socket, answered } = await open(headers, payload);
      expect(answered).toBe("connection_ack");
      opened.push(socket);
    }
    return (await open(headers, payload)).answered;
  };
  const { "content-type": _, ...asPerson } = person.headers;
  expect(await fill(2, asPerson)).toEqual([429, "5"]);
  expect(await fill(2, { "x-team-id": team.team_id })).toEqual([429, "5"]);
  // As a parameter of the connection it is known only once the socket is open.
  const other = await parley.join(team);
  expect(await fill(2, {}, { "x-team-id": other.team_id })).toEqual([4429, "rate_limited"]);
  expect(await fill(20, bearer(key))).toEqual([429, "5"]);
  opened[0]?.close();
  await until(async () => (await open(asPerson)).answered === "connection_ack", "room for another socket");
  for (const socket of opened) socket.close();
});

test("subscriptions are bounded per team, over all of its sockets, and one that completes makes room", async () => {
  const team = await parley.create();
  const subscribe = async (socket: WebSocket, id: string) => {
    const answer = new Promise<string>((resolve) => {
      const listen = (data: unknown) => {
        const { id: about, type, payload } = JSON.parse(String(data));
        if (about !== id) return;
        socket.off("message", listen);
        const refusal = payload?.errors?.[0] ?? payload?.[0];
        resolve(refusal ? refusal.extensions.code : type);
      };
      socket.on("message", listen);
    });
    const query = `subscription { sessionFeed(sessionId: "${team.ref}") { session { ref } } }`;
    socket.send(JSON.stringify({ id, type: "subscribe", payload: { query } }));
    return answer;
  };
  const [first, second] = [
    (await open({ "x-team-id": team.team_id })).socket,
    (await open({ "x-team-id": team.team_id })).socket,
  ];
  expect([await subscribe(first, "a"), await subscribe(second, "b")]).toEqual(["next", "next"]);
  expect(await subscribe(second, "c")).toBe("rate_limited");
  first.send(JSON.stringify({ id: "a", type: "complete" }));
  let tries = 0;
  await until(async () => (await subscribe(second, `again ${tries++}`)) === "next", "room for another subscription");
  for (const socket of [first, second]) socket.close();
});
