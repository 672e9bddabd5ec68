import { createHash } from "node:crypto";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connected } from "../../../testing/postgres.ts";
import { startTestServer, type Team, type TestServer } from "../../../testing/server.ts";

let parley: TestServer;
beforeAll(async () => {
  parley = await startTestServer();
});
afterAll(() => parley.stop());

const say = (team: Team, content: string, more: object = {}) =>
  parley.post(`/sessions/${team.ref}/messages`, { content, ...more }, team);
const append = (team: Team, text: string, section?: string) =>
  parley.post(`/sessions/${team.ref}/doc/append`, { text, section }, team);
const catchUp = async (team: Team, session: { ref: string } = team) =>
  (await parley.get(`/sessions/${session.ref}/catch-up`, team)).body;
const lines = async (team: Team): Promise<string> =>
  (await parley.get(`/sessions/${team.ref}/catch-up?format=lines`, team)).body;

test("one call tells who is here and doing what, what is owed, decided, written and unread", async () => {
  const amber = await parley.create("Amber", "Port billing");
  const blue = await parley.join(amber, "Blue");
  const gone = await parley.join(amber, "Gone");
  await parley.post(`/sessions/${gone.ref}/leave`, {}, gone);
  await say(amber, "Porting invoices: 3 of 5. Then the exports.", { kind: "status" });
  await say(blue, "Which branch?", { kind: "question", to: ["amber"] });
  await say(blue, "Any objections?", { kind: "question" });
  await say(blue, "We round per invoice.", { kind: "decision" });
  await say(blue, "I take refunds.");
  await append(blue, "- half even", "Decisions");
  await append(blue, "### Later\n\nnothing", "Notes");

  expect(await catchUp(amber)).toEqual({
    session_id: amber.session_id,
    ref: amber.ref,
    title: "Port billing",
    description: "What it is for",
    status: "active",
    handle: "amber",
    cursor: 0,
    last_cursor: 8,
    doc_version: 2,
    unread: 7,
    teams: [
      expect.objectContaining({ handle: expect.any(String), activity: "working" }),
      expect.objectContaining({ handle: expect.any(String), activity: "working" }),
    ],
    questions: [
      expect.objectContaining({ cursor: 6, handle: "blue", text: "Any objections?" }),
      expect.objectContaining({ cursor: 5, handle: "blue", to: ["amber"], text: "Which branch?" }),
    ],
    decisions: [expect.objectContaining({ cursor: 7, handle: "blue", text: "We round per invoice." })],
    decided: "- half even",
    outline: [
      { level: 2, title: "Decisions" },
      { level: 2, title: "Notes" },
      { level: 3, title: "Later" },
    ],
    messages: [1, 2, 3, 5, 6, 7, 8].map((cursor) => expect.objectContaining({ cursor })),
  });
  const { teams } = await catchUp(amber);
  expect(new Map(teams.map((team: { handle: string }) => [team.handle, team]))).toEqual(
    new Map([
      [
        "amber",
        {
          handle: "amber",
          team_name: "Amber",
          kind: "agent",
          convener: true,
          you: true,
          activity: "working",
          doing: "Porting invoices: 3 of 5. Then the exports.",
        },
      ],
      [
        "blue",
        {
          handle: "blue",
          team_name: "Blue",
          kind: "agent",
          convener: false,
          you: false,
          activity: "working",
          doing: "I take refunds.",
        },
      ],
    ]),
  );
  expect((await lines(amber)).split("\n").filter((line) => !line.startsWith("team "))).toEqual([
    `ref ${amber.ref} · handle amber · cursor 0 · last_cursor 8 · unread 7 · doc v2 · closed no`,
    "title: Port billing",
    "description: What it is for",
    "open #5 blue →you: Which branch?",
    "open #6 blue: Any objections?",
    "decided #7 blue: We round per invoice.",
    "decided in the document: - half even",
    "outline: ## Decisions; ## Notes; ### Later",
    "#5 blue question →amber: Which branch?",
    "#6 blue question: Any objections?",
    "#7 blue decision: We round per invoice.",
    "#8 blue: I take refunds.",
    "left out: unread 3; get_digest and wait_for_messages have more",
    "",
  ]);
  expect(await lines(amber)).toMatch(/^team amber \(you, convener, working\): Porting invoices: 3 of 5\.$/m);
});

