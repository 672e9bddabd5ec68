import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { startParley } from "./process.ts";
import { startScriptedModel } from "./scripted-model.ts";
import { type Team, until } from "./server.ts";

/**
 * npm run check:agents: the real agents, installed into a temporary folder (1.5 GB; AGENTS_FOLDER names one to keep),
 * with their model replaced by a script. By hand, not a part of npm test.
 */
const PACKAGES = [
  "@anthropic-ai/claude-code",
  "@agentclientprotocol/claude-agent-acp@0.99.1",
  "@agentclientprotocol/codex-acp@2.6.0",
  "@google/gemini-cli@0.61.0",
  "opencode-ai@1.18.33",
];
const LAUNCHER = fileURLToPath(new URL("../cli/parley.js", import.meta.url));
const PATIENCE_MS = 60_000;

const root = mkdtempSync(join(tmpdir(), "parley-agents-"));
const folder = process.env.AGENTS_FOLDER ?? join(root, "installed");
const say = (text: string) => console.log(text);
let failed = 0;

install();
const model = await startScriptedModel();
const parley = await startParley({ PARLEY_DATA: join(root, "data") });
const env = environment();
try {
  await check("the real Claude Code over ACP speaks and is woken through parley run", throughRun);
  await check("the real Claude Code over ACP works through the task list", throughTasks);
  await check("spawn_agent and prompt_agent(wait) bring the words of the real Claude Code", throughRunner);
  await check("the real Claude Code over plain MCP posts with its team's header", overMcp);
  await check("the hooks of parley setup brief and wake the real Claude Code", byHooks);
  for (const agent of ["codex", "gemini", "opencode"])
    await check(`${agent} is started and answers`, () => greeted(agent));
} finally {
  await parley.kill("SIGTERM");
  model.stop();
  rmSync(root, { recursive: true, force: true });
}
process.exitCode = failed > 0 ? 1 : 0;

function install() {
  mkdirSync(folder, { recursive: true });
  const allowScripts = { "@anthropic-ai/claude-code": true, "opencode-ai": true };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, allowScripts }));
  say(`installing ${PACKAGES.join(", ")} into ${folder}`);
  execFileSync("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error", ...PACKAGES], {
    cwd: folder,
    stdio: "inherit",
  });
}

/** A home without an account, programs of this folder, a model on loopback. */
function environment(): Record<string, string> {
  const path = [join(folder, "node_modules/.bin"), dirname(process.execPath), process.env.PATH].join(delimiter);
  const home = join(root, "home");
  mkdirSync(home);
  return {
    PATH: path,
    HOME: home,
    PARLEY_HOME: join(home, ".parley"),
    MCP_URL: `${parley.url}/mcp`,
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: "sk-ant-x",
    ENABLE_TOOL_SEARCH: "false",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  };
}

async function check(what: string, work: () => Promise<string>) {
  const began = Date.now();
  try {
    const found = await work();
    say(`✓ ${what} (${((Date.now() - began) / 1_000).toFixed(1)} s): ${found}`);
  } catch (error) {
    failed += 1;
    say(`✗ ${what}: ${(error as Error).message}`);
  }
}

function start(command: string, args: string[], cwd = mkdtempSync(join(root, "work-")), isOpen = false) {
  const child = spawn(command, args, { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
  child.stdin.on("error", () => undefined);
  if (!isOpen) child.stdin.end();
  const said = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text) => (said.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text) => (said.stderr += text));
  return { child, said, ended: once(child, "close").then(([code]) => code as number | null) };
}

function command(...args: string[]) {
  return start(process.execPath, [LAUNCHER, ...args]);
}

async function chat(team: Team): Promise<string[]> {
  const { body } = await parley.get(`/sessions/${team.ref}/messages`, team);
  return body.messages
    .filter(({ type }: { type: string }) => type === "chat")
    .map(({ handle, content }: { handle: string; content: { text: string } }) => `${handle}: ${content.text}`);
}

function holds(team: Team, line: string) {
  return until(async () => (await chat(team)).includes(line), `"${line}"`, PATIENCE_MS);
}

async function throughRun(): Promise<string> {
  const alex = await parley.create();
  const running = command(
    "run",
    "claude",
    "--join",
    alex.ref,
    "--as",
    "Claude",
    "--prompt",
    "do: post hello from the real one",
  );
  await holds(alex, "claude: hello from the real one").catch((error) => {
    throw new Error(`${error.message}\n${running.said.stdout}${running.said.stderr}`);
  });
  const began = Date.now();
  await parley.post(`/sessions/${alex.ref}/messages`, { content: "do: post I was woken", kind: "question" }, alex);
  await holds(alex, "claude: I was woken");
  const woken = Date.now() - began;
  await until(() => running.said.stdout.match(/◂/g)?.length === 2, "the end of the turn", PATIENCE_MS);
  await parley.post(`/sessions/${alex.ref}/conclude`, { summary_section: "Done." }, alex);
  const code = await running.ended;
  return `exit code ${code}, answered ${woken} ms after the question\n${running.said.stdout.trim().replace(/^/gm, "    ")}`;
}

async function throughTasks(): Promise<string> {
  const alex = await parley.create();
  const tasks = ["One", "Two"].map((title, place) => ({ title, body: `do: finish ${place + 1}` }));
  await parley.post(`/sessions/${alex.ref}/tasks`, { tasks }, alex);
  const running = command("run", "claude", "--join", alex.ref, "--as", "Claude", "--task", "next");
  const code = await running.ended;
  const { body } = await parley.get(`/sessions/${alex.ref}/tasks`, alex);
  const done = body.tasks.filter(({ status }: { status: string }) => status === "done").length;
  if (code !== 0 || done !== 2)
    throw new Error(`exit code ${code}, ${done} done\n${running.said.stdout}${running.said.stderr}`);
  return `exit code ${code}, ${done} of 2 done\n${running.said.stdout.trim().replace(/^/gm, "    ")}`;
}

