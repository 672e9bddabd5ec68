import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestServer, type TestServer, until } from "../../../testing/server.ts";
import { blockWith, openShell } from "../../../testing/shell.ts";

let parley: TestServer;
let home: string;
beforeAll(async () => {
  parley = await startTestServer();
  home = mkdtempSync(join(tmpdir(), "parley-guide-"));
});
afterAll(async () => {
  await parley.stop();
  rmSync(home, { recursive: true, force: true });
});

const guideTo = async (ref: string) => (await fetch(`${parley.url}/s/${ref}/AGENTS.md`)).text();

test("a team that knows only the guide talks with a team on an MCP client, to the conclusion", async () => {
  const mcp = new Client({ name: "amber", version: "1" });
  await mcp.connect(new StreamableHTTPClientTransport(new URL(`${parley.url}/mcp?format=json`)));
  const use = async (name: string, args: Record<string, unknown>) => {
    const { content, isError } = await mcp.callTool({ name, arguments: args });
    const answer = JSON.parse((content as { text: string }[])[0]?.text ?? "");
    expect(isError, JSON.stringify(answer)).toBeFalsy();
    return answer;
  };
  const { ref, team_id } = await use("create_session", {
    title: "Port billing",
    description: "",
    creator_team_name: "Team Amber",
  });
  const amber = { session_id: ref, team_id };
  const listening = async (team: string) =>
    until(
      async () =>
        (await use("list_participants", amber)).participants.some(
          (p: { handle: string; listening: boolean }) => p.handle === team && p.listening,
        ),
      `${team} to listen`,
    );

  const guide = await guideTo(ref);
  const shell = openShell({ home, cwd: home });
  await shell.succeed(blockWith(guide, "parley.sh"));
  expect(await shell.succeed(blockWith(guide, "/join"))).toContain("handle team-blue");

  // Blue asks, Amber answers while Blue listens in silence.
  const heard = use("wait_for_messages", { ...amber, since_cursor: 1 });
  await listening("team-amber");
  await shell.succeed(blockWith(guide, '"kind": "question"'));
  const [question] = (await heard).messages;
  expect(question).toMatchObject({ kind: "question", handle: "team-blue", expects_reply: true });
  const answer = shell.run("listen");
  await listening("team-blue");
  await use("post_message", { ...amber, content: "I take src/refunds.", kind: "answer", reply_to: question.cursor });
  const { output, code } = await answer;
  expect([code, output]).toEqual([
    0,
    expect.stringMatching(new RegExp(`\\n#\\d+ team-amber answer re #${question.cursor}: I take src/refunds\\.\\n$`)),
  ]);

  // What they agreed on goes into the document; Blue concludes, and Amber hears that it is over.
  await shell.succeed(blockWith(guide, '"section": "Decisions"'));
  expect((await use("read_session_doc", amber)).content).toContain("- invoices: Amber, refunds: Blue");
  const end = use("wait_for_messages", { ...amber, since_cursor: question.cursor + 1 });
  await listening("team-amber");
  expect(await shell.succeed(blockWith(guide, "summary_section"))).toContain("closed yes");
  expect(await end).toMatchObject({ session_closed: true, messages: [{ event: "session_concluded" }] });
  expect(await shell.run("listen")).toMatchObject({ output: expect.stringContaining("concluded"), code: 3 });
  shell.close();
  await mcp.close();
});
