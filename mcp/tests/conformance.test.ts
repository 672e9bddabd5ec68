import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
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

interface Check {
  id: string;
  status: "SUCCESS" | "FAILURE" | "WARNING" | "INFO" | "SKIPPED";
}

/** All that the suite knows, in one run; it has scenarios for features that we do not offer, too. */
async function runSuite(version: string): Promise<(scenario: string) => Check[]> {
  const folder = mkdtempSync(join(tmpdir(), "parley-conformance-"));
  const asked = ["--url", `${parley.url}/mcp`, "--suite", "all", "--spec-version", version, "--output-dir", folder];
  // It ends with an error, for those.
  await promisify(execFile)(process.execPath, [SUITE, "server", ...asked], { maxBuffer: 2 ** 24 }).catch(
    () => undefined,
  );
  const checks = new Map(
    readdirSync(folder).map((name) => [
      name.replace(/^server-|-\d{4}-\d\d-\d\dT[\d-]+Z$/g, ""),
      JSON.parse(readFileSync(join(folder, name, "checks.json"), "utf8")) as Check[],
    ]),
  );
  rmSync(folder, { recursive: true });
  return (scenario) => checks.get(scenario) ?? [];
}

describe.each(["2025-11-25", "2026-07-28"] as const)("MCP %s", (version) => {
  let checksOf: (scenario: string) => Check[];
  beforeAll(async () => {
    checksOf = await runSuite(version);
  });

  test.each([...SCENARIOS[version], ...SCENARIOS.both])("passes the conformance scenario %s", (scenario) => {
    const withStatus = (wanted: Check["status"]) =>
      checksOf(scenario)
        .filter(({ status }) => status === wanted)
        .map(({ id }) => id);
    expect(withStatus("FAILURE").filter((check) => !NOT_OURS.includes(check))).toEqual([]);
    expect(withStatus("SUCCESS")).not.toEqual([]);
  });
});
