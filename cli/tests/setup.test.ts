import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { startTestServer, type Team, type TestServer, until } from "../../testing/server.ts";
import { createMachine, type Machine } from "./machine.ts";

let parley: TestServer;
let alex: Team;
let machine: Machine;
beforeAll(async () => {
  parley = await startTestServer();
});
afterAll(() => parley.stop());
beforeEach(async () => {
  machine = createMachine({ MCP_URL: `${parley.url}/mcp` });
  machine.environment.HOME = machine.root;
});
afterEach(() => machine.remove());

const file = (name: string) => join(machine.folder, name);
const read = (name: string) => readFileSync(file(name), "utf8");

test("Claude Code is told of the link and the hooks, once; what else stands there stays; undone, it is as it was", async () => {
  const before =
    '{\n    "permissions": {"allow": ["Bash(ls)"]},\n    "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}\n}';
  mkdirSync(file(".claude"));
  writeFileSync(file(".claude/settings.local.json"), before);
  const shown = await machine.run(["setup", "claude-code"]);
  expect(shown).toMatchObject({ code: 0, stderr: "Nothing was written. With --yes it is.\n" });
  expect(shown.stdout).toContain(`+       "url": "${parley.url}/mcp"`);
  expect([existsSync(file(".mcp.json")), read(".claude/settings.local.json")]).toEqual([false, before]);

  expect((await machine.run(["setup", "claude-code", "--yes"])).code).toBe(0);
  const settings = JSON.parse(read(".claude/settings.local.json"));
  expect(settings.permissions).toEqual({ allow: ["Bash(ls)"] });
  expect(settings.hooks.Stop).toMatchObject([
    { hooks: [{ command: "say done" }] },
    { hooks: [{ command: expect.stringContaining("'hook' 'stop'"), asyncRewake: true }] },
  ]);
  expect((await machine.run(["setup", "claude-code", "--yes"])).stdout).toBe("Claude Code is set up already.\n");

  await machine.run(["setup", "claude-code", "--undo", "--yes"]);
  expect([existsSync(file(".mcp.json")), read(".claude/settings.local.json")]).toEqual([false, before]);
  expect((await machine.run(["setup", "claude-code", "--undo"])).stdout).toBe(
    "Claude Code has nothing of Parley here.\n",
  );
});

test("undone after others have edited the file, only what is ours goes; a file with comments is left alone", async () => {
  await machine.run(["setup", "gemini", "--yes"]);
  const settings = JSON.parse(read(".gemini/settings.json"));
  writeFileSync(file(".gemini/settings.json"), JSON.stringify({ ...settings, theme: "dark" }));
  await machine.run(["setup", "gemini", "--undo", "--yes"]);
  expect(JSON.parse(read(".gemini/settings.json"))).toEqual({ theme: "dark" });

  const config = join(machine.root, ".codex/config.toml");
  mkdirSync(join(machine.root, ".codex"));
  writeFileSync(config, 'model = "x"\n\n[mcp_servers.other]\nurl = "y"');
  await machine.run(["setup", "codex", "--yes"]);
  expect(readFileSync(config, "utf8")).toBe(
    `model = "x"\n\n[mcp_servers.other]\nurl = "y"\n\n[mcp_servers.parley]\nurl = "${parley.url}/mcp"\n`,
  );
  writeFileSync(config, `${readFileSync(config, "utf8")}\n# about what comes\n[after]\nz = 1\n`);
  await machine.run(["setup", "codex", "--undo", "--yes"]);
  expect(readFileSync(config, "utf8")).toBe(
    'model = "x"\n\n[mcp_servers.other]\nurl = "y"\n\n# about what comes\n[after]\nz = 1\n',
  );

  writeFileSync(file("opencode.json"), "{ // mine\n}");
  expect(await machine.run(["setup", "opencode", "--yes"])).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringContaining("comments?"),
  });
  expect(read("opencode.json")).toBe("{ // mine\n}");
});

