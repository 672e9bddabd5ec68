import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { NO_RULES } from "./no-rules.ts";
import { client, until } from "./server.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const OURS = /^(PORT|HOST|DATABASE_URL|PUBLIC_URL|MCP_URL|TRUST_PROXY|LOG_LEVEL|NODE_ENV|PARLEY_.*|OIDC_.*|VITEST.*)$/;

/** The server as an operator runs it: a process of its own, steered by its environment alone. */
export function spawnParley(env: Record<string, string>) {
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !OURS.test(name)));
  const child: ChildProcess = spawn(process.execPath, ["api/main.ts"], {
    cwd: ROOT,
    env: { ...inherited, PORT: "0", LOG_LEVEL: "warn", PARLEY_SETTINGS: JSON.stringify(NO_RULES), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = { stdout: "", stderr: "" };
  child.stdout?.setEncoding("utf8").on("data", (text) => (said.stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text) => (said.stderr += text));
  // "close" comes after the last output, unlike "exit"; but a database left behind may hold the pipes open.
  const exited = once(child, "exit").then(([code]) => code as number | null);
  return { child, said, exited };
}

/** Starts it and returns when it has announced its addresses. */
export async function startParley(env: Record<string, string>) {
  const { child, said, exited } = spawnParley(env);
  const ended = () => child.exitCode !== null || child.signalCode !== null;
  const url = await until(
    () => {
      if (ended()) throw new Error(`Parley did not start:\n${said.stdout}${said.stderr}`);
      return /page\s+(http:\S+)\n[\s\S]*AGENTS\.md/.exec(said.stdout)?.[1];
    },
    "the addresses",
    60_000,
  );
  return {
    url,
    pid: child.pid as number,
    said,
    exited,
    get alive() {
      return !ended();
    },
    kill: async (signal: NodeJS.Signals) => {
      child.kill(signal);
      return exited;
    },
    ...client(url),
  };
}

export type ParleyProcess = Awaited<ReturnType<typeof startParley>>;
