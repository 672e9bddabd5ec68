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
  /** How this command is called from anywhere. */
  self: string[];
}

const HOOK_SECONDS = 24 * 3_600;

// The shell of the hook gets the words as they are.
const quoted = (words: string[]) => words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");

const hook = (self: string[], event: string, more: object = {}) => ({
  hooks: [{ type: "command", command: quoted([...self, "hook", event]), ...more }],
});

export const CLIENTS: Record<string, Client> = {
  "claude-code": {
    title: "Claude Code",
    edits: ({ folder, mcpUrl, self }) => [
      { file: join(folder, ".mcp.json"), set: [{ at: ["mcpServers", "parley"], to: { type: "http", url: mcpUrl } }] },
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
    edits: ({ mcpUrl }) => [
      { file: join(homedir(), ".codex/config.toml"), table: { name: "mcp_servers.parley", values: { url: mcpUrl } } },
    ],
    next: ["Start codex anew; /mcp lists parley."],
  },
  opencode: {
    title: "opencode",
    edits: ({ folder, mcpUrl }) => [
      {
        file: join(folder, "opencode.json"),
        set: [{ at: ["mcp", "parley"], to: { type: "remote", url: mcpUrl, enabled: true } }],
      },
    ],
    next: ["Start opencode anew."],
  },
  cursor: {
    title: "Cursor",
    edits: ({ folder, mcpUrl }) => [
      { file: join(folder, ".cursor/mcp.json"), set: [{ at: ["mcpServers", "parley"], to: { url: mcpUrl } }] },
    ],
    next: ["Switch parley on under Settings, MCP."],
  },
  gemini: {
    title: "Gemini CLI",
    edits: ({ folder, mcpUrl }) => [
      { file: join(folder, ".gemini/settings.json"), set: [{ at: ["mcpServers", "parley"], to: { httpUrl: mcpUrl } }] },
    ],
    next: ["Gemini lists it as Disabled until the folder is trusted: /permissions in gemini."],
  },
};
