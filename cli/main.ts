import type { Command } from "./command.ts";
import { Refusal, Trouble, UsageError } from "./errors.ts";
import "./interrupt.ts";
import { note, safe } from "./output.ts";
import { version } from "./version.ts";

/** Loaded when called: a wait should not carry the MCP library. */
const COMMANDS: Record<string, [summary: string, load: () => Promise<Command>]> = {
  create: ["open a session and join it", async () => (await import("./commands/join.ts")).create],
  join: ["join a session by its ref", async () => (await import("./commands/join.ts")).join],
  resume: ["go on where a concluded session ended", async () => (await import("./commands/join.ts")).resume],
  wait: [
    "block in silence until somebody speaks, print it, end",
    async () => (await import("./commands/wait.ts")).wait,
  ],
  post: ["say something", async () => (await import("./commands/post.ts")).post],
  reply: ["answer a message", async () => (await import("./commands/reply.ts")).reply],
  ack: ["tell the others how far you have read", async () => (await import("./commands/ack.ts")).ack],
  message: ["one message, whole", async () => (await import("./commands/message.ts")).message],
  history: ["what was said", async () => (await import("./commands/history.ts")).history],
  search: ["find words in messages and document", async () => (await import("./commands/search.ts")).search],
  doc: ["print the document, append to it, write it", async () => (await import("./commands/doc.ts")).doc],
  tasks: ["how the work is divided; add to it", async () => (await import("./commands/tasks.ts")).tasks],
  claim: ["take a task, or wait for one", async () => (await import("./commands/claim.ts")).claim],
  done: ["say what came of a task", async () => (await import("./commands/done.ts")).done],
  verify: ["check what another team calls done", async () => (await import("./commands/verify.ts")).verify],
  changes: [
    "tell what you have changed, see who is there too",
    async () => (await import("./commands/changes.ts")).changes,
  ],
  participants: ["who is here", async () => (await import("./commands/participants.ts")).participants],
  list: ["sessions to join or to resume", async () => (await import("./commands/list.ts")).list],
  whoami: ["who you are, and what waits for you", async () => (await import("./commands/whoami.ts")).whoami],
  "catch-up": [
    "after a break: who does what, what you owe",
    async () => (await import("./commands/catch-up.ts")).catchUp,
  ],
  digest: ["the session in short", async () => (await import("./commands/digest.ts")).digest],
  conclude: ["close the session with a summary", async () => (await import("./commands/conclude.ts")).conclude],
  leave: ["leave the session", async () => (await import("./commands/leave.ts")).leave],
  run: [
    "put an agent at the table: it gets a turn when somebody speaks to it",
    async () => (await import("./commands/run.ts")).run,
  ],
  runner: [
    "offer this machine: teams and people start agents on it",
    async () => (await import("./commands/runner.ts")).runner,
  ],
  agents: ["agents that run in the session", async () => (await import("./commands/agents.ts")).agents],
  ring: ["see whether a team is there", async () => (await import("./commands/ring.ts")).ring],
  setup: ["tell Claude Code, Codex and others about Parley", async () => (await import("./commands/setup.ts")).setup],
  mcp: ["the MCP endpoint for clients that speak stdio", async () => (await import("./commands/mcp.ts")).mcp],
  doctor: ["what is between here and the server", async () => (await import("./commands/doctor.ts")).doctor],
  admin: [
    "on the server's machine: sign-in links, access keys, changed functions",
    async () => (await import("./commands/admin.ts")).admin,
  ],
  backup: [
    "on the server's machine: everything in one file",
    async () => (await import("./commands/backup.ts")).backup,
  ],
  restore: [
    "on the server's machine: a backup into a new database",
    async () => (await import("./commands/backup.ts")).restore,
  ],
  demo: ["scripted teams to watch", async () => (await import("./commands/demo.ts")).demo],
};

/** Not for people to call. */
const HIDDEN: typeof COMMANDS = {
  hook: ["what the hooks of Claude Code call", async () => (await import("./commands/hook.ts")).hook],
};

const HELP = `parley <command>: take part in sessions of agent teams.

${Object.entries(COMMANDS)
  .map(([name, [summary]]) => `  ${name.padEnd(14)}${summary}`)
  .join("\n")}

parley <command> --help tells more. [ref] may be left out: then it is the session joined last from this
repository (or folder).`;

async function main([name, ...args]: string[]): Promise<number> {
  if (name === undefined || name === "help" || name === "--help" || name === "-h") {
    process.stdout.write(`${HELP}\n`);
    return name === undefined ? 2 : 0;
  }
  if (name === "--version" || name === "-v") {
    process.stdout.write(`${version}\n`);
    return 0;
  }
  const known = [COMMANDS, HIDDEN].find((commands) => Object.hasOwn(commands, name))?.[name];
  if (!known) throw new UsageError(`There is no command ${name}. parley --help lists them.`);
  const command = await known[1]();
  return (await command.run(args)) ?? 0;
}

/** A sentence on stderr, never a stack, unless it is a defect of ours. */
function explain(error: unknown): number {
  if (error instanceof UsageError) {
    note(`parley: ${safe(error.message)}`);
    return 2;
  }
  if (error instanceof Refusal) note(safe([`${error.code}: ${error.message}`, error.hint].filter(Boolean).join("\n")));
  else if (error instanceof Trouble) note(`parley: ${safe(error.message)}`);
  else note(`parley: ${error instanceof Error ? error.stack : error}`);
  return 1;
}

// The reader may go first (… | head -1); whoever prints is told by the callback.
process.stdout.on("error", () => undefined);

process.exitCode = await main(process.argv.slice(2)).catch(explain);
