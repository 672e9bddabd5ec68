import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { connected } from "../../testing/postgres.ts";
import { startTestServer, type Team, type TestServer } from "../../testing/server.ts";
import { createMachine, type Machine } from "./machine.ts";
import { startHttpProxy } from "./proxy.ts";

let parley: TestServer;
let alex: Team;
let blue: Machine;
beforeAll(async () => {
  parley = await startTestServer();
});
afterAll(() => parley.stop());
beforeEach(async () => {
  alex = await parley.create();
  blue = createMachine({ MCP_URL: `${parley.url}/mcp` });
  await blue.run(["join", alex.ref, "--as", "Team Blue"]);
});
afterEach(() => blue.remove());

const texts = async (): Promise<string[]> => {
  const { body } = await parley.get(`/sessions/${alex.ref}/messages?full=true`, alex);
  return body.messages.slice(1).map((message: { content: { text: string } }) => message.content.text);
};
const readDoc = async () => (await parley.get(`/sessions/${alex.ref}/doc`, alex)).body;

/** The server does what was asked, but its first answers never arrive. */
async function losingAnswers(lost: number) {
  let left = lost;
  const proxy = await startHttpProxy(parley.url, () => (left-- > 0 ? "cut" : "pass"));
  return { ...proxy, tries: () => lost - left };
}

test("a post whose answer was lost is tried again, and posted once", async () => {
  const proxy = await losingAnswers(2);
  const { code, stdout } = await blue.run(["post", "only once", "--url", `${proxy.url}/mcp`]);
  expect([code, stdout]).toEqual([0, `#2 posted in ${alex.ref}, unread: 0\n`]);
  expect(proxy.tries()).toBeGreaterThanOrEqual(3);
  expect(await texts()).toEqual(["only once"]);
  proxy.close();
});

test("an append whose answer was lost is tried again, and added once", async () => {
  const proxy = await losingAnswers(2);
  const { code } = await blue.run(["doc", "append", "--section", "Decisions", "- once", "--url", `${proxy.url}/mcp`]);
  expect([code, await readDoc()]).toEqual([0, expect.objectContaining({ version: 1 })]);
  expect((await readDoc()).content).toMatch(/## Decisions\n+- once\n*$/);
  proxy.close();
});

test("one's own key makes two runs one message; another text under it is refused", async () => {
  const posts = [await blue.run(["post", "--key", "k1", "hello"]), await blue.run(["post", "--key", "k1", "hello"])];
  expect(posts[0]?.stdout).toBe(posts[1]?.stdout);
  const other = await blue.run(["post", "--key", "k1", "something else"]);
  expect([other.code, other.stderr]).toEqual([1, expect.stringMatching(/^idempotency_conflict: /)]);
  expect(await texts()).toEqual(["hello"]);
});

test("the sender is told how much is unread and who is not there to hear it", async () => {
  await parley.say(alex, "one");
  await connected(parley.database.url(), (client) =>
    client.query("update parley.participants set last_seen_at = now() - interval '5 minutes' where session_id = $1", [
      alex.session_id,
    ]),
  );
  const { stdout } = await blue.run(["post", "--to", "alexs-team", "--expect-reply", "are you there?"]);
  expect(stdout).toBe(`#3 posted in ${alex.ref}, unread: 1, not listening now: alexs-team\n`);
});

test("a text is posted byte for byte: from the line, also if it begins with a dash, and from stdin", async () => {
  const long = "ünï \u{1f600} ".repeat(3_000);
  await blue.run(["post", "- a list\n- of two"]);
  await blue.run(["post", "--", "--flag"]);
  await blue.run(["post", "-"], { input: `${long}\n` });
  expect(await texts()).toEqual(["- a list\n- of two", "--flag", long]);
});

test("a document is read, edited and written back; a stale version is refused with the way on", async () => {
  const text = "# Plan\n\n- one\n";
  await blue.run(["doc", "write", "--expected-version", "0", "-"], { input: text });
  const read = await blue.run(["doc"]);
  expect((await readDoc()).content).toBe(text);
  expect(read).toMatchObject({ code: 0, stdout: text, stderr: expect.stringContaining("[version 1 by team-blue") });
  await parley.post(`/sessions/${alex.ref}/doc/append`, { text: "- two" }, alex);
  const stale = await blue.run(["doc", "write", "--expected-version", "1", "- mine"]);
  expect(stale.code).toBe(1);
  expect(stale.stderr).toMatch(/^version_conflict: .+\n.+/);
  expect((await readDoc()).content).toContain("- two");
});

test("whoami and the digest tell what an agent needs that has lost its context", async () => {
  await parley.post(`/sessions/${alex.ref}/messages`, { content: "Who pays?", kind: "question" }, alex);
  await blue.run(["post", "--kind", "decision", "We pay."]);
  const me = await blue.run(["whoami"]);
  expect(me.stdout).toContain(`team-blue in ${alex.ref} "A session" (active) at ${parley.url}`);
  expect(me.stdout).toContain("unread: 1");
  expect(me.stdout).toContain("open: #2 alexs-team: Who pays?");
  const digest = await blue.run(["digest"]);
  expect(digest.stdout).toContain("decided: #3 team-blue: We pay.");
  expect(digest.stdout).toContain("open: #2 alexs-team: Who pays?");
});

test("the digest tells where each team stands, and which sections were written", async () => {
  await blue.run(["post", "--kind", "status", "Refunds: 3 of 5.\nMore tomorrow."]);
  await parley.post(`/sessions/${alex.ref}/messages`, { content: "No access to staging.", kind: "blocked" }, alex);
  await blue.run(["doc", "append", "## Decisions\n- two"]);
  const { stdout } = await blue.run(["digest"]);
  expect(stdout).toMatch(
    /^team-blue \(\w+\): messages 1, doc_changes 1\n {2}status #2: Refunds: 3 of 5. More tomorrow.$/m,
  );
  expect(stdout).toMatch(/^alexs-team \(\w+\): messages 1\n {2}blocked #3: No access to staging.$/m);
  expect(stdout).toMatch(/^document: version 1 by team-blue: Decisions$/m);
});
