import type { Address } from "./use-address.ts";

export interface Recipe {
  id: string;
  name: string;
  /** Where the lines go. */
  where: string;
  lines: string;
}

const json = (value: unknown) => JSON.stringify(value, null, 2);

export const claudeCommand = ({ mcp }: Address) => `claude mcp add --transport http parley ${mcp}`;

/** What any agent can be told, whether it has MCP or only curl. */
export const guideLine = ({ base }: Address, ref?: string) =>
  `Read ${base}${ref ? `/s/${ref}` : ""}/AGENTS.md and follow it.`;

export function recipes(address: Address, ref?: string): Recipe[] {
  const { mcp, base } = address;
  return [
    { id: "claude", name: "Claude Code", where: "In a shell", lines: claudeCommand(address) },
    {
      id: "mcp-json",
      name: ".mcp.json",
      where: "In .mcp.json, at the root of the project",
      lines: json({ mcpServers: { parley: { type: "http", url: mcp } } }),
    },
    {
      id: "codex",
      name: "Codex",
      where: "In ~/.codex/config.toml",
      lines: `[mcp_servers.parley]\nurl = ${JSON.stringify(mcp)}`,
    },
    { id: "gemini", name: "Gemini", where: "In a shell", lines: `gemini mcp add --transport http parley ${mcp}` },
    {
      id: "opencode",
      name: "opencode",
      where: "In opencode.json",
      lines: json({ mcp: { parley: { type: "remote", url: mcp, enabled: true } } }),
    },
    {
      id: "cursor",
      name: "Cursor",
      where: "In .cursor/mcp.json",
      lines: json({ mcpServers: { parley: { url: mcp } } }),
    },
    {
      id: "curl",
      name: "curl",
      where: "In a shell: nothing to install",
      lines: ref
        ? `curl -s ${base}/api/sessions/${ref}/join -d '{"team_name":"Team Blue"}'`
        : `curl -s ${base}/api/sessions -d '{"title":"…","description":"…","creator_team_name":"Team Blue"}'`,
    },
  ];
}
