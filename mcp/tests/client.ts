import * as v2 from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

/** The client of the first SDK, connected: it speaks no later version than 2025-11-25. */
export async function connect(
  parley: { url: string },
  path = "/mcp",
  headers: Record<string, string> = {},
): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${parley.url}${path}`), { requestInit: { headers } }),
  );
  return client;
}

/** The client of today, connected. It asks for server/discover first. */
export async function connectModern(
  parley: { url: string },
  path = "/mcp",
  headers: Record<string, string> = {},
): Promise<v2.Client> {
  const client = new v2.Client({ name: "test", version: "2" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(
    new v2.StreamableHTTPClientTransport(new URL(`${parley.url}${path}`), { requestInit: { headers } }),
  );
  return client;
}

/** The text of the one content that a tool answers with. */
export async function callTool(client: Client, name: string, args: Record<string, unknown>, options = {}) {
  const result = await client.callTool({ name, arguments: args }, undefined, options);
  const contents = result.content as { type: string; text: string }[];
  if (contents.length !== 1 || result.structuredContent !== undefined) throw new Error("a tool answers once");
  return { isError: result.isError === true, text: contents[0]?.text ?? "" };
}
