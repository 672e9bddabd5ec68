import { readFileSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../errors.ts";
import { teamFolder } from "../team/team-folder.ts";
import { trust } from "./key.ts";

export const DEFAULT_MCP_URL = "http://127.0.0.1:7423/mcp";

export interface Address {
  /** The link that MCP clients connect to. */
  mcpUrl: string;
  /** Where the page, REST and the guide are. */
  base: string;
  /** Which of the places said so. */
  from: string;
}

interface Places {
  url?: string | undefined;
  env?: Record<string, string | undefined>;
  folder?: string;
  /** Filled in by the server that handed out the bundle. */
  servedFrom?: string | undefined;
}

/** Where to connect: the same order as in the agents' guide. */
export function findAddress({
  url,
  env = process.env,
  folder = process.cwd(),
  servedFrom = (globalThis as { PARLEY_SERVED_FROM?: string }).PARLEY_SERVED_FROM,
}: Places = {}): Address {
  if (url) return trusted(url, "--url");
  if (env.MCP_URL) return trusted(env.MCP_URL, "MCP_URL in the environment");
  for (const where of new Set([folder, teamFolder(folder)])) {
    for (const name of ["parley.json", ".mcp.json"]) {
      const found = linkIn(join(where, name));
      if (found) return toAddress(found, name);
    }
  }
  if (servedFrom) return trusted(servedFrom, "the server this file was downloaded from");
  // Who starts the server with a PORT of its own has it in the environment of the other commands, too.
  if (/^[1-9]\d*$/.test(env.PORT ?? "")) return trusted(`http://127.0.0.1:${env.PORT}/mcp`, "PORT in the environment");
  return trusted(DEFAULT_MCP_URL, "the default");
}

function trusted(link: string, from: string): Address {
  const address = toAddress(link, from);
  trust(address.base);
  return address;
}

export function toAddress(link: string, from: string): Address {
  const url = URL.canParse(link) ? new URL(link) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`${from}: ${link} is not an http address, e.g. ${DEFAULT_MCP_URL}.`);
  }
  const base = `${url.origin}${url.pathname.replace(/(\/api)?(\/mcp)?\/*$/, "")}`;
  const mcpUrl = /\/mcp\/*$/.test(url.pathname) ? url.href : `${base}/mcp${url.search}`;
  return { mcpUrl, base, from };
}

function linkIn(file: string): string | undefined {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
  let content: { mcp_url?: unknown; mcpServers?: { parley?: { url?: unknown } } } | null;
  try {
    content = JSON.parse(text);
  } catch {
    throw new UsageError(`${file} is not valid JSON. Mend it, or say --url.`);
  }
  const link = content?.mcp_url ?? content?.mcpServers?.parley?.url;
  return typeof link === "string" && link !== "" ? link : undefined;
}
