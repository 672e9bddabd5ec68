import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { type Door, Refusal } from "./door.ts";

/** A team that speaks MCP: the verbs are tools, and the secret travels as an argument. */
export function mcpTeam(url: string, headers: Record<string, string>): Door {
  const client = new Client({ name: "parley-demo", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
  let connected: Promise<void> | undefined;
  return {
    name: "MCP",
    async call(verb, args, { teamId, signal }) {
      const link = new URL(`${url}/mcp?format=json`);
      connected ??= client.connect(new StreamableHTTPClientTransport(link, { requestInit: { headers } }), { signal });
      await connected;
      const tool = { name: verb, arguments: { ...args, ...(teamId && { team_id: teamId }) } };
      const { content, isError } = await client.callTool(tool, { signal });
      const answer = JSON.parse((content as { text: string }[])[0]?.text ?? "{}");
      if (isError) throw new Refusal(answer);
      return answer;
    },
    close: () => client.close(),
  };
}
