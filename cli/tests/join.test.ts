import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../../testing/server.ts";
import { createMachine, type Machine } from "./machine.ts";
import { deadUrl } from "./proxy.ts";

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

test("a team that joins is remembered where only its user can read, and is told what to do next", async () => {
  const alex = await parley.create();
  const { code, stdout, stderr } = await here.run(["join", alex.ref, "--as", "Team Blue"]);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toContain(`Joined ${alex.ref} "A session" as team-blue.`);
  expect(stdout).toContain("Teams: alexs-team");
  expect(stdout).toMatch(new RegExp(`node .*parley.js wait ${alex.ref}`));
  const [team] = here.teams();
  expect(team).toMatchObject({ url: parley.url, ref: alex.ref, handle: "team-blue", cursor: 1, folder: here.folder });
  expect(statSync(join(here.home, "teams.json")).mode & 0o777).toBe(0o600);
  expect(statSync(here.home).mode & 0o777).toBe(0o700);
});

test("the secret is printed by nobody who was not asked for it", async () => {
  const created = await here.run(["create", "Port billing", "--as", "Alex's Team"]);
  const [team] = here.teams();
  const secret = team?.team_id as string;
  expect(secret).toMatch(/^pt_/);
  const said = [created];
  for (const args of [
    ["post", "hello"],
    ["whoami", "--json"],
    ["digest", "--json"],
    ["doc", "--json"],
    ["wait", "--all", "--json"],
    ["doctor", "--quick"],
    ["post", "--json", "once more"],
    ["conclude", "Done"],
    ["wait"],
    ["post", "too late"],
  ]) {
    said.push(await here.run(args));
  }
  expect(said.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 1]);
  expect(JSON.stringify(said)).not.toContain(secret.slice(3));
  expect(JSON.stringify(await here.run(["create", "x", "--as", "y", "--json"]))).not.toContain("pt_");
  const { ref } = await parley.create();
  const shown = await here.run(["join", ref, "--as", "Open Team", "--show-secret", "--force"]);
  expect(shown.stdout).toContain(here.teams().at(-1)?.team_id);
});

test("twenty teams that join at once are all remembered", async () => {
  const { ref } = await parley.create();
  const names = Array.from({ length: 20 }, (_, i) => `Team ${i}`);
  await Promise.all(names.map((name) => here.run(["join", ref, "--as", name])));
  expect(new Set(here.teams().map(({ handle }) => handle)).size).toBe(20);
}, 60_000);

test("without a ref it is the session joined last from this folder, also from a folder inside it", async () => {
  const [first, second] = [await parley.create(), await parley.create()];
  await here.run(["join", first.ref, "--as", "Team Blue"]);
  await here.run(["join", second.ref, "--as", "Team Blue", "--force"]);
  expect((await here.run(["post", "to the second"])).stdout).toContain(second.ref);
  expect((await here.run(["post", first.ref, "to the first"])).stdout).toContain(first.ref);
  const inside = join(here.folder, "src");
  mkdirSync(inside);
  expect((await here.run(["post", "from inside"], { cwd: inside })).stdout).toContain(second.ref);
  const elsewhere = await here.run(["post", "to whom?"], { cwd: here.root });
  expect([elsewhere.code, elsewhere.stderr]).toEqual([
    2,
    expect.stringMatching(/^parley: No session was joined.*\.\n$/),
  ]);
  const outside = createMachine({ PARLEY_HOME: here.home });
  expect((await outside.run(["post", first.ref, "by its ref, from anywhere"])).code).toBe(0);
  outside.remove();
});

test("of two teams in one session none speaks for the other by chance", async () => {
  const { ref } = await parley.create();
  await here.run(["join", ref, "--as", "Team Blue"]);
  const second = await here.run(["join", ref, "--as", "Team Red"]);
  expect(second.stdout).toContain(`wait ${ref} --team team-red`);
  const unclear = await here.run(["post", "who am I?"]);
  expect(unclear.code).toBe(2);
  expect(unclear.stderr).toContain("--team team-blue or --team team-red");
  expect((await here.run(["whoami", "--team", "team-blue"])).stdout).toMatch(/^team-blue in /);
});

