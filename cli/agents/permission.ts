import type { PermissionOption, RequestPermissionRequest, RequestPermissionResponse } from "@agentclientprotocol/sdk";

/** Who answers when an agent asks whether it may: people, people unless it edits, everything yes, everything no. */
export type Permissions = "ask" | "edits" | "all" | "none";

const HARMLESS = new Set(["read", "search", "think"]);
const EDITS = new Set([...HARMLESS, "edit"]);

// As Claude, opencode, codex and gemini name a tool of an MCP server. A command of a shell cannot look like it and do anything.
const OURS = /^(mcp__parley__|parley_|parley[./])[a-z_]+$|^[a-z_]+ \(parley MCP Server\)/;

export type Decision = "allow" | "reject" | "ask";

/** What is settled without asking anybody: the agent was seated here, so Parley's own tools are its to use. */
export function decide({ toolCall }: RequestPermissionRequest, permissions: Permissions): Decision {
  const name = toolCall.name ?? toolCall.title ?? "";
  const kind = toolCall.kind ?? "other";
  if (OURS.test(name) && !["execute", "edit", "delete", "move"].includes(kind)) return "allow";
  if (permissions === "all") return "allow";
  if (permissions === "none") return "reject";
  return permissions === "edits" && EDITS.has(kind) ? "allow" : "ask";
}

const KINDS = {
  allow: ["allow_once", "allow_always"],
  reject: ["reject_once", "reject_always"],
} as const;

/** The agent's own option that says so, for this once if there is one. */
export function answer(options: PermissionOption[], decision: "allow" | "reject"): RequestPermissionResponse {
  const option = KINDS[decision].map((kind) => options.find((one) => one.kind === kind)).find(Boolean);
  return option ? choose(option.optionId) : CANCELLED;
}

export const choose = (optionId: string): RequestPermissionResponse => ({ outcome: { outcome: "selected", optionId } });

export const CANCELLED: RequestPermissionResponse = { outcome: { outcome: "cancelled" } };
