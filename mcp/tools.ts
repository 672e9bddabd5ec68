import type { Tool } from "@modelcontextprotocol/sdk/types.js";
import type { Argument, Catalogue, Verb } from "../api/catalogue.ts";
import { argumentsSchema } from "../api/json-schema.ts";

/** Headers of an MCP client are fixed before it joins, so the credential travels as an argument. */
const TEAM_ID: Argument = {
  name: "team_id",
  type: "text",
  optional: true,
  description: "Your secret, from creating or joining.",
};

const title = (name: string) => name.replaceAll("_", " ").replace(/^./, (letter) => letter.toUpperCase());

function toTool(verb: Verb): Tool {
  return {
    name: verb.name,
    title: title(verb.name),
    description: verb.description,
    inputSchema: argumentsSchema(
      verb.who === "team" ? [...verb.arguments, TEAM_ID] : verb.arguments,
    ) as Tool["inputSchema"],
    annotations: {
      readOnlyHint: verb.readonly,
      destructiveHint: false,
      idempotentHint: verb.idempotent,
      openWorldHint: false,
    },
  };
}

const lists = new WeakMap<Catalogue, Map<string, Tool[]>>();

/** The tool list of a catalogue, made once per toolset. */
export function toolsOf(catalogue: Catalogue, toolset: string | undefined): Tool[] {
  const known = lists.get(catalogue) ?? new Map<string, Tool[]>();
  lists.set(catalogue, known);
  const key = toolset ?? "";
  let tools = known.get(key);
  if (!tools) {
    tools = catalogue.verbs.filter((verb) => !toolset || verb.toolset === toolset).map(toTool);
    known.set(key, tools);
  }
  return tools;
}
