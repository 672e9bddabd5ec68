import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { onlyOne } from "../agents/only-one.ts";
import type { Permissions } from "../agents/permission.ts";
import type { Voice } from "../agents/run/options.ts";
import { Runner } from "../agents/runner.ts";
import { NAME, runnerConfig } from "../agents/runner-config.ts";
import { terminal } from "../agents/screen.ts";
import type { Wake } from "../agents/wake.ts";
import { command, WHERE } from "../command.ts";
import { findAddress } from "../connection/address.ts";
import { Trouble } from "../errors.ts";
import { onlyRef, toNumber } from "../input.ts";
import { interruption } from "../interrupt.ts";
import { safe } from "../output.ts";
import { minutes, oneOf } from "./run.ts";

export const runner = command({
  help: `parley runner --name studio --agents claude,codex --repo ~/code/billing --max 4: offer this machine; teams and people start agents on it (spawn_agent).

  --name <name>       what others call it
  --agents <a,b>      which agents it runs; others than those that parley run knows stand in the file
  --repo <folder>     a repository that they may work in, in worktrees of their own; may be given several times
  --max <n>           how many at a time; default 1
  --accept <whom>     key (default): whoever has an access key; anyone: with open access, whoever reaches the server
  --wake, --voice, --permissions, --idle (default 0: never), --doze, --patience, --on-quota   as in parley run, for all of them
  --config <file>     default ~/.parley/runner.json: {"name": "studio", "agents": {"claude": {}, "mine": {"command": ["node", "/opt/agent.js"]}},
                      "repos": {"billing": "~/code/billing"}, "max": 4}
  --url <link>        the address; default: see parley doctor. PARLEY_KEY in the environment is sent along: it needs the scope run

Commands, folders and arguments come from here alone: a spawn names one of these agents and repositories, and nothing else.
Ctrl-C ends its agents politely; twice: at once. After a restart it goes on with those that it had.`,
  options: {
    ...WHERE,
    name: { type: "string" },
    agents: { type: "string" },
    repo: { type: "string", multiple: true },
    max: { type: "string" },
    accept: { type: "string" },
    wake: { type: "string" },
    voice: { type: "string" },
    permissions: { type: "string" },
    idle: { type: "string" },
    doze: { type: "string" },
    patience: { type: "string" },
    "on-quota": { type: "string" },
    config: { type: "string" },
  },
  async run(values, positionals) {
    onlyRef(positionals);
    const max = toNumber(values.max, "--max", { min: 1, max: 100 });
    const config = runnerConfig({ ...values, max });
    const { base } = findAddress({ url: values.url });
    const signal = interruption();
    const write = (text: string) => void process.stdout.write(text);
    const machine = new Runner({
      base,
      config,
      token: tokenOf(config.name),
      signal,
      settings: {
        wake: oneOf<Wake>(values.wake, "--wake", ["addressed", "all", "questions"]),
        voice: oneOf<Voice>(values.voice, "--voice", ["tools", "all", "none"]),
        permissions: oneOf<Permissions>(values.permissions, "--permissions", ["ask", "edits", "all", "none"]),
        park: oneOf(values["on-quota"], "--on-quota", ["park", "stop"]) === "park",
        limits: {},
        idleMs: minutes(values.idle, "--idle", 0),
        patienceMs: minutes(values.patience, "--patience", 30),
        dozeMs: minutes(values.doze, "--doze", 10),
      },
      screen: ({ handle, ref }) => terminal(write, `${handle} in ${ref}  `),
      say: (text) => write(`${safe(text)}\n`),
    });
    const giveBack = await onlyOne(config.name);
    await machine.go().finally(giveBack);
    return signal.aborted ? 130 : 0;
  },
});

/** A random word that the name is bound to; kept, so that a restart is the same runner. */
function tokenOf(name: string): string {
  if (!NAME.test(name)) throw new Trouble(`${JSON.stringify(name)} is no name.`);
  const folder = process.env.PARLEY_HOME || join(homedir(), ".parley");
  const file = join(folder, `runner-${name}.token`);
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    const token = randomBytes(32).toString("base64url");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(file, `${token}\n`, { mode: 0o600 });
    return token;
  }
}