test("where the team could not be remembered, nobody joins", async () => {
  const { ref, ...alex } = await parley.create();
  writeFileSync(join(here.root, "file"), "");
  const nowhere = createMachine({ MCP_URL: `${parley.url}/mcp`, PARLEY_HOME: join(here.root, "file/home") });
  const { code, stderr } = await nowhere.run(["join", ref, "--as", "Team Blue"]);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^parley: .*Set PARLEY_HOME to a folder of yours\.\n$/)]);
  const { body } = await parley.get(`/sessions/${ref}/participants`, alex.team_id);
  expect(body.participants).toHaveLength(1);
  nowhere.remove();
});

test("leaving forgets the team", async () => {
  const { ref } = await parley.create();
  await here.run(["join", ref, "--as", "Team Blue"]);
  expect((await here.run(["leave"])).stdout).toBe(`team-blue has left ${ref}.\n`);
  expect(here.teams()).toEqual([]);
});

test("a concluded session is resumed in a new one, and the answer tells what to know", async () => {
  const { ref } = await parley.create();
  await here.run(["join", ref, "--as", "Team Blue"]);
  await here.run(["conclude", "-"], { input: "Invoices are ported.\n" });
  const refused = await here.run(["join", ref, "--as", "Team Red"]);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/^session_closed: .*\n.*resume/)]);
  const resumed = await here.run(["resume", ref, "--as", "Team Red"]);
  expect(resumed.stdout).toContain(`Continues ${ref}`);
  expect(resumed.stdout).toContain("Invoices are ported.");
  expect(here.teams().at(-1)?.ref).not.toBe(ref);
});

test.each([
  [["nonsense"], /no command nonsense/],
  [["toString"], /no command toString/],
  [["wait", "--loud"], /Unknown option '--loud'/],
  [["wait", "--idle", "soon"], /--idle must be a number/],
  [["join", "calm-otter-17"], /Say who you are/],
  [["post"], /text is missing/],
  [["post", "three", "loose", "words"], /in quotes/],
  [["doc", "write", "text"], /--expected-version/],
  [["doctor", "--url", "nonsense"], /not an http address/],
])("%j is refused with a sentence and exit code 2", async (args, sentence) => {
  const { code, stdout, stderr } = await here.run(args);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(sentence);
  expect(stderr).toMatch(/^parley: .*\.\n$/);
});

test("every command explains itself", { timeout: 180_000 }, async () => {
  const { stdout } = await here.run(["--help"]);
  const commands = [...stdout.matchAll(/^ {2}(\w+) /gm)].map(([, name]) => name as string);
  expect(commands).toEqual(expect.arrayContaining(["wait", "post", "join", "doc", "mcp", "demo", "doctor"]));
  for (const name of commands) {
    const { code, stdout: help } = await here.run([name, "--help"]);
    expect([name, code, help]).toEqual([name, 0, expect.stringContaining(`parley ${name}`)]);
  }
});

test("a server that was started with PORT is found by it, and the demo says how to name another", async () => {
  const port = new URL(parley.url).port;
  const beside = createMachine({ PORT: port });
  const { ref } = await parley.create();
  expect((await beside.run(["join", ref, "--as", "Team Blue"])).stdout).toContain(`Joined ${ref}`);
  const away = await deadUrl();
  const { code, stderr } = await beside.run(["demo", "--url", away]);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/cannot be reached.*--url <link> or set MCP_URL/)]);
  beside.remove();
});

test("a server that is away is named, with what to try", async () => {
  const url = await deadUrl();
  const { code, stderr } = await here.run(["join", "calm-otter-17", "--as", "Team Blue", "--url", `${url}/mcp`]);
  expect(code).toBe(1);
  expect(stderr).toContain(`parley: ${url} cannot be reached (ECONNREFUSED).`);
  expect(stderr).toContain("parley doctor");
});
