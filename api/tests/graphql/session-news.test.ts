import { afterAll, beforeAll, expect, test } from "vitest";
import { type GraphQLTestServer, POST, startGraphQL } from "./test-client.ts";

let server: GraphQLTestServer;
beforeAll(async () => {
  server = await startGraphQL();
});
afterAll(() => server.stop());

const NEWS = `subscription ($id: String!) {
  sessionNews(sessionId: $id) {
    series frame whole after
    session { lastSequence sessionDocVersion title pausedBy }
    messages { sequence content }
    roster { participants { nodes { handle } } }
    lineage { id }
    tasks { id }
    docSplice { fromVersion toVersion startAt removed inserted }
  }
}`;
const APPEND = `mutation ($id: String!, $text: String!) {
  appendToSessionDoc(input: { sessionId: $id, text: $text }) { result { version } }
}`;

/** Whoever opens a page, and what it is told from then on; looks by itself when nothing has happened are passed over. */
async function watch(ref: string) {
  const { close, subscribe } = server.connect();
  const stream = subscribe(NEWS, { id: ref });
  const next = async () => (await stream.next()).data.sessionNews;
  const until = async (seen: (news: Awaited<ReturnType<typeof next>>) => boolean) => {
    for (;;) {
      const news = await next();
      if (seen(news)) return news;
    }
  };
  return { first: await next(), until, close };
}

test("a frame brings the messages since the frame before, and none of those that were told", async () => {
  const { ref, teamId } = await server.sessionWithMessages(3);
  const { first, until, close } = await watch(ref);
  expect(first).toMatchObject({ whole: true, after: 3, messages: [], session: { lastSequence: 3 } });
  expect(first.roster.participants.nodes).toEqual([{ handle: "alexs-team" }]);
  const repeated: number[] = [];
  for (let n = 4; n <= 12; n++) {
    await server.ask(POST, { id: ref, text: `message ${n}` }, teamId);
    const news = await until(({ messages }) => messages.at(-1)?.sequence === n);
    expect(news.series).toBe(first.series);
    expect(news.messages.map(({ sequence }: { sequence: number }) => sequence)).toEqual(
      Array.from({ length: n - news.after }, (_, i) => news.after + i + 1),
    );
    if (news.after < n - 1) repeated.push(n);
  }
  // Only what was posted while a frame was being read comes once more.
  expect(repeated.length).toBeLessThan(4);
  await close();
});

test("who comes later is told how things are, and the others miss nothing by that", async () => {
  const { ref, teamId } = await server.sessionWithMessages(1);
  const early = await watch(ref);
  await server.ask(POST, { id: ref, text: "two" }, teamId);
  const told = await early.until(({ session }) => session.lastSequence === 2);
  const late = await watch(ref);
  expect(late.first).toMatchObject({ whole: true, series: told.series, session: { lastSequence: 2 } });
  await server.ask(POST, { id: ref, text: "three" }, teamId);
  const has = ({ session }: { session: { lastSequence: number } }) => session.lastSequence === 3;
  const frames = [told.frame];
  const news = await early.until((one) => frames.push(one.frame) > 0 && has(one));
  expect(news.messages.at(-1)).toMatchObject({ sequence: 3 });
  expect(await late.until(has)).toEqual(news);
  expect(frames).toEqual(frames.map((_, i) => told.frame + i));
  await Promise.all([early.close(), late.close()]);
});

test("what was written comes as a change of the version before, in bytes", async () => {
  const { ref, teamId } = await server.createSession();
  await server.ask(APPEND, { id: ref, text: "# Größe" }, teamId);
  const { until, close } = await watch(ref);
  await server.ask(APPEND, { id: ref, text: "ä" }, teamId);
  const { docSplice } = await until((news) => news.docSplice !== null);
  const before = Buffer.from("# Größe");
  const inserted = Buffer.from(docSplice.inserted, "base64");
  const made = Buffer.concat([
    before.subarray(0, docSplice.startAt),
    inserted,
    before.subarray(docSplice.startAt + docSplice.removed),
  ]);
  const { data } = await server.ask(`{ sessionByRef(ref: "${ref}") { sessionDoc } }`);
  expect([docSplice.fromVersion, docSplice.toVersion, made.toString()]).toEqual([1, 2, data.sessionByRef.sessionDoc]);
  await close();
});

test("the roster, the tasks and what comes from a session are told when they move", async () => {
  const { ref, teamId } = await server.createSession();
  const { until, close } = await watch(ref);
  const act = (name: string, args: string, result: string) =>
    server.ask(`mutation { ${name}(input: { sessionId: "${ref}" ${args} }) { result { ${result} } } }`, {}, teamId);
  await act("joinSession", 'teamName: "Bo"', "handle");
  await until((news) => news.roster?.participants.nodes.length === 2);
  await act("addTasks", 'tasks: ["port it"]', "unread");
  await until((news) => news.tasks !== null && !news.whole);
  await act("spawnSession", 'title: "Child", description: ""', "ref");
  await until((news) => news.lineage !== null && !news.whole);
  await act("pauseSession", 'reason: "wait"', "paused");
  const paused = await until((news) => news.session.pausedBy !== null);
  expect(paused.session).toMatchObject({ pausedBy: "Alex's Team" });
  await close();
});
