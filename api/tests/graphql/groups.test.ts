import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import WebSocket from "ws";
import { until } from "../../../testing/server.ts";
import { transactions } from "../../../testing/transactions.ts";
import { type Answer, type GraphQLTestServer, POST, startGraphQL } from "./test-client.ts";

let server: GraphQLTestServer;
beforeAll(async () => {
  server = await startGraphQL();
  await Promise.all([
    probe("integer", "1"),
    server.sql(`
      create function parley.sessions_slowly(session parley.sessions) returns text
      language plpgsql stable set search_path = '' as $f$
      begin perform pg_advisory_xact_lock_shared(99), pg_sleep(0.5); return 'slowly'; end $f$;
      grant execute on function parley.sessions_slowly to parley_caller`),
  ]);
  // Each is there once the server has looked; who waits for both waits once.
  await Promise.all([
    server.addVerb("whose", "return coalesce(nullif(current_setting('parley.team_hash', true), ''), 'nobody')"),
    server.addVerb("brittle", "if exists (select from parley.sessions where title = 'bad') then raise 'x'; end if"),
  ]);
});
afterAll(() => server.stop());

const FEED = `subscription ($id: String!) {
  sessionFeed(sessionId: $id) { session { lastSequence messages(last: 1) { nodes { content postedBy { handle } } } } }
}`;
const sequenceOf = ({ data }: Answer): number => data.sessionFeed.session.lastSequence;

/** A column that is computed, as a DBA would add it. */
const probe = (type: string, value: string) =>
  server.sql(`
    drop function if exists parley.sessions_probe(parley.sessions);
    create function parley.sessions_probe(session parley.sessions) returns ${type}
    language sql stable set search_path = '' as $f$ select ${value} $f$;
    grant execute on function parley.sessions_probe to parley_caller`);

interface Session {
  ref: string;
  teamId: string;
}
const post = async ({ ref, teamId }: Session, text = "x"): Promise<number> =>
  (await server.ask(POST, { id: ref, text }, teamId)).data.postMessage.result.cursor;

/** As many pages as that, each with a socket of its own. */
function open(count: number, query: string, variables: Record<string, unknown> = {}, params = {}) {
  const clients = Array.from({ length: count }, () => server.connect(params));
  const subscriptions = clients.map(({ subscribe }) => subscribe(query, variables));
  return {
    next: () => Promise.all(subscriptions.map(({ next }) => next())),
    close: () => Promise.all(clients.map(({ close }) => close())),
  };
}

test("a post is read once for a hundred subscribers, and each is shown each post", async () => {
  const session = await server.createSession();
  const pages = open(100, FEED, { id: session.ref });
  expect(new Set((await pages.next()).map(sequenceOf))).toEqual(new Set([0]));
  const before = transactions();
  for (let sequence = 1; sequence <= 10; sequence++) {
    await post(session, `message ${sequence}`);
    const nodes = [{ content: { text: `message ${sequence}` }, postedBy: { handle: "alexs-team" } }];
    const shown = { lastSequence: sequence, messages: { nodes } };
    for (const { data } of await pages.next()) expect(data.sessionFeed.session).toEqual(shown);
  }
  expect(transactions() - before).toBeLessThanOrEqual(8 * 10);
  await pages.close();
});

test("subscribers that come together are read for together, spaces and names that do not matter aside", async () => {
  const session = await server.createSession();
  const before = transactions();
  const [pages, scripts] = [
    open(50, FEED, { id: session.ref }),
    open(50, `# a script\n${FEED.replaceAll(/\s+/g, " ")}`, { id: session.ref, unused: 1 }),
  ];
  await Promise.all([pages.next(), scripts.next()]);
  // Each by itself takes two.
  expect(transactions() - before).toBeLessThan(100);
  await Promise.all([pages.close(), scripts.close()]);
});

test("many listen as one, and who leaves last ends it", async () => {
  const { sessionId, ref, teamId } = await server.createSession();
  const { events } = server.parley.server;
  const subscribe = events.subscribe.bind(events);
  const listening = new Set<() => void>();
  events.subscribe = (topic, listener) => {
    const stop = subscribe(topic, listener);
    if (topic === `feed ${sessionId}`) listening.add(stop);
    return () => {
      listening.delete(stop);
      stop();
    };
  };
  const [first, second] = [open(5, FEED, { id: ref }), open(5, FEED, { id: ref })];
  await Promise.all([first.next(), second.next()]);
  expect(listening.size).toBe(1);
  await first.close();
  await post({ ref, teamId });
  await second.next();
  expect(listening.size).toBe(1);
  await second.close();
  await until(() => listening.size === 0, "nobody to listen any more");
  events.subscribe = subscribe;
});

