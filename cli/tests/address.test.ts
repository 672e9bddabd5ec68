import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findAddress, toAddress } from "../connection/address.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "parley-address-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (name: string, content: unknown) => writeFileSync(join(folder, name), JSON.stringify(content));

test("the address is looked for in this order: --url, MCP_URL, parley.json, .mcp.json, the server it came from, PORT, here", () => {
  const places: Parameters<typeof findAddress>[0] = { folder, env: {}, servedFrom: "" };
  const found = () => {
    const { mcpUrl, from } = findAddress(places);
    return `${mcpUrl} ${from}`;
  };
  expect(found()).toBe("http://127.0.0.1:7423/mcp the default");
  places.env = { PORT: "7500" };
  expect(found()).toBe("http://127.0.0.1:7500/mcp PORT in the environment");
  places.servedFrom = "http://served:1/mcp";
  expect(found()).toBe("http://served:1/mcp the server this file was downloaded from");
  write(".mcp.json", { mcpServers: { parley: { type: "http", url: "http://server:2/mcp" } } });
  expect(found()).toBe("http://server:2/mcp .mcp.json");
  write(".mcp.json", { mcp_url: "http://own:3/mcp", mcpServers: { parley: { url: "http://server:2/mcp" } } });
  expect(found()).toBe("http://own:3/mcp .mcp.json");
  write("parley.json", { mcp_url: "http://file:4/mcp" });
  expect(found()).toBe("http://file:4/mcp parley.json");
  places.env = { MCP_URL: "http://env:5/mcp" };
  expect(found()).toBe("http://env:5/mcp MCP_URL in the environment");
  places.url = "http://option:6/mcp";
  expect(found()).toBe("http://option:6/mcp --url");
});

test("a file without a link of ours is passed over", () => {
  write("parley.json", { theme: "dark" });
  write(".mcp.json", { mcpServers: { parley: { command: "npx" }, other: { url: "http://other/mcp" } } });
  expect(findAddress({ folder, env: {}, servedFrom: "" }).from).toBe("the default");
});

test("a file that is no JSON is named", () => {
  writeFileSync(join(folder, "parley.json"), "{ mcp_url:");
  expect(() => findAddress({ folder, env: {} })).toThrow(/parley\.json is not valid JSON/);
});

test.each([
  ["http://host:7423/mcp", "http://host:7423", "http://host:7423/mcp"],
  ["http://host:7423/api/mcp", "http://host:7423", "http://host:7423/api/mcp"],
  ["https://host/team/mcp/", "https://host/team", "https://host/team/mcp/"],
  ["https://host/mcp?toolset=core", "https://host", "https://host/mcp?toolset=core"],
  ["http://host:7423", "http://host:7423", "http://host:7423/mcp"],
])("%s leads to the API at %s", (link, base, mcpUrl) => {
  expect(toAddress(link, "--url")).toMatchObject({ base, mcpUrl });
});

test.each(["nonsense", "ftp://host/mcp", "localhost:7423"])("%s is refused, naming where it came from", (link) => {
  expect(() => toAddress(link, "MCP_URL in the environment")).toThrow(
    /^MCP_URL in the environment: .*not an http address/,
  );
});
