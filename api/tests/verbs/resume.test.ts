import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestServer, type Team, type TestServer } from "../../../testing/server.ts";

let parley: TestServer;
beforeAll(async () => {
  parley = await startTestServer();
});
afterAll(() => parley.stop());

const resume = (session: Team, body: object = {}) =>
  parley.post(`/sessions/${session.ref}/resume`, { team_name: "Next Team", ...body });
const write = (team: Team, content: string) =>
  parley.post(`/sessions/${team.ref}/doc`, { content, expected_version: 0 }, team);
const conclude = (team: Team, summary_section = "All done.") =>
  parley.post(`/sessions/${team.ref}/conclude`, { summary_section }, team);
const doc = async (team: Team) => (await parley.get(`/sessions/${team.ref}/doc`, team)).body.content as string;
const session = async (team: Team) => (await parley.get(`/sessions/${team.ref}`, team)).body;
const say = (team: Team, body: object) => parley.post(`/sessions/${team.ref}/messages`, body, team);
const refusal = (status: number, code: string, details: object = {}) => ({
  status,
  body: { error: { code, details } },
});

/** A session with that document, concluded, and the one that continues it. */
async function resumed(content: string, summary?: string): Promise<[Team, Team]> {
  const old = await parley.create();
  if (content) await write(old, content);
  await conclude(old, summary);
  return [old, (await resume(old)).body];
}

/** The document of the new session without its first line, which names the old one and the day. */
const carried = async (team: Team) => (await doc(team)).replace(/^Continues `[a-z-]+\d+`, concluded [\d-]+\.\n\n/, "");

describe("a session that is resumed", () => {
  test("goes on in a new one, with title, description and a convener, linked both ways", async () => {
    const old = await parley.create();
    await conclude(old);
    const { status, body } = await resume(old);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ref: expect.not.stringContaining(old.ref),
      url: `${parley.url}/s/${body.ref}`,
      team_id: expect.stringMatching(/^pt_[\w-]{43}$/),
      handle: "next-team",
      cursor: 0,
      title: "A session",
      description: "What it is for",
      doc_version: 1,
    });
    expect(await session(body)).toMatchObject({
      status: "active",
      continues: old.ref,
      convener: "next-team",
      last_cursor: 0,
    });
    expect(await session(body)).not.toHaveProperty("continued_by");
    expect(await session(old)).toMatchObject({ status: "closed", continued_by: [body.ref] });
    expect(await session(old)).not.toHaveProperty("continues");
    // The old credential opens nothing of the new session; the new one may read the old.
    expect((await parley.get(`/sessions/${body.ref}`, old)).status).toBe(401);
    expect((await parley.get(`/sessions/${old.ref}`, body)).status).toBe(200);
  });

  test("may get a title and a description of its own", async () => {
    const old = await parley.create();
    await conclude(old);
    expect((await resume(old, { title: "Part two", description: "" })).body).toMatchObject({
      title: "Part two",
      description: "",
    });
  });

  test("starts its document from goals, decisions and conclusion, and nothing else", async () => {
    const [old, next] = await resumed(
      "# Billing\n\nintro\n\n## Goals\n\n- port it\n\n### Later\n\n- tidy\n\n## Decisions\n\n- REST\n\n## Notes / Working\n\nscratch\n",
      "Ported. Pick up in bench/.",
    );
    expect(await doc(next)).toMatch(new RegExp(`^Continues \`${old.ref}\`, concluded \\d{4}-\\d\\d-\\d\\d\\.\n`));
    expect(await carried(next)).toBe(
      "## Goals\n\n- port it\n\n### Later\n\n- tidy\n\n## Decisions\n\n- REST\n\n## Where the last session ended\n\nPorted. Pick up in bench/.\n",
    );
  });

  test("takes the description for goals that were never written down", async () => {
    const [, next] = await resumed("");
    expect(await carried(next)).toBe(
      "## Goals\n\nWhat it is for\n\n## Decisions\n\n## Where the last session ended\n\nAll done.\n",
    );
  });

  test("takes over decisions that were only said in the feed, with who said them", async () => {
    const old = await parley.create();
    const blue = await parley.join(old);
    await say(old, { content: "we use REST", kind: "decision" });
    await say(old, { content: "no decision", kind: "status" });
    await say(blue, { content: "cents,\nnot euros", kind: "decision" });
    await conclude(old);
    const next = (await resume(old)).body;
    const text = await carried(next);
    expect(text).toContain("we use REST (alexs-team, #2)");
    expect(text).toMatch(/cents,\s+not euros \(team-blue, #4\)/);
    expect(text).not.toContain("no decision");
  });

  test("loses no decision: not those of the feed because there are others in the document", async () => {
    const old = await parley.create();
    await write(old, "## Decisions\n\n- written down\n");
    await say(old, { content: "only said", kind: "decision" });
    await conclude(old);
    const text = await carried((await resume(old)).body);
    expect(text).toContain("- written down");
    expect(text).toContain("only said");
  });

  test("carries the whole conclusion over, with the headings that it has", async () => {
    const [, next] = await resumed("## Goals\n\ng\n", "Ported.\n\n## Next steps\n\nStart in bench/.");
    expect(await carried(next)).toContain("Ported.\n\n## Next steps\n\nStart in bench/.");
    const late = (await parley.post(`/sessions/${next.ref}/join`, { team_name: "Late" })).body;
    expect(late.handoff.conclusion).toBe("Ported.\n\n## Next steps\n\nStart in bench/.");
  });

  test("concludes without touching how the last one ended", async () => {
    const [, next] = await resumed("## Goals\n\ng\n", "First end.");
    await conclude(next, "Second end.");
    const text = await doc(next);
    expect(text).toContain("## Where the last session ended\n\nFirst end.\n");
    expect(text).toContain("## Conclusion\n\nSecond end.\n");
    const third = (await resume(next)).body;
    expect(await doc(third)).toContain("## Where the last session ended\n\nSecond end.\n");
    expect(await doc(third)).not.toContain("First end.");
  });

  test("tells who resumes or joins what to know, with sizes", async () => {
    const old = await parley.create();
    const blue = await parley.join(old);
    await write(old, `## Notes\n\n${"ü".repeat(1_000)}\n`);
    await say(old, { content: "why?", kind: "question" });
    await say(blue, { content: "when?", kind: "question" });
    await say(blue, { content: "because", kind: "answer", reply_to: 2 });
    await conclude(old, "e".repeat(5_000));
    const before = await session(old);
    const next = (await resume(old)).body;
    const handoff = {
      continues: old.ref,
      title: "A session",
      closed_at: before.closed_at,
      conclusion: "e".repeat(4_000),
      open_questions: 1,
      teams: 2,
      messages: 5,
      doc_bytes: Buffer.byteLength(await doc(old)),
      carried_bytes: Buffer.byteLength(await doc(next)),
      questions: [
        {
          ...{ cursor: 3, message_id: expect.any(String), handle: blue.handle, sender: "agent" },
          ...{ text: "when?", at: expect.any(String) },
        },
      ],
    };
    expect(next.handoff).toEqual(handoff);
    // What is carried over is a matter of the beginning: later writing does not change it.
    await parley.post(`/sessions/${next.ref}/doc/append`, { text: "more" }, next);
    const joined = await parley.post(`/sessions/${next.ref}/join`, { team_name: "Late" });
    expect(joined.body.handoff).toEqual(handoff);
    expect(
      (await parley.post(`/sessions/${(await parley.create()).ref}/join`, { team_name: "X" })).body,
    ).not.toHaveProperty("handoff");
  });
});

