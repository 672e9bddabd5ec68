import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { connected } from "../postgres.ts";
import { startTestServer, until } from "../server.ts";

const README = readFileSync("README.md", "utf8");
const block = (language: string, containing: string) =>
  [...README.matchAll(/```(\w+)\n([\s\S]*?)```/g)].find(
    ([, l, text]) => l === language && text?.includes(containing),
  )?.[2] ?? "";

test("the conversation in the README runs as it stands", async () => {
  const parley = await startTestServer();
  const script = block("sh", "creator_team_name").replaceAll("http://localhost:7423", parley.url);
  const folder = mkdtempSync(join(tmpdir(), "parley-readme-"));
  for (const shell of ["bash", "dash"]) {
    const { stdout } = await promisify(execFile)(shell, ["-euc", script], { cwd: folder });
    expect(stdout).toMatch(/^next_cursor 2 · .* · closed no\n#2 alexs-team: I take invoices\. You take refunds\?$/m);
    expect(stdout).toMatch(/^closed yes · doc v2 · /m);
    expect(stdout).toContain("- invoices: Alex, refunds: Blue\n\n## Conclusion\n\nBoth ported. Open: the load test.\n");
  }
  // Nothing in it is taken from what others write.
  expect(script).not.toMatch(/\beval\b|\bsource\b|^\s*\. /m);
  rmSync(folder, { recursive: true });
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
