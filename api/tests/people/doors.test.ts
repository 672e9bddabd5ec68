import { createHash } from "node:crypto";
import { createClient } from "graphql-ws";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import WebSocket from "ws";
import { connectModern } from "../../../mcp/tests/client.ts";
import { asPerson, auth, makeLink, type Person, signIn } from "../../../testing/people.ts";
import { connected } from "../../../testing/postgres.ts";
import { startTestServer, type Team, type TestServer, until } from "../../../testing/server.ts";

let parley: TestServer;
let replica: TestServer;
let owner: Person;
let team: Team;
beforeAll(async () => {
  parley = await startTestServer({ access: "keys" });
  replica = await startTestServer({ access: "keys", database: parley.database });
  owner = await signIn(parley, "owner");
  const body = { title: "T", description: "", creator_team_name: "A" };
  team = (await parley.post("/sessions", body, undefined, { headers: owner.headers })).body;
});
afterAll(async () => {
  await replica.stop();
  await parley.stop();
});

const newKey = (expires: string | null = null) =>
  connected(parley.database.url("parley_owner"), async (client) => {
    const { rows } = await client.query(
      "select secret from parley_private.admin_key('test', '{read,team}', null, $1)",
      [expires],
    );
    return rows[0].secret as string;
  });
const asOwner = (path: string, body = {}) => parley.post(path, body, undefined, { headers: owner.headers });
const revoke = (key: string) => asOwner(`/keys/${key.slice(0, 11)}/revoke`);

/** A subscription under way, and the code that its socket is closed with. */
async function watch(
  server: TestServer,
  headers: Record<string, string>,
  connectionParams: Record<string, string> = {},
) {
  class Socket extends WebSocket {
    constructor(address: string, protocols: string[]) {
      super(address, protocols, { headers });
    }
  }
  const seen: unknown[] = [];
  const closed = Promise.withResolvers<number>();
  const client = createClient({
    url: `${server.url.replace("http", "ws")}/graphql`,
    webSocketImpl: Socket,
    connectionParams,
    retryAttempts: 0,
    // The socket stays when its subscription has ended: who closes it is the question.
    lazy: false,
    onNonLazyError: () => {},
    on: { closed: (event) => closed.resolve((event as CloseEvent).code) },
  });
  const query = `subscription { sessionFeed(sessionId: "${team.ref}") { session { ref } } }`;
  client.subscribe({ query }, { next: (answer) => seen.push(answer.data), error: () => {}, complete: () => {} });
  await until(() => seen.length > 0, "the first answer");
  expect(seen[0]).toEqual({ sessionFeed: { session: { ref: team.ref } } });
  let code: number | undefined;
  closed.promise.then((given) => {
    code = given;
  });
  return { closed: closed.promise, isOpen: () => code === undefined, stop: () => client.dispose() };
}

describe("a subscription ends with 4401", () => {
  test("when its key is revoked, on every server, and those of others go on", async () => {
    const [key, other] = [await newKey(), await newKey()];
    const bearer = { authorization: `Bearer ${key}` };
    const sockets = [
      await watch(parley, bearer),
      await watch(replica, bearer),
      await watch(parley, {}, { "X-MCP-Token": key }),
      await watch(parley, {}, { authorization: `Bearer ${key}` }),
    ];
    const spared = await watch(parley, { authorization: `Bearer ${other}` });
    await revoke(key);
    expect(await Promise.all(sockets.map(({ closed }) => closed))).toEqual([4401, 4401, 4401, 4401]);
    expect(spared.isOpen()).toBe(true);
    await spared.stop();
  });

  test("when its key expires, though nobody says so", async () => {
    const key = await newKey("3s");
    const { closed } = await watch(parley, { authorization: `Bearer ${key}` });
    expect(await closed).toBe(4401);
  });

  test("when its person is removed, or signed out by an owner", async () => {
    for (const end of ["remove", "sign-out"]) {
      const person = await signIn(parley, "member");
      const sockets = [
        await watch(parley, person.headers),
        await watch(replica, { ...person.headers, origin: replica.url }),
      ];
      await asOwner(`/people/${person.id}/${end}`);
      expect(await Promise.all(sockets.map(({ closed }) => closed))).toEqual([4401, 4401]);
    }
  });

  test("when its person signs out there, and not when they do so elsewhere", async () => {
    const here = await signIn(parley, "member");
    const token = await makeLink(parley, here.name, null);
    const there = asPerson(parley, (await auth(parley, "/sign-in", { token })).setCookie);
    const [first, second] = [await watch(parley, here.headers), await watch(parley, there)];
    await auth(parley, "/sign-out", {}, here.headers);
    expect(await first.closed).toBe(4401);
    expect(second.isOpen()).toBe(true);
    await auth(parley, "/sign-out-everywhere", {}, there);
    expect(await second.closed).toBe(4401);
  });

  test("when the key of its team is revoked", async () => {
    const key = await newKey();
    const joined = await parley.post(`/sessions/${team.ref}/join`, { team_name: "B" }, undefined, {
      headers: { authorization: `Bearer ${key}` },
    });
    const { closed } = await watch(parley, { "x-team-id": joined.body.team_id });
    await revoke(key);
    expect(await closed).toBe(4401);
  });
});

test("an MCP client that listens is let go when its key is revoked, and others are not", async () => {
  const keys = [await newKey(), await newKey()] as const;
  const uri = `parley://sessions/${team.ref}/feed`;
  const listen = async (key: string) => {
    const client = await connectModern(parley, "/mcp", { authorization: `Bearer ${key}` });
    const subscription = await client.listen({ resourceSubscriptions: [uri] });
    return { client, closed: subscription.closed };
  };
  const [ended, spared] = [await listen(keys[0]), await listen(keys[1])];
  let sparedEnded = false;
  spared.closed.then(() => {
    sparedEnded = true;
  });
  await revoke(keys[0]);
  await ended.closed;
  await expect(ended.client.readResource({ uri })).rejects.toThrow(/401|nauthorized/);
  expect(sparedEnded).toBe(false);
  await Promise.all([ended.client.close(), spared.client.close()]);
});

test("a person who is removed while they wait is answered at once, and their teams end", async () => {
  const person = await signIn(parley, "member");
  const { body } = await parley.post(`/sessions/${team.ref}/join`, { team_name: "C" }, undefined, {
    headers: person.headers,
  });
  const waiting = parley.wait(body);
  await until(async () => {
    const { participants } = (await parley.get(`/sessions/${team.ref}/participants`, body)).body;
    return participants.some(({ you, listening }: { you: boolean; listening: boolean }) => you && listening);
  }, "the wait");
  await asOwner(`/people/${person.id}/remove`);
  expect((await waiting).status).toBe(401);
  expect((await parley.post(`/sessions/${team.ref}/messages`, { content: "?" }, body)).status).toBe(401);
});

test("with open access a key that has ended closes nothing: it opens nothing either", async () => {
  const key = await newKey();
  await revoke(key);
  const shown = JSON.stringify([{ key: createHash("sha256").update(key).digest("hex") }]);
  await connected(parley.database.url("parley_owner"), async (client) => {
    const closed = async (access: string) => {
      await client.query("select set_config('parley.access', $1, false)", [access]);
      return (await client.query("select parley_private.closed_doors($1) as closed", [shown])).rows[0].closed;
    };
    expect([await closed("keys"), await closed("open")]).toEqual([[1], []]);
  });
});
