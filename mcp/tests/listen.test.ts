import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import type { Client } from "@modelcontextprotocol/client";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { metric } from "../../testing/faults.ts";
import { connected } from "../../testing/postgres.ts";
import { startTestServer, type TestServer, until } from "../../testing/server.ts";
import { connectModern } from "./client.ts";

let parley: TestServer;
let replica: TestServer;
const clients: Client[] = [];
const open: (() => void)[] = [];
beforeAll(async () => {
  parley = await startTestServer();
  replica = await startTestServer({ database: parley.database });
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  for (const end of open.splice(0)) end();
});
afterAll(async () => {
  await replica.stop();
  await parley.stop();
});

/** A client, and the methods and addresses of what it was told. */
async function connect(server = parley) {
  const client = await connectModern(server);
  clients.push(client);
  const heard: string[] = [];
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => void heard.push(params.uri));
  client.setNotificationHandler("notifications/tools/list_changed", () => void heard.push("tools"));
  client.setNotificationHandler("notifications/resources/list_changed", () => void heard.push("resources"));
  return { client, heard };
}

/** Its id, which comes with every notification, is long enough to fill what the system keeps for a connection. */
async function listenWithoutReading(uri: string) {
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id: "x".repeat(100_000),
    method: "subscriptions/listen",
    params: {
      notifications: { resourceSubscriptions: [uri] },
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    },
  });
  const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "subscriptions/listen" };
  const sent = request(`${parley.url}/mcp`, { method: "POST", headers }).end(body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  expect(response.statusCode).toBe(200);
  return {
    /** Begins to read, and counts. */
    read() {
      let told = 0;
      response.setEncoding("utf8").on("data", (text: string) => {
        told += text.split('"notifications/resources/updated"').length - 1;
      });
      response.on("error", () => undefined);
      open.push(() => sent.destroy());
      return () => told;
    },
  };
}

describe("a client that listens", () => {
  test("reads the tasks of a session, and hears when one is added, taken or done", async () => {
    const alex = await parley.create();
    const uri = `parley://sessions/${alex.ref}/tasks`;
    const { client, heard } = await connect();
    await client.listen({ resourceSubscriptions: [uri] });
    const read = async () => JSON.parse(((await client.readResource({ uri })).contents[0] as { text: string }).text);
    expect(await read()).toEqual({ tasks: [], work: null });
    const changes: [string, object][] = [
      ["tasks", { tasks: ["One", { title: "Two", depends_on: ["+1"] }] }],
      ["tasks/claim", {}],
      ["tasks/1", { status: "done", result: "Done." }],
    ];
    for (const [n, [path, body]] of changes.entries()) {
      expect((await parley.post(`/sessions/${alex.ref}/${path}`, body, alex)).status).toBe(200);
      await until(() => heard.length > n, `the news of ${path}`);
    }
    expect(await read()).toMatchObject({
      tasks: [
        { task: 1, status: "done", proof: "reported" },
        { task: 2, status: "open", blocked_by: [] },
      ],
      work: { open: 1, done: 1 },
    });
    expect(new Set(heard)).toEqual(new Set([uri]));
  });

  test("is told once of what changes over and over in one moment, and of what comes later again", async () => {
    const alex = await parley.create();
    const uri = `parley://sessions/${alex.ref}/feed`;
    const { client, heard } = await connect();
    await client.listen({ resourceSubscriptions: [uri] });
    for (let change = 0; change < 100; change++) parley.server.events.announce([`feed ${alex.session_id}`]);
    await until(() => heard.length >= 2, "the first change, and the others");
    expect(heard.length).toBeLessThan(10);
    const before = heard.length;
    await until(async () => (await parley.say(alex, "later")) && heard.length > before, "a later change");
  });

  test("hears a post to the feed at once, and nothing of other sessions", async () => {
    const [alex, other] = [await parley.create(), await parley.create()];
    const uri = `parley://sessions/${alex.ref}/feed`;
    const { client, heard } = await connect();
    const { honoredFilter } = await client.listen({ resourceSubscriptions: [uri] });
    expect(honoredFilter).toEqual({ resourceSubscriptions: [uri] });
    await parley.say(other, "elsewhere");
    await parley.say(alex, "here");
    await until(() => heard.length > 0, "the post");
    const { contents } = await client.readResource({ uri });
    expect((contents[0] as { text: string }).text).toContain(": here");
    await parley.post(`/sessions/${alex.ref}/doc/append`, { text: "a note" }, alex);
    await parley.say(alex, "again");
    await until(() => heard.length > 1, "the second post");
    expect(heard).toEqual([uri, uri]);
  });

  test("hears what another replica serves", async () => {
    const alex = await parley.create();
    const uri = `parley://sessions/${alex.ref}/feed`;
    const { client, heard } = await connect(replica);
    await client.listen({ resourceSubscriptions: [uri] });
    await parley.say(alex, "from there");
    await until(() => heard.includes(uri), "the post over the other server");
  });

  test("hears the document, the roster and the session each by its own address, as it was written", async () => {
    const alex = await parley.create();
    const named = [`parley://sessions/${alex.session_id}/doc`, `parley://sessions/${alex.ref.toUpperCase()}/roster`];
    const whole = `parley://sessions/${alex.ref}`;
    const { client, heard } = await connect();
    await client.listen({ resourceSubscriptions: [...named, whole] });
    await parley.post(`/sessions/${alex.ref}/doc/append`, { text: "a note" }, alex);
    await until(() => heard.includes(named[0] as string) && heard.includes(whole), "the document");
    expect(heard).not.toContain(named[1]);
    await parley.join(alex);
    await until(() => heard.includes(named[1] as string), "the roster");
  });

  test("hears that a verb was added, and that there is a new session", async () => {
    const { client, heard } = await connect();
    await client.listen({ toolsListChanged: true, resourcesListChanged: true });
    await parley.create();
    await until(() => heard.includes("resources"), "the new session");
    expect(heard).not.toContain("tools");
    await connected(parley.database.url("parley_owner"), (db) =>
      db.query(`create function parley.extra_verb() returns text language sql stable set search_path = '' as $$ select '' $$;
        grant execute on function parley.extra_verb to parley_caller;
        comment on function parley.extra_verb is '@verb GET /extra
@who open
Nothing.'`),
    );
    await until(() => heard.includes("tools"), "the new verb");
    expect((await client.listTools({}, { cacheMode: "refresh" })).tools.map(({ name }) => name)).toContain(
      "extra_verb",
    );
  });

  test("hears a resource of a DBA by the topics that its comment names", async () => {
    await connected(parley.database.url("parley_owner"), (db) =>
      db.query(`create function parley.sizes() returns text language sql stable set search_path = '' as $$ select 'S' $$;
        create function parley.still() returns text language sql stable set search_path = '' as $$ select '-' $$;
        grant execute on function parley.sizes, parley.still to parley_caller;
        comment on function parley.sizes is '@resource parley://sizes text/plain
@topic settings
Sizes.';
        comment on function parley.still is '@resource parley://still text/plain
Never announced.'`),
    );
    const { client, heard } = await connect();
    await until(
      async () => (await client.listResources()).resources.some(({ uri }) => uri === "parley://still"),
      "the resources",
    );
    const asked = ["parley://sizes", "parley://still"];
    const { honoredFilter } = await client.listen({ resourceSubscriptions: asked });
    expect(honoredFilter).toEqual({ resourceSubscriptions: ["parley://sizes"] });
    await connected(parley.database.url(), (db) =>
      db.query("update parley.settings set value = '11' where name = 'idle_polls'"),
    );
    await until(() => heard.includes("parley://sizes"), "the setting");
  });
});

