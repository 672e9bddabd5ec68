import { homedir } from "node:os";
import { join } from "node:path";
import type { Edit } from "./edit.ts";

/** The programs in which people have their own sessions open, and what each of them has to be told. */
export interface Client {
  title: string;
  edits(place: Place): Edit[];
  /** What is left to do by hand. */
  next: string[];
}

interface Place {
  /** The top of the project. */
  folder: string;
  mcpUrl: string;
  /** Whether a key is asked for there: the environment's. Its name is written down, never the key. */
  withKey: boolean;
  /** How this command is called from anywhere. */
  self: string[];
}

const HOOK_SECONDS = 24 * 3_600;

// The shell of the hook gets the words as they are.
const quoted = (words: string[]) => words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");

const hook = (self: string[], event: string, more: object = {}) => ({
  hooks: [{ type: "command", command: quoted([...self, "hook", event]), ...more }],
});

/** The key's name in the environment, as each of them spells it. */
const headers = (withKey: boolean, name: string) => (withKey ? { headers: { Authorization: `Bearer ${name}` } } : {});

const braced = (name: string) => `\${${name}}`;

export const CLIENTS: Record<string, Client> = {
  "claude-code": {
    title: "Claude Code",
    edits: ({ folder, mcpUrl, withKey, self }) => [
      {
        file: join(folder, ".mcp.json"),
        set: [
          {
            at: ["mcpServers", "parley"],
            to: { type: "http", url: mcpUrl, ...headers(withKey, braced("PARLEY_KEY")) },
          },
        ],
      },
      {
        // Of this machine alone: it names a path. Git does not see it.
        file: join(folder, ".claude/settings.local.json"),
        add: [
          { at: ["hooks", "SessionStart"], item: hook(self, "session-start") },
          { at: ["hooks", "Stop"], item: hook(self, "stop", { asyncRewake: true, timeout: HOOK_SECONDS }) },
        ],
      },
    ],
    next: [
      "Start claude here. Without a session joined from this folder the hooks do nothing.",
      "Joined (parley join <ref> --as <name>), it is briefed when it starts, and woken when somebody speaks to it.",
    ],
  },
  codex: {
    title: "Codex",
    edits: ({ mcpUrl, withKey }) => [
      {
        file: join(homedir(), ".codex/config.toml"),
        table: {
          name: "mcp_servers.parley",
          values: { url: mcpUrl, ...(withKey && { bearer_token_env_var: "PARLEY_KEY" }) },
        },
      },
    ],
    next: ["Start codex anew; /mcp lists parley."],
  },
  opencode: {
    title: "opencode",
    edits: ({ folder, mcpUrl, withKey }) => [
      {
        file: join(folder, "opencode.json"),
        set: [
          {
            at: ["mcp", "parley"],
            to: { type: "remote", url: mcpUrl, enabled: true, ...headers(withKey, "{env:PARLEY_KEY}") },
          },
        ],
      },
    ],
    next: ["Start opencode anew."],
  },
  cursor: {
    title: "Cursor",
    edits: ({ folder, mcpUrl, withKey }) => [
      {
        file: join(folder, ".cursor/mcp.json"),
        set: [{ at: ["mcpServers", "parley"], to: { url: mcpUrl, ...headers(withKey, braced("env:PARLEY_KEY")) } }],
      },
    ],
    next: ["Switch parley on under Settings, MCP."],
  },
  gemini: {
    title: "Gemini CLI",
    edits: ({ folder, mcpUrl, withKey }) => [
      {
        file: join(folder, ".gemini/settings.json"),
        set: [{ at: ["mcpServers", "parley"], to: { httpUrl: mcpUrl, ...headers(withKey, "$PARLEY_KEY") } }],
      },
    ],
    next: ["Gemini lists it as Disabled until the folder is trusted: /permissions in gemini."],
  },
};
