import { findAddress } from "./address.ts";
import { bridge } from "./bridge.ts";
import { command, WHERE } from "./command.ts";
import { UsageError } from "./errors.ts";
import { onlyRef } from "./input.ts";
import { keyHeader } from "./key.ts";

export const mcp = command({
  help: `parley mcp: Parley's MCP endpoint for clients that speak stdio, e.g.
  claude mcp add parley -- node ${process.argv[1]} mcp

  --url <link>        the endpoint; default: see parley doctor. PARLEY_KEY in the environment is sent along
  --toolset <names>   only these tools: core, reading, sessions; several with commas`,
  options: { ...WHERE, toolset: { type: "string" } },
  async run(values, positionals) {
    if (onlyRef(positionals) !== undefined) throw new UsageError("parley mcp takes only options.");
    const { mcpUrl, base } = findAddress({ url: values.url });
    const url = new URL(mcpUrl);
    if (values.toolset !== undefined) url.searchParams.set("toolset", values.toolset);
    await bridge(url, keyHeader(base));
    return 0;
  },
});
