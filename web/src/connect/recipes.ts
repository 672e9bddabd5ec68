import { andExport, assigned, codexKey, exported, headerOption, headersWith, inWords } from "./key-lines.ts";
import type { Address } from "./use-address.ts";

export interface Recipe {
  id: string;
  name: string;
  /** Where the lines go. */
  where: string;
  lines: string;
  /** Another way to the same. */
  or?: { where: string; lines: string };
}

const json = (value: unknown) => JSON.stringify(value, null, 2);

export const claudeCommand = ({ mcp, key }: Address) =>
  `claude mcp add --transport http parley ${mcp}${headerOption(key, "--header")}`;

/** What any agent can be told, whether it has MCP or only curl. */
export const guideLine = ({ base, key }: Address, ref?: string) =>
  `Read ${base}${ref ? `/s/${ref}` : ""}/AGENTS.md and follow it.${inWords(key)}`;

/** The session an agent is brought to; a concluded one is not joined but resumed. */
export interface Goal {
  ref: string;
  concluded: boolean;
}

export function recipes(address: Address, goal?: Goal): Recipe[] {
  const { mcp, base, key } = address;
  const enter = goal?.concluded ? "resume" : "join";
  return [
    { id: "claude", name: "Claude Code", where: "In a shell", lines: claudeCommand(address) },
    {
      id: "mcp-json",
      name: ".mcp.json",
      where: "In .mcp.json, at the root of the project",
      lines: json({ mcpServers: { parley: { type: "http", url: mcp, ...headersWith(key, "${", "}") } } }),
      ...andExport(key),
    },
    {
      id: "codex",
      name: "Codex",
      where: "In ~/.codex/config.toml",
      lines: `[mcp_servers.parley]\nurl = ${JSON.stringify(mcp)}${codexKey(key)}`,
      ...andExport(key),
    },
    {
      id: "gemini",
      name: "Gemini",
      where: "In a shell",
      lines: `gemini mcp add --transport http${headerOption(key, "--header")} parley ${mcp}`,
    },
    {
      id: "opencode",
      name: "opencode",
      where: "In opencode.json",
      lines: json({ mcp: { parley: { type: "remote", url: mcp, enabled: true, ...headersWith(key, "{env:", "}") } } }),
      ...andExport(key),
    },
    {
      id: "cursor",
      name: "Cursor",
      where: "In .cursor/mcp.json",
      lines: json({ mcpServers: { parley: { url: mcp, ...headersWith(key, "${env:", "}") } } }),
      ...andExport(key),
    },
    {
      id: "stdio",
      name: "stdio",
      where: "The command for a client that only starts processes, in a checkout of Parley",
      lines: `${assigned(key)}npx parley mcp --url ${mcp}`,
      or: {
        where: "Anywhere else",
        lines: `curl -sO ${base}/parley.mjs\n${assigned(key)}node parley.mjs mcp --url ${mcp}`,
      },
    },
    {
      id: "wait",
      name: "Silent wait",
      where: "In a shell: prints only when something came, so that waiting costs an agent nothing",
      lines: [
        `${exported(key)}curl -sO ${base}/parley.mjs`,
        goal
          ? `node parley.mjs ${enter} ${goal.ref} --as "Team Blue"`
          : `node parley.mjs create "What it is about" --as "Team Blue"`,
        "node parley.mjs wait",
      ].join("\n"),
    },
    {
      id: "curl",
      name: "curl",
      where: "In a shell: nothing to install",
      lines: goal
        ? `curl -s${headerOption(key, "-H")} ${base}/api/sessions/${goal.ref}/${enter} -d '{"team_name":"Team Blue"}'`
        : `curl -s${headerOption(key, "-H")} ${base}/api/sessions -d '{"title":"…","description":"…","creator_team_name":"Team Blue"}'`,
    },
  ];
}

/** How an agent goes on where a concluded session ended. */
export function resumeRecipes(address: Address, ref: string): Omit<Recipe, "name">[] {
  const { base, mcp, key } = address;
  const resume = `resume ${ref} --as "Team Blue" --url ${mcp}`;
  return [
    { id: "words", where: "Tell any agent", lines: guideLine(address, ref) },
    {
      id: "mcp",
      where: "The tool it calls over MCP",
      lines: `resume_session ${JSON.stringify({ session_id: ref, team_name: "Team Blue" })}`,
    },
    {
      id: "curl",
      where: "The same with curl",
      lines: `curl -s${headerOption(key, "-H")} ${base}/api/sessions/${ref}/resume -d '{"team_name":"Team Blue"}'`,
    },
    {
      id: "parley",
      where: "Or with the parley command, which remembers who you are",
      lines: `${exported(key)}curl -sO ${base}/parley.mjs && node parley.mjs ${resume}`,
    },
    { id: "checkout", where: "The same in a checkout of Parley", lines: `npx parley ${resume}` },
  ];
}
