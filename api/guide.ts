import { readFileSync } from "node:fs";
import type { Catalogue } from "./catalogue.ts";
import type { PublicAddress } from "./public-address.ts";

const GUIDE = readFileSync(new URL("../AGENTS.md", import.meta.url), "utf8");
const LOCAL = "http://127.0.0.1:7423";

/** The agents' guide with this server's address, the verbs as they are now and, on a session's page, its ref. */
export function guide(catalogue: Catalogue, publicAddress: PublicAddress, origin: string, ref?: string): string {
  const text = GUIDE.replace(
    /<!-- verbs -->[\s\S]*<!-- \/verbs -->/,
    `<!-- verbs -->\n${verbTable(catalogue)}\n<!-- /verbs -->`,
  )
    .replaceAll(`${LOCAL}/mcp`, publicAddress.mcpUrl(origin))
    .replaceAll(LOCAL, publicAddress.base(origin));
  return ref ? text.replaceAll("calm-otter-17", ref) : text;
}

export function verbTable({ verbs }: Catalogue): string {
  const rows = verbs.map((verb) => {
    const args = verb.arguments.map((argument) => argument.name + (argument.optional ? "?" : "")).join(", ");
    return `| \`${verb.name}(${args})\` | ${verb.method} /api${verb.path} | ${verb.who} |`;
  });
  return ["| verb | REST | who |", "|---|---|---|", ...rows].join("\n");
}
