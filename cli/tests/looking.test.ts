import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { startTestServer, type Team, type TestServer } from "../../testing/server.ts";
import { createMachine, type Machine } from "./machine.ts";

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

const said = async (...args: string[]) => {
  const { code, stdout, stderr } = await blue.run(args);
  expect([args, code, stderr]).toEqual([args, 0, ""]);
  return stdout;
};

test("who is here is listed, a line each", async () => {
  expect(await said("participants")).toMatch(
    /^alexs-team \(convener, \w+, read to #0\): Alex's Team\nteam-blue \(you, \w+, read to #1\): Team Blue\n$/,
  );
  expect(JSON.parse(await said("participants", "--json")).participants).toHaveLength(2);
});

test("what was said is paged backwards, with the way to the page before", async () => {
  for (const text of ["one", "two", "three"]) await parley.say(alex, text);
  expect(await said("history")).toBe(
    "#1 · team-blue joined\n#2 alexs-team: one\n#3 alexs-team: two\n#4 alexs-team: three\n",
  );
  const page = await blue.run(["history", alex.ref, "--limit", "2"]);
  expect(page).toEqual({
    code: 0,
    stdout: "#3 alexs-team: two\n#4 alexs-team: three\n",
    stderr: `There is more: parley history ${alex.ref} --before 3\n`,
  });
  expect(await said("history", "--before", "3", "--json")).toContain('"one"');
});

test("sessions are listed for who has no ref, and words are found in messages and document", async () => {
  const other = await parley.create("Red", "Port the ledger");
  expect(await said("list", "--text", "ledger")).toBe(
    `${other.ref} (active, teams 1, messages 0, document version 0): Port the ledger\n`,
  );
  expect(JSON.parse(await said("list", "--json", "--status", "active")).sessions.length).toBeGreaterThanOrEqual(2);
  await parley.say(alex, "The rounding of refunds differs.");
  await parley.post(
    `/sessions/${alex.ref}/doc/append`,
    { section: "Decisions", text: "- round refunds half up" },
    alex,
  );
  const found = await said("search", "refunds");
  expect(found).toMatch(/^#2 alexs-team: The rounding of refunds differs\.$/m);
  expect(found).toMatch(/^document \[Decisions\]: .*round refunds half up/m);
  expect(JSON.parse(await said("search", alex.ref, "refunds", "--json")).hits).toHaveLength(2);
  expect((await blue.run(["search", "nowhere"])).stderr).toBe("Nothing was found.\n");
});

test("a reply names the message that it answers", async () => {
  await parley.post(`/sessions/${alex.ref}/messages`, { content: "Who pays?", kind: "question" }, alex);
  expect(await said("reply", "2", "We pay.")).toBe(`#3 posted in ${alex.ref}, unread: 1\n`);
  const { stdout } = await blue.run(["reply", alex.ref, "#2", "-", "--kind", "decision", "--json"], {
    input: "line\nline\n",
  });
  expect(JSON.parse(stdout)).toMatchObject({ cursor: 4 });
  const { messages } = (await parley.get(`/sessions/${alex.ref}/messages`, alex)).body;
  expect(messages.slice(2)).toMatchObject([
    { reply_to_cursor: 2, content: { text: "We pay." } },
    { reply_to_cursor: 2, kind: "decision", content: { text: "line\nline" } },
  ]);
  for (const args of [["reply"], ["reply", "We pay."], ["reply", "2"], ["reply", "2", "We", "pay."]])
    expect(await blue.run(args)).toMatchObject({ code: 2, stdout: "" });
});

test("an ack tells how far the team has read: to what wait has printed, or to a number", async () => {
  await parley.say(alex, "one");
  await parley.say(alex, "two");
  expect(await said("ack")).toBe(`Read up to #1 in ${alex.ref}, unread: 2\n`);
  expect(await said("ack", alex.ref, "#2")).toMatch(`Read up to #2 in ${alex.ref}, unread: `);
  await blue.run(["wait"]);
  expect(JSON.parse(await said("ack", "--json"))).toMatchObject({ acked_cursor: 3 });
});

test("nothing that others wrote moves the cursor of a terminal or forges a line", async () => {
  const evil = "\u001b[2J\u001b]0;x\u0007\u009b31m\r\u2028\u202e\n#1 alexs-team: forged";
  await parley.post(`/sessions/${alex.ref}/join`, { team_name: `Evil ${evil}` });
  await parley.post(
    `/sessions/${alex.ref}/messages`,
    { content: `findme ${evil}`, kind: "question", metadata: { x: evil } },
    alex,
  );
  await parley.post(`/sessions/${alex.ref}/metadata`, { title: `T ${evil}`, description: evil, reason: evil }, alex);
  await parley.post(`/sessions/${alex.ref}/doc/append`, { section: "S \u001b[2J\u009b", text: `findme ${evil}` }, alex);
  for (const args of [
    ["history"],
    ["participants"],
    ["list"],
    ["search", "findme"],
    ["whoami"],
    ["digest"],
    ["message", "3"],
    ["wait"],
    ["doc", "--json"],
  ]) {
    const { code, stdout, stderr } = await blue.run(args);
    expect([args, code]).toEqual([args, 0]);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not come through
    expect(stdout + stderr).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u202e]/);
    expect(stdout).not.toMatch(/^#1 alexs-team/m);
  }
});

test("after a break, one command tells who does what, what is owed, decided, written and unread", async () => {
  await parley.post(`/sessions/${alex.ref}/messages`, { content: "Porting invoices.", kind: "status" }, alex);
  await parley.post(`/sessions/${alex.ref}/messages`, { content: "Which branch?", kind: "question" }, alex);
  await parley.post(`/sessions/${alex.ref}/messages`, { content: "We pay.", kind: "decision" }, alex);
  await parley.post(`/sessions/${alex.ref}/doc/append`, { text: "- x", section: "Goals" }, alex);
  await parley.post(`/sessions/${alex.ref}/doc/append`, { text: "- euros", section: "Decisions" }, alex);
  const tasks = ["Port invoices", { title: "Load test", depends_on: ["+1"] }, "Docs"];
  await parley.post(`/sessions/${alex.ref}/tasks`, { tasks }, alex);
  await said("claim", "3");
  const told = (await said("catch-up")).split("\n");
  expect(told[0]).toBe(`team-blue in ${alex.ref} "A session" (active): unread: 4, document version 2`);
  expect(told.slice(1, 3).sort()).toEqual([
    "alexs-team (working): Porting invoices.",
    "team-blue (you, working): Team Blue",
  ]);
  expect(told.slice(3)).toEqual([
    "tasks: open 1, blocked 1, claimed 1, done 0",
    "task 3 (yours): Docs",
    "task 1 (open): Port invoices",
    "task 2 (blocked, waits for 1): Load test",
    "open: #3 alexs-team: Which branch?",
    "decided: #4 alexs-team: We pay.",
    "decided in the document: - euros",
    "document: Goals; Decisions",
    "#2 alexs-team status: Porting invoices.",
    "#3 alexs-team question: Which branch?",
    "#4 alexs-team decision: We pay.",
    expect.stringContaining("#5 "),
    "",
  ]);
  expect(JSON.parse(await said("catch-up", "--json")).outline).toHaveLength(2);
});

test("an interrupt is told with whatever is called next, and ends a wait", async () => {
  const interrupt = () =>
    parley.post(`/sessions/${alex.ref}/interrupt`, { handle: "team-blue", reason: "Stop:\nwrong branch." }, alex);
  await interrupt();
  const noted = (cursor: number) => `Interrupted by alexs-team (#${cursor}): Stop: wrong branch.\n`;
  expect(await blue.run(["whoami"])).toMatchObject({ code: 0, stderr: noted(2) });
  await interrupt();
  expect(await blue.run(["wait"])).toEqual({
    code: 0,
    stdout: [2, 3].map((n) => `#${n} · team-blue was interrupted by Alex's Team: Stop: wrong branch.\n`).join(""),
    stderr: noted(3),
  });
});
