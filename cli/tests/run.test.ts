import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { startTestServer, type Team, type TestServer, until } from "../../testing/server.ts";
import type { Answer } from "../connection/api.ts";
import { createMachine, type Machine } from "./machine.ts";

const AGENT = fileURLToPath(new URL("scripted-agent.ts", import.meta.url));

let parley: TestServer;
let alex: Team;
let machine: Machine;
beforeAll(async () => {
  parley = await startTestServer();
});
afterAll(() => parley.stop());
beforeEach(async () => {
  alex = await parley.create();
  machine = createMachine({ MCP_URL: `${parley.url}/mcp` });
  machine.environment.SCRIPTED_LOG = join(machine.root, "turns");
});
afterEach(() => machine.remove());

const seat = (...more: string[]) =>
  machine.start(["run", "--join", alex.ref, "--as", "Team Blue", ...more, "--", process.execPath, AGENT]);
const turns = () =>
  existsSync(join(machine.root, "turns"))
    ? readFileSync(join(machine.root, "turns"), "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).prompt as string)
    : [];
const feed = async () => (await parley.get(`/sessions/${alex.ref}/messages?limit=100`, alex)).body.messages;
const said = async (by = "team-blue") =>
  (await feed())
    .filter(({ handle, type }: { handle: string; type: string }) => handle === by && type === "chat")
    .map(({ content }: { content: { text: string } }) => content.text);
const isListening = async () => {
  const { body } = await parley.get(`/sessions/${alex.ref}/participants`, alex);
  return body.participants.find(({ handle }: { handle: string }) => handle === "team-blue")?.listening;
};
const ask = (text: string, more: object = {}) =>
  parley.post(`/sessions/${alex.ref}/messages`, { content: text, kind: "question", ...more }, alex);

test("an agent is put at the table, hears, answers, and ends with the session", async () => {
  const running = seat("--prompt", "do: post I am here");
  await until(isListening, "the agent to wait");
  expect(turns()[0]).toContain("You are team-blue");
  expect(turns()[0]).toContain("What it is for");
  expect(await said()).toEqual(["I am here"]);
  await machine.run(["join", alex.ref, "--as", "Team Green"]);
  expect(await machine.run(["ring", "team-blue"])).toMatchObject({
    code: 0,
    stdout: "team-blue: acted, it is there, reachable by its runner.\n",
  });
  expect((await machine.run(["agents"])).stdout).toBe("team-blue (waiting, agent, turns 1)\n");
  expect(turns()).toHaveLength(1);

  await ask("Who are you? do: say I am blue");
  await until(async () => (await said()).length === 2, "its last words");
  const words = (await feed()).at(-1);
  expect(words).toMatchObject({ content: { text: "I am blue" }, kind: "answer", reply_to_cursor: words.cursor - 1 });
  await until(isListening, "the agent to wait");
  await ask("And? do: post by myself;say not this");
  await until(async () => (await said()).length === 3, "its own post");
  await until(isListening, "the agent to wait");
  await parley.post(`/sessions/${alex.ref}/conclude`, { summary_section: "Done." }, alex);
  const { code, stdout, stderr } = await running.ended;
  expect([code, stderr]).toEqual([3, ""]);
  expect(stdout).toContain("▸ turn 2, #4");
  expect(await said()).toEqual(["I am here", "I am blue", "by myself"]);
  expect(turns()).toHaveLength(3);
});

test("killed in the middle of a turn and started again, it goes on as the same team: nothing is lost, nothing said twice", async () => {
  machine.environment.SCRIPTED_MEMORY = join(machine.root, "memory");
  const first = seat("--prompt", "do: say hello");
  await until(async () => (await said()).length === 1, "hello");
  await until(isListening, "the agent to wait");
  await ask("One. do: post half of it;sleep");
  await until(async () => (await said()).length === 2, "half of the turn");
  first.child.kill("SIGKILL");
  await first.ended;
  await parley.post(`/sessions/${alex.ref}/messages`, { content: "Two. do: say heard two", to: ["team-blue"] }, alex);

  // Its prompt is not given again, and the turn that was cut off ends this time.
  const second = seat("--prompt", "do: say hello");
  await until(() => turns().length >= 3, "the turn to be taken up again");
  const again = turns()[2];
  expect(again).toMatch(
    /^Your last turn was cut off[\s\S]*You had posted:\n#\d+ team-blue \(you\): half of it[\s\S]*One\./,
  );
  expect(again).not.toContain("Two.");
  await until(async () => (await said()).length === 3, "an answer to what was said meanwhile");
  expect(await said()).toEqual(["hello", "half of it", "heard two"]);
  expect(turns()).toHaveLength(4);
  second.child.kill("SIGINT");
  const { code } = await second.ended;
  expect(code).toBe(130);
  const roster = (await parley.get(`/sessions/${alex.ref}/participants`, alex)).body.participants;
  expect(roster.map(({ handle, left_at }: Answer) => [handle, left_at !== null])).toEqual([
    ["alexs-team", false],
    ["team-blue", true],
  ]);
});

test("an agent that floods, tells what nobody knows and crashes is started again and its turn finished; one that always crashes fails, and says so", async () => {
  const running = seat("--prompt", "do: future;babble;flood 300;once-crash flag;say survived");
  await until(async () => (await said()).includes("survived"), "the second attempt");
  await until(isListening, "the agent to wait");
  await ask("do: crash");
  const { code, stderr } = await running.ended;
  expect([code, stderr]).toEqual([1, "parley: agent ended (exit code 7): scripted to crash\n"]);
  expect((await said()).at(-1)).toBe("Failed: agent ended (exit code 7): scripted to crash");
  expect(turns().filter((prompt) => prompt.includes("do: crash"))).toHaveLength(3);
});

test("an agent that gives no sign of life has its turn ended", async () => {
  const running = seat("--patience", "0.02", "--prompt", "do: sleep");
  await until(() => running.said.stdout.includes("◂ cancelled"), "the turn to be cancelled");
  running.child.kill("SIGINT");
  expect((await running.ended).code).toBe(130);
  expect(await said()).toEqual([]);
});

test("limits end it with a sentence in the feed, counted before the next turn", async () => {
  const running = seat("--max-tokens", "100", "--json", "--prompt", "do: tokens 120;say costly");
  await until(async () => (await said()).includes("costly"), "the first turn");
  await ask("do: say too much");
  const { code, stdout } = await running.ended;
  expect(code).toBe(5);
  expect(await said()).toEqual(["costly", "The limit of 100 tokens is reached (120). team-blue stops here."]);
  const lines = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines.map(({ type }) => type)).toEqual(["seated", "turn", "event", "ended", "posted", "posted", "note"]);
  expect(lines[3]).toMatchObject({ tokens: 120, cost: 0.25, turns: 1 });
});

