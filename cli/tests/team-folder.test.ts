import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../../testing/server.ts";
import { createMachine, type Machine } from "./machine.ts";

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

const folder = (...path: string[]) => {
  const cwd = join(here.folder, ...path);
  mkdirSync(cwd, { recursive: true });
  return { cwd };
};

test("a team belongs to its repository: every folder of it speaks for the team, and no other repository does", async () => {
  const { ref } = await parley.create();
  execFileSync("git", ["init", "-q", folder("one").cwd]);
  execFileSync("git", ["init", "-q", folder("one", "vendor", "two").cwd]);
  await here.run(["join", ref, "--as", "Team Blue"], folder("one", "src", "deep"));
  expect(here.teams()).toMatchObject([{ folder: folder("one").cwd }]);
  expect((await here.run(["post", "from beside"], folder("one", "tests"))).stdout).toContain(`posted in ${ref}`);
  expect(await here.run(["post", "whose?"], folder("one", "vendor", "two"))).toMatchObject({ code: 2 });
});

test("the link is found at the top of the repository, too", async () => {
  const { ref } = await parley.create();
  const beside = createMachine();
  execFileSync("git", ["init", "-q", beside.folder]);
  writeFileSync(join(beside.folder, "parley.json"), JSON.stringify({ mcp_url: `${parley.url}/mcp` }));
  mkdirSync(join(beside.folder, "src"));
  expect(await beside.run(["join", ref, "--as", "Team Blue"], { cwd: join(beside.folder, "src") })).toMatchObject({
    code: 0,
  });
  beside.remove();
});

test("no other session takes the machine of a team unasked; a concluded or resumed one gives way", async () => {
  const [first, second] = [await parley.create(), await parley.create()];
  await here.run(["join", first.ref, "--as", "Team Blue"]);
  for (const args of [
    ["join", second.ref, "--as", "Team Blue"],
    ["create", "Something else", "--as", "Team Blue"],
  ]) {
    const { code, stdout, stderr } = await here.run(args);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(new RegExp(`is team-blue in ${first.ref} already\\. .*parley leave ${first.ref}.*--force`));
  }
  expect((await parley.get(`/sessions/${second.ref}/participants`, second)).body.participants).toHaveLength(1);
  expect(here.teams()).toHaveLength(1);
  expect((await here.run(["conclude", "Done."])).code).toBe(0);
  expect((await here.run(["resume", first.ref, "--as", "Team Blue"])).code).toBe(0);
  expect((await here.run(["join", second.ref, "--as", "Team Blue"])).code).toBe(2);
  expect((await here.run(["join", second.ref, "--as", "Team Blue", "--force"])).code).toBe(0);
  expect((await here.run(["post", "where am I?"])).stdout).toContain(`posted in ${second.ref}`);
});