describe("a subscription", () => {
  test("to what is not there is refused as elsewhere", async () => {
    const { client } = await connect();
    const byRest = (await parley.get("/sessions/no-such-1", "pt_x")).body.error;
    await expect(client.listen({ resourceSubscriptions: ["parley://sessions/no-such-1/feed"] })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining(byRest.message),
      data: { code: "session_not_found", details: byRest.details },
    });
    await expect(client.listen({ resourceSubscriptions: ["file:///etc/passwd"] })).rejects.toThrow(/no resource at/);
    const many = Array.from({ length: 101 }, (_, i) => `parley://sessions/no-such-${i}`);
    await expect(client.listen({ resourceSubscriptions: many })).rejects.toThrow(/100 resources at most/);
  });

  test("ends with the client", async () => {
    const alex = await parley.create();
    const { client } = await connect();
    const before = await metric(parley.url, "parley_listening_streams");
    const subscription = await client.listen({ resourceSubscriptions: [`parley://sessions/${alex.ref}/feed`] });
    expect(await metric(parley.url, "parley_listening_streams")).toBe((before ?? 0) + 1);
    await subscription.close();
    await until(
      async () => (await metric(parley.url, "parley_listening_streams")) === before,
      "the stream to be forgotten",
    );
  });

  test("tells a client that did not read for a while once what happened, not as often as it happened", async () => {
    const alex = await parley.create();
    const { read } = await listenWithoutReading(`parley://sessions/${alex.ref}/feed`);
    const times = 1_000;
    for (let i = 0; i < times; i++) {
      parley.server.events.announce([`feed ${alex.session_id}`]);
      await new Promise(setImmediate);
    }
    const told = read();
    await until(() => told() > 0, "the first of them");
    let last = 0;
    await until(async () => {
      [last] = [told(), await new Promise((resolve) => setTimeout(resolve, 300))];
      return told() === last;
    }, "the last of them");
    expect(last).toBeLessThan(times / 2);
    await parley.say(alex, "after all that");
    await until(() => told() > last, "the next one");
  });

  test("ends when the server stops, which says so", async () => {
    const mine = await startTestServer();
    const alex = await mine.create();
    const { client } = await connect(mine);
    const subscription = await client.listen({ resourceSubscriptions: [`parley://sessions/${alex.ref}/feed`] });
    await mine.stop();
    expect(await subscription.closed).toBe("graceful");
  });
});
