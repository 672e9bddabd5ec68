import { bridge } from "../bridge/bridge.ts";
import { command, WHERE } from "../command.ts";
import { findAddress } from "../connection/address.ts";
import { keyHeader } from "../connection/key.ts";
import { UsageError } from "../errors.ts";
import { onlyRef } from "../input.ts";

export const mcp = command({
  help: `parley mcp: Parley's MCP endpoint for clients that speak stdio, e.g.
  claude mcp add parley -- node ${process.argv[1]} mcp

  --url <link>        the endpoint; default: see parley doctor. PARLEY_KEY in the environment is sent along
  --channel           news for the team of this folder as channel events, for Claude Code where channels are switched on
                      (claude --dangerously-load-development-channels server:parley); instead of the hooks of parley setup
  --toolset <names>   only these tools: core, reading, sessions; several with commas`,
  options: { ...WHERE, toolset: { type: "string" }, channel: { type: "boolean" } },
  async run(values, positionals) {
    if (onlyRef(positionals) !== undefined) throw new UsageError("parley mcp takes only options.");
    const { mcpUrl, base } = findAddress({ url: values.url });
    const url = new URL(mcpUrl);
    if (values.toolset !== undefined) url.searchParams.set("toolset", values.toolset);
    const channel = values.channel ? (await import("../bridge/channel.ts")).channel : undefined;
    await bridge(url, keyHeader(base), channel);
    return 0;
  },
});
