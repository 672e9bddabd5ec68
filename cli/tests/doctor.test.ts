import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { connected } from "../../testing/postgres.ts";
import { startTestServer, type Team, type TestServer } from "../../testing/server.ts";
import { checkClock } from "../doctor/checks.ts";
import { createMachine, type Machine } from "./machine.ts";
import { deadUrl, startHttpProxy } from "./proxy.ts";

let parley: TestServer;
let here: Machine;
beforeAll(async () => {
  parley = await startTestServer();
});
afterAll(() => parley.stop());
beforeEach(() => {
  here = createMachine({ MCP_URL: `${parley.url}/mcp` });
});
afterEach(() => here.remove());

const marks = (text: string) => [...text.matchAll(/^[✓✗–]/gm)].join("");
const sessions = async () => (await parley.get("/sessions")).body.sessions;

test("all is well: a line for each thing, exit code 0", async () => {
  const { code, stdout } = await here.run(["doctor", "--quick"]);
  expect([code, marks(stdout)]).toEqual([0, expect.stringMatching(/^✓{8}[✓–]$/)]);
  expect(stdout).toMatch(/agents here/);
  expect(stdout).toContain(`address ${parley.url}/mcp, from MCP_URL in the environment`);
  for (const what of [
    "Node",
    "reachable",
    "version",
    "database ready",
    "functions as Parley made them",
    "MCP answers",
    "clocks agree",
  ])
    expect(stdout).toContain(what);
});

test("functions that were changed in the database are named, and are no fault", async () => {
  const sql = (text: string) => connected(parley.database.url(), (client) => client.query(text));
  await sql("comment on function parley.get_digest is '@verb GET /sessions/{session_id}/digest'");
  const { code, stdout } = await here.run(["doctor", "--quick"]);
  await sql("select parley_private.reset_function('get_digest')");
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/^– changed in the database: parley\.get_digest\. npx parley admin/m),
  ]);
});

test("parley admin sources lists, shows and resets, on the machine of the server", async () => {
  const sql = async (text: string) => (await connected(parley.database.url(), (client) => client.query(text))).rows;
  const there = createMachine({ DATABASE_URL: parley.database.url() });
  onTestFinished(there.remove);
  const admin = (...args: string[]) => there.run(["admin", "sources", ...args]);
  expect(await admin()).toMatchObject({ code: 0, stdout: "All functions are as Parley made them.\n" });
  await sql("alter function parley.whoami cost 77; revoke execute on function parley.search from parley_caller");
  expect((await admin()).stdout).toMatch(
    /^parley\.search\(.*\) · may no longer be executed by parley_caller\nparley\.whoami\(.*\)\n$/,
  );
  expect((await admin("--show", "whoami")).stdout).toMatch(
    /, ours\nCREATE OR REPLACE .*\n[\s\S]*, in this database\nCREATE/,
  );
  expect(await admin("--reset", "whoami")).toMatchObject({ code: 0, stdout: expect.stringContaining("is ours again") });
  expect(await admin("--reset", "search")).toMatchObject({ code: 0 });
  expect(await admin("--reset", "search")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("nothing to reset"),
  });
  expect(await admin()).toMatchObject({ stdout: "All functions are as Parley made them.\n" });
}, 60_000);

test("a server that is away: what to do, exit code 1, and nothing that cannot be known", async () => {
  const url = await deadUrl();
  const { code, stdout } = await here.run(["doctor", "--url", `${url}/mcp`]);
  expect([code, marks(stdout)]).toEqual([1, "✓✓✗"]);
  expect(stdout).toMatch(/✗ server not reachable at \S+ \(ECONNREFUSED\)\. Is Parley running there\? .*--url/);
});

test("an address that is Parley's, but not of MCP", async () => {
  const { code, stdout } = await here.run(["doctor", "--quick", "--url", `${parley.url}/mcp?toolset=nonsense`]);
  expect([code, marks(stdout)]).toEqual([1, expect.stringMatching(/^✓{6}✗✓[✓–]$/)]);
  expect(stdout).toMatch(/✗ MCP refuses: There is no such toolset.*core/);
});

test("without a session it tries no wait, unless asked to open one, which it concludes", async () => {
  const before = (await sessions()).length;
  const shallow = await here.run(["doctor"]);
  expect([shallow.code, marks(shallow.stdout).at(-1)]).toEqual([0, "–"]);
  expect(shallow.stdout).toContain("--deep");
  expect(await sessions()).toHaveLength(before);
  const deep = await here.run(["doctor", "--deep", "--wait", "2"]);
  expect([deep.code, deep.stdout]).toEqual([0, expect.stringContaining("✓ a wait of 2 s survives")]);
  expect((await sessions())[0]).toMatchObject({ title: "parley doctor", status: "closed" });
});

test("in a joined session it waits there, and confirms nothing that was not heard", async () => {
  const alex: Team = await parley.create();
  await here.run(["join", alex.ref, "--as", "Team Blue"]);
  await parley.say(alex, "unread");
  const before = (await sessions()).length;
  const { code, stdout } = await here.run(["doctor", "--wait", "2"]);
  expect([code, stdout]).toEqual([0, expect.stringContaining("✓ a wait of 2 s survives")]);
  expect(await sessions()).toHaveLength(before);
  expect((await here.run(["whoami"])).stdout).toContain("cursor 1 of 2, unread: 1");
});

test("a way there that cuts silent connections is found out", async () => {
  const proxy = await startHttpProxy(parley.url, undefined, 700);
  const { code, stdout } = await here.run(["doctor", "--deep", "--wait", "3", "--url", `${proxy.url}/mcp`]);
  proxy.close();
  expect([code, marks(stdout)]).toEqual([1, expect.stringMatching(/^✓{8}[✓–]✗$/)]);
  expect(stdout).toMatch(/✗ a wait of 3 s was broken off after .*cuts silent connections/);
  expect((await sessions())[0]).toMatchObject({ title: "parley doctor", status: "closed" });
});

test("a way there that keeps the first bytes back is found out", async () => {
  const proxy = await startHttpProxy(parley.url, (bytes) => (bytes.includes(": waiting\n") ? "hold" : "pass"));
  const { code, stdout } = await here.run(["doctor", "--deep", "--wait", "2", "--url", `${proxy.url}/mcp`]);
  proxy.close();
  expect([code, stdout]).toEqual([1, expect.stringMatching(/✗ a wait of 2 s survives, but its first byte.*buffering/)]);
});

test("clocks that differ by more than a few seconds are told", () => {
  const here = Date.UTC(2026, 0, 1);
  expect(checkClock(new Date(here - 60_000).toUTCString(), here)).toMatchObject({ ok: false });
  expect(checkClock(new Date(here).toUTCString(), here)).toMatchObject({ ok: true, text: "clocks agree" });
  expect(checkClock(null, here)).toMatchObject({ ok: undefined });
});
