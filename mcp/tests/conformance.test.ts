import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify, stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connected } from "../../testing/postgres.ts";
import { startTestServer, type TestServer, until } from "../../testing/server.ts";

const SUITE = fileURLToPath(
  new URL("../../node_modules/@modelcontextprotocol/conformance/dist/index.js", import.meta.url),
);

/** The suite calls tools by names of its own; being verbs, they are made by SQL. */
const TOOLS = ["test_simple_text", "test_error_handling"].map(
  (name) => `
  create function parley.${name}() returns text language plpgsql stable set search_path = '' as $$
  begin
    ${name === "test_error_handling" ? "perform parley_private.fail(400, 'invalid_argument', 'This tool intentionally returns an error for testing');" : ""}
    return 'This is a simple text response for testing.';
  end $$;
  grant execute on function parley.${name} to parley_caller;
  comment on function parley.${name} is $$
@verb GET /${name}
@who open
@toolset conformance
For the conformance suite.
$$;`,
);

/** And reads resources by addresses of its own. */
const RESOURCES = [
  ["test_static_text", "", "test://static-text", "This is the content of the static text resource."],
  ["test_template", "id text", "test://template/{id}/data", "Data for "],
].map(
  ([name, args, uri, text]) => `
  create function parley.${name}(${args}) returns text language sql stable set search_path = '' as $$
    select '${text}' ${args ? "|| id" : ""}
  $$;
  grant execute on function parley.${name} to parley_caller;
  comment on function parley.${name} is $$
@resource ${uri} text/plain
For the conformance suite.
$$;`,
);

let parley: TestServer;
beforeAll(async () => {
  parley = await startTestServer();
  await connected(parley.database.url("parley_owner"), (client) => client.query([...TOOLS, ...RESOURCES].join("")));
  await until(async () => (await parley.get("/test_simple_text")).status === 200, "the tools of the suite");
});
afterAll(() => parley.stop());

const SCENARIOS = {
  "2025-11-25": ["server-initialize", "ping"],
  "2026-07-28": [
    "server-stateless",
    "caching",
    "http-header-validation",
    "sep-2164-resource-not-found",
    "server-sse-multiple-streams",
  ],
  both: [
    "tools-list",
    "tools-call-simple-text",
    "tools-call-error",
    "resources-list",
    "resources-read-text",
    "resources-templates-read",
    "prompts-list",
    "dns-rebinding-protection",
  ],
};

/** These ask for a tool that needs something of the client. No tool of ours does. */
const NOT_OURS = ["sep-2575-server-rejects-undeclared-capability", "sep-2575-missing-capability-http-400"];

describe.each(["2025-11-25", "2026-07-28"] as const)("MCP %s", (version) => {
  test.each([...SCENARIOS[version], ...SCENARIOS.both])("passes the conformance scenario %s", async (scenario) => {
    const asked = ["--url", `${parley.url}/mcp`, "--scenario", scenario, "--spec-version", version];
    const run = promisify(execFile)(process.execPath, [SUITE, "server", ...asked]);
    const { stdout } = await run.catch((error: { stdout: string }) => error);
    const plain = stripVTControlCharacters(stdout);
    const failed = [...plain.matchAll(/\[([\w-]+) *\] FAILURE/g)].map(([, check]) => check);
    expect(failed.filter((check) => !NOT_OURS.includes(check as string))).toEqual([]);
    expect(plain).toMatch(/[1-9]\d* passed, 0 failed|Passed: [1-9]\d*\/[1-9]\d*, [0-2] failed/);
  });
});