test("what is wrong with an agent is said in a sentence, and it leaves", async () => {
  machine.environment.SCRIPTED_AUTH = "1";
  expect(await seat().ended).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("agent wants you to sign in first"),
  });
  machine.environment.SCRIPTED_AUTH = "";
  machine.environment.SCRIPTED_VERSION = "2";
  expect((await seat().ended).stderr).toContain("speaks version 2 of the Agent Client Protocol");
  const missing = await machine.run(["run", "codex", "--join", alex.ref, "--as", "Blue"]);
  expect(missing.stderr).toContain("Install it: npm install -g @agentclientprotocol/codex-acp");
  expect((await machine.run(["run", "--join", alex.ref, "--as", "B", "--", "/no/such/program"])).stderr).toContain(
    "ENOENT",
  );
  const roster = (await parley.get(`/sessions/${alex.ref}/participants`, alex)).body.participants;
  expect(roster.filter(({ left_at }: Answer) => left_at === null)).toHaveLength(1);
});

test("it works through the task list in a worktree of its own, and ends when nothing is left", async () => {
  const git = (...args: string[]) => execFileSync("git", args, { cwd: machine.folder, encoding: "utf8" });
  git("init", "-q", "-b", "main");
  git("-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-q", "--allow-empty", "-m", "first");
  const tasks = ["One. do: commit one;done 1", { title: "Two. do: commit two;done 2", depends_on: ["+1"] }];
  await parley.post(`/sessions/${alex.ref}/tasks`, { tasks }, alex);
  const { code, stderr } = await seat("--task", "next", "--worktree").ended;
  expect(code).toBe(0);
  expect(stderr).toContain(`on parley/${alex.ref}/team-blue, 2 commits ahead.`);
  expect(git("log", "--format=%s", `parley/${alex.ref}/team-blue`)).toBe("adds two\nadds one\nfirst\n");
  const { body } = await parley.get(`/sessions/${alex.ref}/tasks`, alex);
  expect(body.tasks.map(({ status }: Answer) => status)).toEqual(["done", "done"]);
  expect(turns()).toHaveLength(2);
});