test("what a person has added to the entry stays; a key is referred to by its name, and only where the server was named", async () => {
  const config = join(machine.root, ".codex/config.toml");
  mkdirSync(join(machine.root, ".codex"));
  writeFileSync(config, '[mcp_servers.parley] # ours\nurl = "old"\n# slow\ntool_timeout_sec = 90\n\n# next\n[tui]\n');
  await machine.run(["setup", "codex", "--yes"]);
  expect(readFileSync(config, "utf8")).toBe(
    `[mcp_servers.parley] # ours\nurl = "${parley.url}/mcp"\n# slow\ntool_timeout_sec = 90\n\n# next\n[tui]\n`,
  );
  writeFileSync(file(".mcp.json"), '{"mcpServers": {"parley": {"url": "old", "headers": {"X-Mine": "1"}}}}');
  await machine.run(["setup", "claude-code", "--yes"]);
  const entry = () => JSON.parse(read(".mcp.json")).mcpServers.parley;
  expect(entry()).toEqual({ type: "http", url: `${parley.url}/mcp`, headers: { "X-Mine": "1" } });

  machine.environment.PARLEY_KEY = "pk_12345678_secret";
  await machine.run(["setup", "claude-code", "--yes"]);
  await machine.run(["setup", "codex", "--yes"]);
  expect(entry().headers).toEqual({ "X-Mine": "1", Authorization: `Bearer $\{PARLEY_KEY}` });
  expect(readFileSync(config, "utf8")).toContain('bearer_token_env_var = "PARLEY_KEY"');
  // The link of a folder comes along with it, and may be anybody's.
  delete machine.environment.MCP_URL;
  writeFileSync(file(".mcp.json"), '{"mcpServers": {"parley": {"type": "http", "url": "http://127.0.0.1:9/mcp"}}}');
  await machine.run(["setup", "cursor", "--yes"]);
  expect(read(".cursor/mcp.json")).not.toContain("PARLEY_KEY");
});

const CLIENTS: Record<string, Record<string, string>> = {
  "claude-code": {
    ".mcp.json": '{\n\t"mcpServers": {"other": {"command": "x"}}\n}',
    ".claude/settings.local.json": '{"hooks": {"SessionStart": []}, "model": "x"}',
  },
  codex: { "../.codex/config.toml": '[mcp_servers.parley-two]\nurl = "y" # mine\n' },
  opencode: { "opencode.json": '{\n  "mcp": {}\n}\n' },
  cursor: { ".cursor/mcp.json": "{}" },
  gemini: { ".gemini/settings.json": '{"theme": "dark"}' },
};

test.each(Object.entries(CLIENTS))(
  "%s: set up twice is once; undone, every byte is as it was, and undone twice is once",
  async (client, files) => {
    const there = () => Object.keys(files).map((name) => (existsSync(file(name)) ? read(name) : undefined));
    const yes = (...more: string[]) => machine.run(["setup", client, "--yes", ...more]);
    for (const before of [Object.values(files), Object.keys(files).map(() => undefined)]) {
      for (const [place, name] of Object.keys(files).entries()) {
        const text = before[place];
        mkdirSync(dirname(file(name)), { recursive: true });
        if (text === undefined) rmSync(file(name), { force: true });
        else writeFileSync(file(name), text);
      }
      expect((await yes()).code).toBe(0);
      const done = there();
      expect(done.join()).toContain(parley.url);
      expect((await yes()).stdout).toContain("is set up already");
      expect(there()).toEqual(done);
      expect((await yes("--undo")).code).toBe(0);
      expect(there()).toEqual(before);
      expect((await yes("--undo")).stdout).toContain("has nothing of Parley here");
      expect(there()).toEqual(before);
    }
  },
);

test("the hooks do nothing without a session; with one they brief, and wake exactly once with what is said to the team", async () => {
  expect(await machine.run(["hook", "stop"])).toEqual({ code: 0, stdout: "", stderr: "" });
  alex = await parley.create();
  await machine.run(["join", alex.ref, "--as", "Team Blue"]);
  await parley.say(alex, "Before you came back.");
  const brief = await machine.run(["hook", "session-start"]);
  expect(brief.stdout).toMatch(/^You are team-blue in the Parley session [\s\S]*Before you came back\./);

  const isListening = async () =>
    (await parley.get(`/sessions/${alex.ref}/participants`, alex)).body.participants[1].listening;
  const waiting = machine.start(["hook", "stop"]);
  await until(isListening, "the hook to wait");
  const { participants } = (await parley.get(`/sessions/${alex.ref}/participants`, alex)).body;
  expect(participants[1].reachable).toMatchObject({ by: "hook" });
  // One waits for the team: the next one has nothing to do.
  expect(await machine.run(["hook", "stop"])).toEqual({ code: 0, stdout: "", stderr: "" });
  await parley.post(`/sessions/${alex.ref}/messages`, { content: "busy", kind: "status" }, alex);
  await parley.post(`/sessions/${alex.ref}/messages`, { content: "Are you there?", kind: "question" }, alex);
  const { code, stdout, stderr } = await waiting.ended;
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(/#\d+ alexs-team status: busy\n#\d+ alexs-team question: Are you there\?\n$/);
  expect(stderr).not.toContain("Before you came back");

  const again = machine.start(["hook", "stop"]);
  await until(isListening, "the hook to wait");
  expect(again.child.exitCode).toBe(null);
  await parley.post(`/sessions/${alex.ref}/conclude`, { summary_section: "Done." }, alex);
  expect(await again.ended).toMatchObject({ code: 2, stderr: expect.stringContaining("concluded the session") });
  expect(await machine.run(["hook", "stop"])).toEqual({ code: 0, stdout: "", stderr: "" });
});
