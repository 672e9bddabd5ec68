import { command, WHERE } from "../command.ts";
import { DEFAULT_MCP_URL, findAddress } from "../connection/address.ts";
import {
  checkAgents,
  checkDatabase,
  checkFunctions,
  checkMcp,
  checkNode,
  checkServer,
  checkVersions,
  type Finding,
} from "../doctor/checks.ts";
import { checkWait } from "../doctor/wait.ts";
import { onlyRef, toNumber } from "../input.ts";
import { print, safe } from "../output.ts";

const WAIT_SECONDS = 30;

export const doctor = command({
  help: `parley doctor: look at everything between here and the server, line by line; 0 if all is well, else 1.

  --url <link>        the address; default: MCP_URL, then mcp_url in parley.json or .mcp.json of this folder, then the
                      server this file was downloaded from, then 127.0.0.1 with PORT, then ${DEFAULT_MCP_URL}
  --quick             without the long wait
  --deep              try the long wait in a session of its own, which is concluded at the end
  --wait <s>          how long it is; default ${WAIT_SECONDS}`,
  options: { ...WHERE, quick: { type: "boolean" }, deep: { type: "boolean" }, wait: { type: "string" } },
  async run(values, positionals) {
    onlyRef(positionals);
    const seconds = toNumber(values.wait, "--wait", { min: 1, max: WAIT_SECONDS }) ?? WAIT_SECONDS;
    const address = findAddress({ url: values.url });
    let well = true;
    const tell = async (finding: Finding) => {
      well &&= finding.ok !== false;
      await print(show(finding));
    };
    await tell({ ok: true, text: `address ${address.mcpUrl}, from ${address.from}` });
    await tell(checkNode());
    const { reachable, version, clock } = await checkServer(address);
    await tell(reachable);
    if (!reachable.ok) return 1;
    await tell(checkVersions(address, version));
    await tell(await checkDatabase(address));
    await tell(await checkFunctions(address));
    await tell(await checkMcp(address));
    await tell(clock);
    await tell(checkAgents());
    if (!values.quick) await tell(await checkWait(address, seconds, values.deep ?? false));
    return well ? 0 : 1;
  },
});

function show({ ok, text, todo }: Finding): string {
  const mark = ok === undefined ? "–" : ok ? "✓" : "✗";
  return safe(`${mark} ${text}${todo && !ok ? `. ${todo}.` : ""}`);
}
