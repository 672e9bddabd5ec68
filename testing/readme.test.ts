import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { connected } from "./postgres.ts";
import { startTestServer, until } from "./server.ts";

const README = readFileSync("README.md", "utf8");
const block = (language: string, containing: string) =>
  [...README.matchAll(/```(\w+)\n([\s\S]*?)```/g)].find(
    ([, l, text]) => l === language && text?.includes(containing),
  )?.[2] ?? "";

test("the conversation in the README runs as it stands", async () => {
  const parley = await startTestServer();
  const script = block("sh", "creator_team_name").replaceAll("http://localhost:7423", parley.url);
  const { stdout } = await promisify(execFile)("bash", ["-euc", script]);
  expect(stdout).toContain('"text":"I take invoices. You take refunds?"');
  expect(stdout).toContain('"status":"closed"');
  expect(stdout).toContain("- invoices: Alex, refunds: Blue\\n\\n## Conclusion\\n\\nBoth ported. Open: the load test.");
  await parley.stop();
});

test("the verb in the README is a verb as soon as its SQL has run", async () => {
  const parley = await startTestServer();
  const team = await parley.create();
  await parley.say(team, "one");
  await connected(parley.database.url("parley_owner"), (client) => client.query(block("sql", "count_messages")));
  const count = () => parley.get(`/sessions/${team.ref}/count`, team);
  await until(async () => (await count()).status === 200, "the new verb", 2_000);
  expect((await count()).body.trim()).toBe("1");
  expect((await parley.get(`/sessions/${team.ref}/count`)).status).toBe(401);
  await parley.stop();
});