test("who comes while others are being read for is shown nothing that was read before", async () => {
  const session = await server.createSession();
  const query = "subscription ($id: String!) { sessionFeed(sessionId: $id) { session { lastSequence slowly } } }";
  const early = open(1, query, { id: session.ref });
  const shown = early.next();
  const reading = "select from pg_locks where locktype = 'advisory' and objid = 99";
  await until(async () => (await server.sql(reading)).rowCount, "the reading to begin");
  await post(session);
  const late = open(2, query, { id: session.ref });
  expect((await late.next()).map(sequenceOf)).toEqual([1, 1]);
  expect((await shown).map(sequenceOf)).toEqual([0]);
  expect((await early.next()).map(sequenceOf)).toEqual([1]);
  await Promise.all([early.close(), late.close()]);
});

test("who comes later need not wait for news, and is none to the others", async () => {
  // Nothing looks by itself whether a call has arrived.
  const query = "subscription { callArrived { query { __typename } } }";
  const early = open(2, query);
  await early.next();
  let told = false;
  const news = early.next().then(() => {
    told = true;
  });
  const late = open(2, query);
  await late.next();
  expect(told).toBe(false);
  await server.parley.get("/sessions");
  await Promise.all([news, late.next()]);
  await Promise.all([early.close(), late.close()]);
});

test("who begins to wait for a call right after one is told of the next, however soon it comes", async () => {
  await server.parley.get("/sessions");
  const page = open(1, "subscription { callArrived { query { __typename } } }");
  await page.next();
  await server.parley.get("/sessions");
  await page.next();
  await page.close();
});

test("each caller is told what it may know, however many ask the same", async () => {
  const sessions = await Promise.all([server.createSession(), server.createSession()]);
  const query = "subscription { sessionList { query { whose } } }";
  const callers = [{}, ...sessions.map(({ teamId }) => ({ "X-Team-ID": teamId }))];
  const pages = callers.map((params) => open(3, query, {}, params));
  const seen = async () =>
    (await Promise.all(pages.map(({ next }) => next()))).map((answers) => {
      const names = new Set(answers.map(({ data }) => data.sessionList.query.whose as string));
      expect(names.size).toBe(1);
      return [...names][0];
    });
  const first = await seen();
  expect([new Set(first).size, first[0]]).toEqual([3, "nobody"]);
  await post(sessions[0]);
  expect(await seen()).toEqual(first);
  await Promise.all(pages.map(({ close }) => close()));
});

test("other variables are another question, and one that is left out is not one that is null", async () => {
  const [a, b] = await Promise.all([server.sessionWithMessages(3), server.sessionWithMessages(2)]);
  const query = `subscription ($id: String!, $n: Int = 1) {
    sessionFeed(sessionId: $id) { session { messages(first: $n) { nodes { sequence } } } }
  }`;
  const asked = [{ id: a.ref }, { id: a.ref, n: 2 }, { id: a.ref, n: null }, { id: b.ref }, { id: b.ref, n: null }];
  const pages = asked.map((variables) => open(2, query, variables));
  const counts = async () =>
    (await Promise.all(pages.map(({ next }) => next()))).map((answers) =>
      answers.map(({ data }) => data.sessionFeed.session.messages.nodes.length),
    );
  expect(await counts()).toEqual([1, 2, 3, 1, 2].map((count) => [count, count]));
  await Promise.all([post(a), post(b)]);
  expect(await counts()).toEqual([1, 2, 4, 1, 3].map((count) => [count, count]));
  await Promise.all(pages.map(({ close }) => close()));
});

test("of several operations in a document each is a question of its own", async () => {
  const session = await server.sessionWithMessages(1);
  const query = `
    subscription a { sessionFeed(sessionId: "${session.ref}") { session { lastSequence } } }
    subscription b { sessionFeed(sessionId: "${session.ref}") { session { title } } }`;
  const socket = await openSocket();
  const seen: Record<string, unknown> = {};
  socket.on("message", (data) => {
    const { id, payload } = JSON.parse(String(data));
    if (id) seen[id] = payload.data?.sessionFeed.session;
  });
  for (const operationName of ["a", "b"])
    socket.send(JSON.stringify({ id: operationName, type: "subscribe", payload: { query, operationName } }));
  await until(() => Object.keys(seen).length === 2, "both to be answered");
  expect(seen).toEqual({ a: { lastSequence: 1 }, b: { title: "A session" } });
  socket.terminate();
});