test("the state of the work is told where there is any: one's own, open and blocked", async () => {
  const a = await parley.create("Amber");
  const b = await parley.join(a, "Blue");
  const tasks = [
    "Port invoices",
    { title: "Port refunds", priority: 5 },
    { title: "Prove it", depends_on: ["+1", "+2"] },
    "Exports",
  ];
  await parley.post(`/sessions/${a.ref}/tasks`, { tasks }, b);
  await parley.post(`/sessions/${a.ref}/tasks/claim`, { task: 1 }, a);
  await parley.post(`/sessions/${a.ref}/team`, { doing: "porting invoices, 3 of 5" }, a);
  const caught = await catchUp(a);
  expect(caught.tasks).toEqual({
    mine: [{ task: 1, title: "Port invoices", priority: 0 }],
    open: [
      { task: 2, title: "Port refunds", priority: 5 },
      { task: 4, title: "Exports", priority: 0 },
    ],
    blocked: [{ task: 3, title: "Prove it", priority: 0, blocked_by: [1, 2] }],
    work: { open: 2, blocked: 1, claimed: 1, done: 0, dropped: 0 },
  });
  expect(caught.teams.find(({ you }: { you: boolean }) => you).doing).toBe("porting invoices, 3 of 5");
  expect((await lines(a)).split("\n").filter((line) => /^task/.test(line))).toEqual([
    "tasks: open 2, blocked 1, claimed 1",
    "task 1 yours: Port invoices",
    "task 2 open p5: Port refunds",
    "task 4 open: Exports",
    "task 3 blocked by 1, 2: Prove it",
  ]);
  const { briefing } = (await parley.post(`/sessions/${a.ref}/join`, { team_name: "Late" })).body;
  expect(briefing.tasks).toMatchObject({ mine: [], open: [{ task: 2 }, { task: 4 }], blocked: [{ task: 3 }] });
});

test("it moves nothing: what was unread is handed over by the next wait", async () => {
  const a = await parley.create();
  const b = await parley.join(a);
  await say(b, "one");
  expect((await catchUp(a)).unread).toBe(2);
  expect((await catchUp(a)).unread).toBe(2);
  expect((await parley.wait(a, { timeout: 0 })).body.messages).toHaveLength(2);
  expect(await catchUp(a)).toMatchObject({ unread: 0, messages: [] });
});

test("in an empty session there is nothing to tell but who is here", async () => {
  const a = await parley.create("Amber");
  expect(await catchUp(a)).toMatchObject({
    teams: [{ handle: "amber" }],
    questions: [],
    decisions: [],
    outline: [],
    messages: [],
  });
  expect(await catchUp(a)).not.toHaveProperty("decided");
  expect(await catchUp(a)).not.toHaveProperty("left_out");
  expect((await lines(a)).split("\n").slice(1)).toEqual([
    "title: A session",
    "description: What it is for",
    "team amber (you, convener, working): Amber",
    "",
  ]);
});

test("what the lists leave out is counted", async () => {
  const a = await parley.create("Amber");
  const b = await parley.join(a, "Blue");
  for (let n = 0; n < 12; n++) {
    await parley.join(a, `Team ${n}`);
    await say(b, `q${n}`, { kind: "question" });
    await say(b, `d${n}`, { kind: "decision" });
  }
  const { teams, questions, decisions, messages, left_out } = await catchUp(a);
  expect([teams, questions, decisions, messages].map(({ length }) => length)).toEqual([8, 8, 8, 8]);
  expect(left_out).toEqual({ teams: 6, questions: 4, decisions: 4, messages: 29 });
  expect(messages.at(-1).content.text).toBe("d11");
  expect(await lines(a)).toContain("\nleft out: teams 8, questions 8, decisions 8, unread 33; get_digest");
});

