import { findAddress } from "./address.ts";
import { bridge } from "./bridge.ts";
import { command, WHERE } from "./command.ts";
import { UsageError } from "./errors.ts";
import { onlyRef } from "./input.ts";

export const mcp = command({
  help: `parley mcp: Parley's MCP endpoint for clients that speak stdio, e.g.
  claude mcp add parley -- node ${process.argv[1]} mcp

  --url <link>        the endpoint; default: see parley doctor
  --toolset <names>   only these tools: core, reading, sessions; several with commas`,
  options: { ...WHERE, toolset: { type: "string" } },
  async run(values, positionals) {
    if (onlyRef(positionals) !== undefined) throw new UsageError("parley mcp takes only options.");
    const url = new URL(findAddress({ url: values.url }).mcpUrl);
    if (values.toolset !== undefined) url.searchParams.set("toolset", values.toolset);
    await bridge(url);
    return 0;
  },
});