async function throughRunner(): Promise<string> {
  const alex = await parley.create();
  const running = command("runner", "--name", "studio", "--agents", "claude", "--accept", "anyone");
  await until(() => running.said.stdout.includes("offers"), "the offer", PATIENCE_MS);
  const at = (path: string) => `/sessions/${alex.ref}${path}`;
  const spawned = await parley.post(
    at("/agents"),
    { agent: "claude", prompt: "do: post hello from a runner", team_name: "Ann" },
    alex,
  );
  if (spawned.status !== 200) throw new Error(JSON.stringify(spawned.body));
  await holds(alex, "ann: hello from a runner");
  let { body } = await parley.post(at("/agents/ann/prompt"), { prompt: "do: post asked and done", wait: 30 }, alex);
  for (let tries = 6; !body.done && tries > 0; tries -= 1)
    ({ body } = await parley.post(at("/agents/ann/prompt"), { turn: body.turn, wait: 30 }, alex));
  const transcript = await parley.get(at("/agents/ann/transcript?format=lines"), alex);
  const [run] = (await parley.get(at("/agents"), alex)).body.agents;
  running.child.kill("SIGINT");
  await running.ended;
  return `done ${body.done}, words "${body.words}"; turns ${run.turns}, tokens ${run.tokens}, cost ${run.cost}\n${String(transcript.body).trim().replace(/^/gm, "    ")}`;
}

async function overMcp(): Promise<string> {
  const alex = await parley.create();
  const team = await parley.join(alex, "Plain Claude");
  const config = join(root, "mcp.json");
  const server = { type: "http", url: `${parley.url}/mcp?session=${team.ref}`, headers: { "X-Team-ID": team.team_id } };
  writeFileSync(config, JSON.stringify({ mcpServers: { parley: server } }));
  const args = ["-p", "do: post by plain MCP", "--mcp-config", config, "--strict-mcp-config"];
  const { ended, said } = start("claude", [...args, "--allowedTools", "mcp__parley", "--output-format", "json"]);
  const code = await ended;
  if (!(await chat(alex)).includes("plain-claude: by plain MCP"))
    throw new Error(`exit code ${code}: ${said.stdout}${said.stderr}`);
  return `exit code ${code}, result "${JSON.parse(said.stdout).result}"`;
}

/** An open session: its input stays open, its turn ends, and what somebody says then gives it another one. */
async function byHooks(): Promise<string> {
  const alex = await parley.create();
  const cwd = mkdtempSync(join(root, "work-"));
  const done = (...args: string[]) => start(process.execPath, [LAUNCHER, ...args], cwd).ended;
  await done("setup", "claude-code", "--yes");
  await done("join", alex.ref, "--as", "Open Claude");
  const [team] = JSON.parse(readFileSync(join(env.PARLEY_HOME as string, "teams.json"), "utf8")).teams.slice(-1);
  const config = join(root, "hooks-mcp.json");
  const server = { type: "http", url: `${parley.url}/mcp?session=${team.ref}`, headers: { "X-Team-ID": team.team_id } };
  writeFileSync(config, JSON.stringify({ mcpServers: { parley: server } }));
  const forms = ["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
  const tools = ["--mcp-config", config, "--strict-mcp-config", "--allowedTools", "mcp__parley"];
  const { child, said, ended } = start("claude", ["-p", ...forms, ...tools], cwd, true);
  const prompt = { type: "user", message: { role: "user", content: "do: post I am open" } };
  child.stdin.write(`${JSON.stringify(prompt)}\n`);
  try {
    await holds(alex, "open-claude: I am open");
    const hooked = async () => {
      const { participants } = (await parley.get(`/sessions/${alex.ref}/participants`, alex)).body;
      return participants.some(
        ({ handle, listening }: Team & { listening: boolean }) => handle === "open-claude" && listening,
      );
    };
    await until(hooked, "its hook to wait", PATIENCE_MS);
    const began = Date.now();
    await parley.post(`/sessions/${alex.ref}/messages`, { content: "do: post I was woken", kind: "question" }, alex);
    await holds(alex, "open-claude: I was woken");
    const woken = Date.now() - began;
    await until(hooked, "its next hook to wait", PATIENCE_MS);
    const times = (await chat(alex)).filter((line) => line === "open-claude: I was woken").length;
    return `woken ${times} time, ${woken} ms after the question, and waits again`;
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${said.stdout.slice(-3_000)}${said.stderr.slice(-1_000)}`);
  } finally {
    child.kill("SIGTERM");
    await ended;
  }
}

/** Without an account some can only be greeted: then the command says so in words. */
async function greeted(agent: string): Promise<string> {
  const alex = await parley.create();
  const running = command("run", agent, "--join", alex.ref, "--as", agent, "--max-turns", "1", "--idle", "0.05");
  const seated = until(() => running.said.stdout.includes(" in "), "its seat", PATIENCE_MS).then(() =>
    running.child.kill("SIGINT"),
  );
  const code = await Promise.race([running.ended, seated.then(() => running.ended)]);
  const said = `exit code ${code}: ${(running.said.stdout + running.said.stderr).trim().replaceAll("\n", " | ")}`;
  if (!/ wants you to sign in first |^exit code 130: \S+ in /.test(said)) throw new Error(said);
  return said;
}