describe("resume_session refuses", () => {
  test("a session that is going on, with the way to join it", async () => {
    const a = await parley.create();
    const answer = await resume(a);
    expect(answer).toMatchObject(refusal(409, "session_active", { ref: a.ref }));
    expect(answer.body.error.details.hint).toContain(a.ref);
  });

  test("a second time, with the way to the first; and when that one is concluded, to the end of the line", async () => {
    const [old, next] = await resumed("");
    const again = await resume(old);
    expect(again).toMatchObject(refusal(409, "already_resumed", { ref: next.ref }));
    expect(again.body.error.details.hint).toContain(next.ref);
    await conclude(next);
    const late = await resume(old);
    expect(late).toMatchObject(refusal(409, "already_resumed", { ref: next.ref }));
    expect(late.body.error.details.hint).toContain(`resume_session with session_id ${next.ref}`);

    const third = await resume(next);
    expect(third.status).toBe(200);
    expect(await resume(old)).toMatchObject(refusal(409, "already_resumed", { ref: third.body.ref }));
    expect((await session(old)).continued_by).toEqual([next.ref]);
  });

  test.each([
    [{ team_name: " " }, "team_name"],
    [{ team_name: undefined }, "team_name"],
    [{ title: " " }, "title"],
    [{ title: "t".repeat(201) }, "title"],
    [{ description: "d".repeat(10_001) }, "description"],
    [{ title: `pt_${"x".repeat(43)}` }, "title"],
  ])("%j", async (body, field) => {
    const old = await parley.create();
    await conclude(old);
    expect(await resume(old, body)).toMatchObject(refusal(400, "invalid_argument", { field }));
    expect(await session(old)).not.toHaveProperty("continued_by");
  });

  test("what does not exist", async () => {
    expect(await parley.post("/sessions/no-such-1/resume", { team_name: "X" })).toMatchObject(
      refusal(404, "session_not_found"),
    );
  });
});

test("a closed session hints at resume_session, and the hint can be followed over MCP", async () => {
  const old = await parley.create();
  await conclude(old, "Over.");
  const refused = await parley.post(`/sessions/${old.ref}/join`, { team_name: "Late" });
  expect(refused.body.error.details).toMatchObject({ ref: old.ref, hint: expect.stringContaining("resume_session") });
  const mcp = new Client({ name: "test", version: "1" });
  await mcp.connect(new StreamableHTTPClientTransport(new URL(`${parley.url}/mcp?format=json`)));
  const { content } = await mcp.callTool({
    name: "resume_session",
    arguments: { session_id: refused.body.error.details.ref, team_name: "Late" },
  });
  const next = JSON.parse((content as { text: string }[])[0]?.text ?? "");
  expect(next.handoff).toMatchObject({ continues: old.ref, conclusion: "Over." });
  expect(await session(next)).toMatchObject({ continues: old.ref });
  await mcp.close();
});
