import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { startTestServer, type Team, type TestServer, until } from "../../testing/server.ts";
import type { Answer } from "../connection/api.ts";
import { createMachine, type Machine } from "./machine.ts";

const AGENT = fileURLToPath(new URL("scripted-agent.ts", import.meta.url));
// Each starts several processes, on a machine that may be busy with other things.
const SLOW = { timeout: 120_000 };

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

const agent = ["--", process.execPath, AGENT];
const seat = (...more: string[]) => machine.start(["run", "--join", alex.ref, "--as", "Team Blue", ...more, ...agent]);
const turns = () =>
  existsSync(join(machine.root, "turns"))
    ? readFileSync(join(machine.root, "turns"), "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as { pid: number; prompt: string })
    : [];
const messages = async (ref = alex.ref): Promise<Answer[]> =>
  (await parley.get(`/sessions/${ref}/messages?limit=100`, alex)).body.messages;
const said = async () =>
  (await messages())
    .filter(({ handle, type }) => handle === "team-blue" && type === "chat")
    .map(({ content }) => content.text);
const roster = async (): Promise<Answer[]> =>
  (await parley.get(`/sessions/${alex.ref}/participants`, alex)).body.participants;
const isListening = async () => (await roster()).find(({ handle }) => handle === "team-blue")?.listening;
const say = (content: string, more: object = {}) =>
  parley.post(`/sessions/${alex.ref}/messages`, { content, ...more }, alex);
const ask = (content: string) => say(content, { kind: "question" });
const end = (running: ReturnType<typeof seat>) => {
  running.child.kill("SIGINT");
  return running.ended;
};
const isAlive = (pid = 0) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test(
  "--doze: without a turn its process ends; the next one starts it again, with all that it remembers",
  SLOW,
  async () => {
    machine.environment.SCRIPTED_MEMORY = join(machine.root, "memory");
    const running = seat("--doze", "0.005", "--prompt", "do: say hello");
    await until(async () => (await said()).length === 1, "hello");
    const [first] = turns();
    await until(() => !isAlive(first?.pid), "its process to end");
    expect(running.child.exitCode).toBe(null);
    await ask("Still there? do: say yes");
    await until(async () => (await said()).includes("yes"), "the answer");
    const [, second] = turns();
    expect(second?.pid).not.toBe(first?.pid);
    expect(second?.prompt).not.toContain("You are team-blue");
    expect((await end(running)).code).toBe(130);
  },
);

test(
  "a provider's quota parks the run, and says so once; with --on-quota stop it ends with a sentence",
  SLOW,
  async () => {
    const parked = seat("--prompt", "do: quota");
    await until(async () => (await said()).length === 1, "the sentence");
    expect((await said())[0]).toMatch(/^Parked: agent: .*usage limit It goes on when the provider lets it\.$/);
    await until(() => parked.said.stdout.includes("Trying again in 1 min."), "when it goes on");
    const run = async () => (await parley.get(`/sessions/${alex.ref}/agents`, alex)).body.agents[0];
    await until(async () => (await run()).error?.includes("usage limit"), "why it waits");
    expect((await run()).status).toBe("waiting");
    expect((await end(parked)).code).toBe(130);

    const stopped = await seat("--on-quota", "stop", "--prompt", "do: quota").ended;
    expect(stopped.code).toBe(1);
    const last = (await messages()).filter(({ type }) => type === "chat").at(-1);
    expect(last.content.text).toMatch(/^Failed: agent: .*usage limit$/);
    expect(turns()).toHaveLength(2);
  },
);

test("--create opens a session for it, --resume goes on where one has ended", SLOW, async () => {
  const create = machine.start([
    "run",
    "--create",
    "Refunds",
    "--as",
    "Team Blue",
    "--json",
    "--prompt",
    "do: conclude Done.",
    ...agent,
  ]);
  const first = await create.ended;
  expect(first.code).toBe(3);
  const seated = (text: string) => JSON.parse(text.split("\n")[0] ?? "") as { type: string; ref: string };
  const { ref } = seated(first.stdout);
  const { body } = await parley.get("/sessions?status=closed");
  expect(body.sessions.find((session: Answer) => session.ref === ref)).toMatchObject({ title: "Refunds" });

  const resume = machine.start(["run", "--resume", ref, "--as", "Team Blue", "--json", "--max-turns", "1", ...agent]);
  await until(() => turns().length === 2, "the turn in the session that follows");
  expect(seated(resume.said.stdout).ref).not.toBe(ref);
  expect(turns()[1]?.prompt).toContain("Done.");
  expect((await end(resume)).code).toBe(130);
  expect((await machine.run(["run", "--as", "B", ...agent])).stderr).toContain(
    "--join <ref>, --create <title> or --resume",
  );
});

test("--max-turns and --max-cost end it before the next turn, with a sentence in the feed", SLOW, async () => {
  const limits = [
    ["--max-turns", "1", "The limit of 1 turn is reached. team-blue stops here."],
    ["--max-cost", "0.2", "The limit of 0.2 USD is reached (0.25). team-blue-2 stops here."],
  ] as const;
  for (const [option, value, sentence] of limits) {
    const before = turns().length;
    const running = seat(option, value, "--prompt", "do: tokens 5;say done");
    await until(() => turns().length > before, "the first turn");
    await ask("And? do: say too much");
    expect((await running.ended).code).toBe(5);
    const last = (await messages()).filter(({ type }) => type === "chat").at(-1);
    expect(last).toMatchObject({ kind: "status", content: { text: sentence } });
    expect(turns()).toHaveLength(before + 1);
  }
});

test("--voice: all says its last words though it has posted; none never does", SLOW, async () => {
  for (const [voice, expected] of [
    ["all", ["posted", "and said"]],
    ["none", ["posted"]],
  ] as const) {
    alex = await parley.create();
    const running = seat("--voice", voice, "--prompt", "do: post posted;say and said");
    await until(() => running.said.stdout.includes("◂ end_turn"), "the turn");
    await until(isListening, "the agent to wait");
    expect(await said()).toEqual(expected);
    expect((await end(running)).code).toBe(130);
  }
});

test(
  "--wake: a status line wakes only who asked for all; plain words wake not who wants questions; a question wakes them all",
  SLOW,
  async () => {
    for (const [wake, woken] of [
      ["all", ["status", "message", "question"]],
      ["addressed", ["message", "question"]],
      ["questions", ["question"]],
    ] as const) {
      alex = await parley.create();
      const before = turns().length;
      const running = seat("--wake", wake, "--prompt", "do: say SILENT");
      await until(isListening, "the agent to wait");
      let expected = before + 1;
      for (const kind of ["status", "message", "question"]) {
        await say(`a ${kind}`, { kind });
        if (!(woken as readonly string[]).includes(kind)) continue;
        expected += 1;
        await until(() => turns().length === expected, `a turn by a ${kind}`);
        await until(isListening, "the agent to wait");
      }
      // What gave no turn of its own has come along with the next one: its script is said then, too.
      expect([wake, turns().length - before]).toEqual([wake, woken.length + 1]);
      expect((await end(running)).code).toBe(130);
    }
  },
);

test(
  "Ctrl-C in a turn ends it and leaves; twice, it ends at once; with the server away it does not wait for it",
  SLOW,
  async () => {
    const polite = seat("--prompt", "do: sleep");
    await until(() => turns().length === 1, "the turn");
    expect((await end(polite)).code).toBe(130);
    expect((await roster()).find(({ handle }) => handle === "team-blue")?.left_at).not.toBe(null);

    const stuck = seat("--prompt", "do: hang");
    await until(() => turns().length === 2, "the turn");
    stuck.child.kill("SIGINT");
    await until(async () => {
      stuck.child.kill("SIGINT");
      return stuck.child.exitCode !== null;
    }, "the end");
    expect((await stuck.ended).code).toBe(130);
    const hung = turns()[1]?.pid;
    expect((await roster()).find(({ handle }) => handle === "team-blue-2")?.left_at).toBe(null);
    if (isAlive(hung)) process.kill(hung as number, "SIGKILL");

    const away = await startTestServer();
    alex = { ...(await away.create()) };
    const machineOf = machine.environment.MCP_URL;
    machine.environment.MCP_URL = `${away.url}/mcp`;
    const alone = seat("--prompt", "do: say hello");
    await until(() => turns().length === 3, "the turn");
    await away.server.stop();
    expect((await end(alone)).code).toBe(130);
    machine.environment.MCP_URL = machineOf as string;
    await away.database.drop();
  },
);

test("tasks are not taken while the session is paused, and are when it goes on", SLOW, async () => {
  const at = (path: string, args: object = {}, team: Team = alex) =>
    parley.post(`/sessions/${alex.ref}${path}`, args, team);
  const green = await parley.join(alex, "Team Green");
  await at("/tasks", { tasks: [{ title: "One", body: "do: done 1" }] });
  await at("/tasks/claim", { task: 1 }, green);
  const running = seat("--task", "next");
  await until(isListening, "the agent to wait");
  await at("/pause", { reason: "lunch" });
  await at("/leave", {}, green);
  await until(isListening, "the agent to wait");
  expect(turns()).toHaveLength(1);
  await at("/unpause");
  expect(await running.ended).toMatchObject({ code: 0, stdout: expect.stringContaining("No task is left.") });
});

test(
  "a runner of a name that another process offers on this machine is refused: each would speak for the teams of the other",
  SLOW,
  async () => {
    const config = join(machine.root, "runner.json");
    writeFileSync(config, JSON.stringify({ agents: { scripted: { command: agent.slice(1) } }, accept: "anyone" }));
    const offer = () => machine.start(["runner", "--name", "studio", "--config", config]);
    const first = offer();
    await until(() => first.said.stdout.includes("studio offers"), "the offer");
    expect(await offer().ended).toMatchObject({
      code: 1,
      stderr: `parley: studio is offered by process ${first.child.pid} already. Take another name, or end that one.\n`,
    });
    first.child.kill("SIGKILL");
    await first.ended;
    const next = offer();
    await until(() => next.said.stdout.includes("studio offers"), "the next offer");
    expect((await end(next)).code).toBe(130);
  },
);

test(
  "--worktree where there is no repository, or one with changes, is refused in a sentence, and it sits nowhere",
  SLOW,
  async () => {
    const wrong = async () => {
      const { code, stderr } = await seat("--worktree").ended;
      return [code, stderr, (await roster()).filter(({ left_at }) => left_at === null).length];
    };
    expect(await wrong()).toEqual([1, expect.stringContaining("in no git repository"), 1]);
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@example.com", ...args], { cwd: machine.folder });
    git("init", "-q", "-b", "main");
    expect(await wrong()).toEqual([1, expect.stringContaining("no commit yet"), 1]);
    writeFileSync(join(machine.folder, "a"), "1");
    git("add", "a");
    git("commit", "-qm", "first");
    writeFileSync(join(machine.folder, "a"), "2");
    expect(await wrong()).toEqual([1, expect.stringContaining("not committed"), 1]);
    expect(
      (await machine.run(["run", "--join", alex.ref, "--as", "B", "--cwd", "/no/such", ...agent])).stderr,
    ).toContain("There is no folder");
    expect((await machine.run(["run", "My Agent", "--join", alex.ref, "--as", "B", ...agent])).code).toBe(2);
  },
);
