import { request } from "node:http";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import WebSocket from "ws";
import { connected } from "../../../testing/postgres.ts";
import { until } from "../../../testing/server.ts";
import { startGraphQL } from "./test-client.ts";

let graphql: Awaited<ReturnType<typeof startGraphQL>>;
beforeAll(async () => {
  graphql = await startGraphQL();
});
afterAll(() => graphql?.stop());

/** Sends one frame after another, and tells what comes back, the end of it included. */
async function exchange(...frames: string[]): Promise<string[]> {
  const said: string[] = [];
  const socket = new WebSocket(graphql.socketUrl, "graphql-transport-ws");
  socket.on("open", () => socket.send(frames.shift() as string));
  socket.on("message", (text) => {
    said.push((JSON.parse(String(text)) as { type: string }).type);
    const next = frames.shift();
    if (next) socket.send(next);
    else socket.close(1000);
  });
  await new Promise<void>((resolve) => socket.on("close", (code) => resolve(void said.push(String(code)))));
  return said;
}

test("what a connection shows that is no text shows nothing; nothing that it sends is our mistake", async () => {
  const complaints = vi.spyOn(console, "error");
  for (const payload of [{ "x-team-id": { a: 1 } }, { "X-Team-ID": [[1]] }, { authorization: [1] }, { teamid: 5 }])
    expect(await exchange(JSON.stringify({ type: "connection_init", payload }))).toEqual(["connection_ack", "1000"]);
  const deep = `${"[".repeat(40_000)}${"]".repeat(40_000)}`;
  const init = '{"type":"connection_init"}';
  expect(await exchange(init, `{"type":"ping","payload":{"a":${deep}}}`)).toEqual(["connection_ack", "4400"]);
  expect(complaints).not.toHaveBeenCalled();
  complaints.mockRestore();
});

/** The status of a query that comes from an address of this machine. */
const askFrom = (localAddress: string, query: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    const sent = request(graphql.url, {
      method: "POST",
      localAddress,
      headers: { "content-type": "application/json" },
    });
    sent.on("response", (response) => resolve(response.resume().statusCode)).on("error", reject);
    sent.end(JSON.stringify({ query }));
  });

test("one who asks for more than there are connections keeps nobody else from the answer", async () => {
  await graphql.addVerb("stuck", "perform pg_catalog.pg_advisory_xact_lock_shared(7423)");
  await connected(graphql.parley.database.url(), async (client) => {
    await client.query("select pg_advisory_lock(7423)");
    const isStuck = async () =>
      (await client.query("select from pg_locks where locktype = 'advisory' and objid = 7423 and not granted"))
        .rowCount;
    let answered = 0;
    const stuck = Array.from({ length: 12 }, () => askFrom("127.0.0.1", "{ stuck }").finally(() => answered++));
    await until(isStuck, "queries that are stuck");
    expect(await askFrom("127.0.0.2", "{ sessions(first: 1) { nodes { ref } } }")).toBe(200);
    expect(answered).toBe(0);
    await client.query("select pg_advisory_unlock(7423)");
    await Promise.all(stuck);
  });
});