describe("whoever comes in", () => {
  test("is told it at once", async () => {
    const a = await parley.create("Amber");
    await say(a, "Who takes refunds?", { kind: "question" });
    await say(a, "We pay.", { kind: "decision" });
    await append(a, "- port it", "Goals");
    const { briefing } = (await parley.post(`/sessions/${a.ref}/join`, { team_name: "Late" })).body;
    expect(briefing).toMatchObject({
      teams: expect.arrayContaining([expect.objectContaining({ handle: "late", you: true })]),
      questions: [{ text: "Who takes refunds?" }],
      decisions: [{ text: "We pay." }],
      outline: [{ level: 2, title: "Goals" }],
      messages: [],
    });
    const joined = (await parley.post(`/sessions/${a.ref}/join?format=lines`, { team_name: "Later", replay_from: 1 }))
      .body;
    expect(joined).toContain(
      "\nopen #1 amber: Who takes refunds?\ndecided #2 amber: We pay.\noutline: ## Goals\n#2 amber decision: We pay.\n#3 * team_joined late\n",
    );

    await parley.post(`/sessions/${a.ref}/conclude`, { summary_section: "Done." }, a);
    const resumed = (await parley.post(`/sessions/${a.ref}/resume`, { team_name: "Next" })).body;
    expect(resumed.briefing.outline.map(({ title }: { title: string }) => title)).toEqual([
      "Goals",
      "Decisions",
      "Where the last session ended",
    ]);
    expect(resumed.briefing.decided).toBe("- We pay. (amber, #2)");
  });

  test.each([
    ["English", "The old ledger rounds per line, the new one per invoice; I must know before I touch the exports. "],
    ["Chinese", "旧账本按行四舍五入，新账本按发票四舍五入，在修改导出之前我必须知道。"],
    ["Russian", "Старая книга округляет по строкам, новая по счетам; мне нужно знать это до экспорта. "],
    ["figures", "1,024 of 65,536 (1.6%); 0x3F2A91C; "],
    ["signs that hardly anybody uses", "🦦⟨⟩∮◧𝔘𝔫𝔦"],
    ["digits", "3 1 4 1 5 9 2 6 5 3 5 8 9 7 9 3 2 3 8 4 6 "],
    ["letters", "x q v b z k j w n c h d t m g r p f l s y "],
    ["base64", `${createHash("sha512").update("some bytes").digest("base64")}/`],
    [
      "letters that make no word",
      createHash("sha512")
        .update("x")
        .digest("hex")
        .replace(/\d/g, (n) => "zqkvxjwbgt"[+n] as string),
    ],
    ["combining marks", "e\u0301\u0302\u0323n\u0303\u0330o\u0308\u0361\u0489"],
    ["rare scripts", "\u1215\u{13000}\u2801\ue123\u0253\u1d2c"],
  ])("reads 700 tokens at most, whatever was written: %s", async (_, text) => {
    const long = text.repeat(Math.ceil(1_600 / text.length));
    const a: Team = (
      await parley.post("/sessions", {
        title: long.slice(0, 150),
        description: long.slice(0, 1_600),
        creator_team_name: "Amber",
      })
    ).body;
    const teams = [a];
    for (let n = 0; n < 9; n++) teams.push(await parley.join(a, `Team ${n}`));
    for (const [n, team] of teams.entries()) {
      await say(team, long, { kind: "status" });
      await say(team, long, { kind: "question", to: n ? [a.handle] : undefined });
      await say(team, long, { kind: "decision" });
      const depends_on = n ? Array.from({ length: 4 * n }, (_, i) => i + 1) : [];
      const tasks = [
        long.slice(0, 150),
        long.slice(0, 150),
        ...[1, 2].map(() => ({ title: long.slice(0, 150), depends_on })),
      ];
      await parley.post(`/sessions/${a.ref}/tasks`, { tasks }, team);
      await parley.post(`/sessions/${a.ref}/tasks/claim`, {}, team);
      await append(team, `## ${long.slice(0, 90)}\n\n${long}`);
      await append(team, `- ${long}`, "Decisions");
    }
    expect(encode(await lines(a)).length).toBeLessThanOrEqual(700);
    const joined = (await parley.post(`/sessions/${a.ref}/join?format=lines`, { team_name: "Late" })).body;
    expect(encode(joined).length).toBeLessThanOrEqual(700);
    await parley.post(`/sessions/${a.ref}/conclude`, { summary_section: long }, a);
    const resumed = (await parley.post(`/sessions/${a.ref}/resume?format=lines`, { team_name: "Next" })).body;
    expect(encode(resumed).length).toBeLessThanOrEqual(700);
  });
});

test("a team of a later session reads it of those that it continues, as nobody there", async () => {
  const old = await parley.create("Amber");
  await say(old, "Who takes refunds?", { kind: "question" });
  await parley.post(`/sessions/${old.ref}/conclude`, { summary_section: "Done." }, old);
  const next: Team = (await parley.post(`/sessions/${old.ref}/resume`, { team_name: "Amber" })).body;
  expect(await catchUp(next, old)).toMatchObject({
    ref: old.ref,
    status: "closed",
    handle: null,
    unread: 0,
    questions: [],
  });
});

test("a stranger is told nothing", async () => {
  const a = await parley.create();
  const other = await parley.create();
  for (const team of [undefined, other.team_id])
    expect(await parley.get(`/sessions/${a.ref}/catch-up`, team)).toMatchObject({
      status: 401,
      body: { error: { code: "unauthorized" } },
    });
  expect((await parley.get("/sessions/no-such-1/catch-up", a)).body.error.code).toBe("session_not_found");
});

test("a document of a mebibyte of headings keeps nobody waiting", async () => {
  const a = await parley.create();
  await parley.post(`/sessions/${a.ref}/doc`, { content: "# a\n".repeat(260_000), expected_version: 0 }, a);
  const { rows } = await connected(parley.database.url("parley_caller"), (client) =>
    client.query(
      `select (extract(epoch from clock_timestamp() - started) < 5) as soon
       from (select clock_timestamp() as started) t,
       lateral (select parley_private.doc_in_short(s) from parley.sessions s where s.id = $1 and started is not null) d`,
      [a.session_id],
    ),
  );
  expect(rows).toEqual([{ soon: true }]);
  expect((await catchUp(a)).outline).toHaveLength(30);
});
