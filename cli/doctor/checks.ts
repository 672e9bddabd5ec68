import { installedAgents } from "../agents/known.ts";
import type { Address } from "../connection/address.ts";
import { type Answer, reason } from "../connection/api.ts";
import { keyHeader } from "../connection/key.ts";
import { version } from "../version.ts";

export interface Finding {
  /** undefined: could not be looked at. */
  ok: boolean | undefined;
  text: string;
  /** What to do if it is not well. */
  todo?: string;
}

const CLOCK_MAY_DIFFER_MS = 5_000;
const OLDEST_NODE = 18;
const WITHIN_MS = 10_000;

async function ask(base: string, url: string, init: RequestInit = {}): Promise<{ response: Response; body: Answer }> {
  const headers = { ...init.headers, ...keyHeader(base) };
  const response = await fetch(url, { ...init, headers, signal: AbortSignal.timeout(WITHIN_MS) });
  return { response, body: await response.json().catch(() => ({})) };
}

export function checkNode(): Finding {
  const ok = Number(process.versions.node.split(".")[0]) >= OLDEST_NODE;
  return { ok, text: `Node ${process.versions.node}`, todo: `It should be ${OLDEST_NODE} or newer` };
}

/** Which agents parley run and parley runner would start here. None is no fault. */
export function checkAgents(): Finding {
  const agents = installedAgents();
  const found = agents.filter(({ at }) => at !== undefined).map(({ name, at }) => `${name} (${at})`);
  const [first] = agents;
  const todo = `To run one: npm install -g ${first?.from}`;
  return found.length > 0
    ? { ok: true, text: `agents here: ${found.join(", ")}` }
    : { ok: undefined, text: `no agents here (${agents.map(({ name }) => name).join(", ")})`, todo };
}

export async function checkServer({ base }: Address) {
  const asked = Date.now();
  try {
    const { response, body } = await ask(base, `${base}/livez`);
    const clock = checkClock(response.headers.get("date"), (asked + Date.now()) / 2);
    const ok = response.ok && typeof body.version === "string";
    const text = ok ? `server reachable at ${base}` : `${base} answers ${response.status}, but not as Parley does`;
    return { reachable: { ok, text, todo: "Check the address" }, version: String(body.version), clock };
  } catch (error) {
    const text = `server not reachable at ${base} (${reason(error)})`;
    const todo = "Is Parley running there? Start it (npm start), or say where it is: --url or MCP_URL";
    return { reachable: { ok: false, text, todo }, version: "", clock: checkClock(null, asked) };
  }
}

export function checkVersions({ base }: Address, there: string): Finding {
  const todo = `Get the command of that server: curl -sO ${base}/parley.mjs`;
  return { ok: there === version, text: `version ${version} here, ${there} there`, todo };
}

export async function checkDatabase({ base }: Address): Promise<Finding> {
  const todo = "Whoever runs the server finds more in its log";
  try {
    const { response, body } = await ask(base, `${base}/readyz`);
    if (response.ok) return { ok: true, text: "database ready" };
    const bad = Object.keys(body.checks ?? {}).filter((name) => body.checks[name] !== true);
    return { ok: false, text: `database not ready (${bad.join(", ") || response.status})`, todo };
  } catch (error) {
    return { ok: false, text: `database not ready (${reason(error)})`, todo };
  }
}

/** No fault: whoever runs the database may change what it does. But it explains what else would be a riddle. */
export async function checkFunctions({ base }: Address): Promise<Finding> {
  const query = "{ changedFunctions { nodes { name movedOn keptAside } } }";
  const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ query }) };
  const unknown: Finding = { ok: undefined, text: "not known whether functions were changed in the database" };
  try {
    const changed: Answer[] | undefined = (await ask(base, `${base}/graphql`, init)).body.data?.changedFunctions?.nodes;
    if (!changed) return unknown;
    if (changed.length === 0) return { ok: true, text: "functions as Parley made them" };
    const notes = ({ keptAside, movedOn }: Answer) =>
      keptAside ? " (kept aside, ours stands)" : movedOn ? " (ours has changed since)" : "";
    const names = changed.map((one) => `${one.name}${notes(one)}`).join(", ");
    return {
      ok: undefined,
      text: `changed in the database: ${names}`,
      todo: "npx parley admin sources tells more there",
    };
  } catch {
    return unknown;
  }
}

export async function checkMcp({ mcpUrl, base }: Address): Promise<Finding> {
  const todo = "Check the address: it should end in /mcp";
  const clientInfo = { name: "parley doctor", version };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  try {
    const { response, body } = await ask(base, mcpUrl, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }),
    });
    if (body.result) return { ok: true, text: `MCP answers, protocol ${body.result.protocolVersion}` };
    const { message = `status ${response.status}`, details } = body.error ?? {};
    return { ok: false, text: `MCP refuses: ${message}`, todo: details?.hint ?? todo };
  } catch (error) {
    return { ok: false, text: `MCP does not answer at ${mcpUrl} (${reason(error)})`, todo };
  }
}

export function checkClock(date: string | null, here: number): Finding {
  const there = Date.parse(date ?? "");
  if (Number.isNaN(there)) return { ok: undefined, text: "clocks not compared: the server does not say its time" };
  // The header is cut to the second, so it is half a second late on average.
  const ahead = Math.round((there + 500 - here) / 1_000);
  const text = Math.abs(ahead) <= 1 ? "clocks agree" : `clocks differ: the server's is ${ahead} s ahead of this one`;
  return {
    ok: Math.abs(ahead) * 1_000 <= CLOCK_MAY_DIFFER_MS,
    text,
    todo: "Set the one that is wrong, or times will look odd",
  };
}