test("come and go as they may while posts run, all see what was posted before they came, in order, to the end", async () => {
  const session = await server.createSession();
  const stayers = Array.from({ length: 5 }, () => watch(session));
  let [posted, rounds, posting] = [0, 0, true];
  const poster = (async () => {
    while (posting) posted = await post(session);
  })();

  const comeAndGo = async () => {
    const { close, subscribe } = server.connect();
    while (rounds++ < 200) {
      const before = posted;
      const { next, stop } = subscribe(FEED, { id: session.ref });
      let seen = sequenceOf(await next());
      expect(seen).toBeGreaterThanOrEqual(before);
      for (let more = rounds % 3; more > 0; more--) {
        const then = sequenceOf(await next());
        expect(then).toBeGreaterThanOrEqual(seen);
        seen = then;
      }
      await stop();
    }
    await close();
  };
  await Promise.all(Array.from({ length: 10 }, comeAndGo));
  posting = false;
  await poster;
  await until(() => stayers.every(({ seen }) => seen.at(-1) === posted), "all to have seen the last post");
  for (const { seen, close } of stayers) {
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    await close();
  }
});

test("a reader that stands still holds up nobody, and is shown only the newest when it goes on", async () => {
  const session = await server.createSession();
  const query =
    "subscription ($id: String!) { sessionDoc(sessionId: $id) { session { sessionDocVersion sessionDoc } } }";
  const versionOf = ({ data }: Answer): number => data.sessionDoc.session.sessionDocVersion;
  const slow = await openSocket();
  const versions: number[] = [];
  slow.on("message", (data) => versions.push(versionOf(JSON.parse(String(data)).payload)));
  slow.send(JSON.stringify({ id: "1", type: "subscribe", payload: { query, variables: { id: session.ref } } }));
  await until(() => versions.length === 1, "the first version");
  slow.pause();

  const pages = open(3, query, { id: session.ref });
  await pages.next();
  const write = `mutation ($id: String!, $text: String!, $version: Int!) {
    updateSessionDoc(input: { sessionId: $id, content: $text, expectedVersion: $version }) { result { version } }
  }`;
  for (let version = 0; version < 15; version++) {
    const text = String(version % 10).repeat(1_000_000);
    expect((await server.ask(write, { id: session.ref, text, version }, session.teamId)).status).toBe(200);
    expect((await pages.next()).map(versionOf)).toEqual([version + 1, version + 1, version + 1]);
  }
  slow.resume();
  await until(() => versions.at(-1) === 15, "the newest version");
  expect(versions.length).toBeLessThan(15);
  slow.terminate();
  await pages.close();
}, 60_000);

test("what goes wrong is told to each, and the next tick is as good as any", async () => {
  const { ref, teamId } = await server.createSession();
  const pages = open(5, "subscription { sessionList { query { brittle } } }");
  const entitle = (title: string) =>
    server.ask(
      `mutation ($id: String!, $title: String!) {
        updateSessionMetadata(input: { sessionId: $id, title: $title, reason: "r" }) { result { title } }
      }`,
      { id: ref, title },
      teamId,
    );
  const seen = async () =>
    (await pages.next()).map(({ data, errors }) => errors?.[0]?.extensions.code ?? data.sessionList.query.brittle);
  // The list has other news too.
  const untilAll = async (what: string) => {
    while ((await seen()).some((one) => one !== what));
  };
  await untilAll("done");
  await entitle("bad");
  await untilAll("invalid_argument");
  await entitle("good");
  await untilAll("done");
  await pages.close();
});

test("each of many is told that there is no such session", async () => {
  const pages = open(20, FEED, { id: "no-such-99" });
  for (const { errors } of await pages.next()) expect(errors?.[0]?.extensions.code).toBe("session_not_found");
  await pages.close();
});

test("what a DBA changes reaches running subscriptions, and they share with new ones", async () => {
  const session = await server.createSession();
  const query = "subscription ($id: String!) { sessionFeed(sessionId: $id) { session { probe lastSequence } } }";
  const seen = async ({ next }: ReturnType<typeof open>) =>
    new Set((await next()).map(({ data, errors }) => errors ?? data.sessionFeed.session.probe));
  const running = open(20, query, { id: session.ref });
  expect(await seen(running)).toEqual(new Set([1]));

  await probe("text", "'two'");
  await server.addVerb("reprobed", "null");
  const fresh = open(20, query, { id: session.ref });
  expect(await seen(fresh)).toEqual(new Set(["two"]));
  const before = transactions();
  await post(session);
  expect([await seen(running), await seen(fresh)]).toEqual([new Set(["two"]), new Set(["two"])]);
  expect(transactions() - before).toBeLessThanOrEqual(8);
  await Promise.all([running.close(), fresh.close()]);
});

async function openSocket(): Promise<WebSocket> {
  const socket = new WebSocket(server.socketUrl, "graphql-transport-ws");
  await once(socket, "open");
  socket.send('{"type":"connection_init"}');
  await once(socket, "message");
  return socket;
}

/** A page that stays and writes down what it is shown. */
function watch({ ref }: Session) {
  const { close, subscribe } = server.connect();
  const seen: number[] = [];
  const { next } = subscribe(FEED, { id: ref });
  void (async () => {
    for (let answer = await next(); answer; answer = await next()) seen.push(sequenceOf(answer));
  })();
  return { seen, close };
}
