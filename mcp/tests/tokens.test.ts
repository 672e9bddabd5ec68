import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../../testing/server.ts";
import { callTool, connect } from "./client.ts";
import { sayAHundredThings } from "./hundred-messages.ts";

let parley: TestServer;
beforeAll(async () => {
  parley = await startTestServer();
});
afterAll(() => parley.stop());

/** An agent reads the JSON as it came, so that is what is counted. */
async function listed(path: string) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const answer = await (await fetch(`${parley.url}${path}`, { method: "POST", body })).json();
  const { result } = answer as { result: { tools: unknown[] } };
  return { tools: result.tools.length, tokens: encode(JSON.stringify(result)).length };
}

test("the list of the core tools takes at most 1,300 tokens", async () => {
  const { tools, tokens } = await listed("/mcp?toolset=core");
  expect(tools).toBe(13);
  expect(tokens).toBeLessThanOrEqual(1_300);
});

test("the list of all tools takes at most 4,500 tokens", async () => {
  const { tools, tokens } = await listed("/mcp");
  expect(tools).toBeGreaterThanOrEqual(44);
  expect(tokens).toBeLessThanOrEqual(4_500);
});

test("an empty wait takes at most 25 tokens, and 40 as JSON", async () => {
  const a = await parley.create();
  for (let i = 0; i < 120; i++) await parley.say(a, `message ${i}`);
  const b = await parley.join(a);
  await parley.post(`/sessions/${a.ref}/doc/append`, { text: "a note" }, a);
  const client = await connect(parley);
  const wait = { session_id: a.ref, team_id: b.team_id, since_cursor: 121, timeout: 0.2 };
  const { text } = await callTool(client, "wait_for_messages", wait);
  expect(text).toBe("next_cursor 121 · unread 0 · doc v1 · closed no");
  expect(encode(text).length).toBeLessThanOrEqual(25);
  const { text: json } = await callTool(client, "wait_for_messages", { ...wait, format: "json" });
  expect(JSON.parse(json)).toMatchObject({ messages: [], next_cursor: 121, doc_version: 1, empty_polls: 2 });
  expect(encode(json).length).toBeLessThanOrEqual(40);
});

test("the guide takes at most 2,400 tokens", async () => {
  expect(encode(await (await fetch(`${parley.url}/AGENTS.md`)).text()).length).toBeLessThanOrEqual(2_400);
});

test("eighteen messages take at most 500 tokens, a join as the fifth team 250, a post 20", async () => {
  const client = await connect(parley);
  const a = await parley.create();
  for (const name of ["Team Red", "Team Green", "Team White"]) await parley.join(a, name);
  const joined = await callTool(client, "join_session", { session_id: a.ref, team_name: "Team Blue" });
  expect(encode(joined.text).length).toBeLessThanOrEqual(250);
  const asAlex = { session_id: a.ref, team_id: a.team_id };
  const content = "I take src/invoices and its tests. You take src/refunds?";
  const posted = await callTool(client, "post_message", { ...asAlex, content });
  expect(encode(posted.text).length).toBeLessThanOrEqual(20);
  for (let i = 0; i < 17; i++) await parley.say(a, content);
  const { text } = await callTool(client, "get_history", { ...asAlex, limit: 18 });
  expect(text.match(/^#/gm)).toHaveLength(18);
  expect(encode(text).length).toBeLessThanOrEqual(500);
});

test("catching up in a session of three hundred messages takes at most 700 tokens, and so does joining it", async () => {
  const client = await connect(parley);
  const { amber } = await sayAHundredThings(client, 300);
  const { text } = await callTool(client, "catch_up", amber);
  expect(text).toMatch(/^ref .* · last_cursor 304 · unread 244 · doc v37 · closed no\n/);
  for (const word of ["team", "open", "decided", "outline:", "#304", "left"])
    expect(text).toMatch(new RegExp(`^${word} `, "m"));
  expect(encode(text).length).toBeLessThanOrEqual(700);
  const joined = await callTool(client, "join_session", { session_id: amber.session_id, team_name: "Late" });
  expect(joined.text).toMatch(/^decided #292 red: /m);
  expect(encode(joined.text).length).toBeLessThanOrEqual(700);
});

test("each tool that is not of the core takes at most 110 tokens, but for those that say much in one call", async () => {
  const { tools } = await (await connect(parley, "/mcp?toolset=reading,sessions,doc,team,tasks")).listTools();
  const dear = tools.filter((tool) => encode(JSON.stringify(tool)).length > 110).map(({ name }) => name);
  expect(dear.sort()).toEqual(["add_tasks", "sync"]);
});

test("a digest of a hundred messages takes at most 800 tokens, and tells what to do next", async () => {
  const client = await connect(parley);
  const { amber } = await sayAHundredThings(client);
  const { text } = await callTool(client, "get_digest", amber);
  expect(encode(text).length).toBeLessThanOrEqual(800);
  const lines = text.split("\n");
  expect(lines[0]).toBe("since_cursor 0 · through_cursor 104 · messages 100 · unread 84");
  expect(lines.filter((line) => line.startsWith("open "))).toEqual([
    expect.stringMatching(/^open #88 green →amber \(you\),blue just now: Who owns the rounding rules in .*…$/),
    expect.stringMatching(/^open #48 green →amber \(you\),blue just now: /),
    expect.stringMatching(/^open #8 green →amber \(you\),blue just now: /),
    expect.stringMatching(/^open #68 green just now: /),
    expect.stringMatching(/^open #28 green just now: /),
  ]);
  expect(lines.filter((line) => line.startsWith("team "))).toEqual([
    "team blue (working, 20 messages, 2 document changes) blocked #96 just now: Blocked: the fixtures of refunds are not in the repository.",
    expect.stringMatching(
      /^team white \(working, 20 messages, \d document changes\) status #99 just now: Porting \S+ 3 of 5 files done, tests green\.$/,
    ),
    expect.stringMatching(/^team green \(.*\) last #103 just now: I have ported /),
    expect.stringMatching(/^team red \(.*\) last #102 just now: I have ported /),
    expect.stringMatching(/^team amber \(you, working, 20 messages, \d document changes\) status #95 just now: /),
  ]);
  expect(lines.filter((line) => line.startsWith("decided "))).toHaveLength(5);
  expect(lines.filter((line) => line.startsWith("doc "))).toEqual([
    expect.stringMatching(/^doc v12 \w+ just now \(6 changes, also by \w+.*\): Notes \/ Working$/),
    expect.stringMatching(/^doc v11 \w+ just now \(6 changes, also by \w+.*\): Decisions$/),
  ]);
  expect(lines.at(-1)).toBe("event team_joined: #4 white, #3 green, #2 red, #1 blue");

  const short = (await callTool(client, "get_digest", { ...amber, limit: 2 })).text;
  expect(short).toMatch(
    /\nleft out: open questions 3, decisions 3, document changes 10, events 2, teams 1; get_digest with a limit has more$/,
  );
});

test("whoami takes at most 120 tokens, with five questions and the number of the rest", async () => {
  const client = await connect(parley);
  const { amber, blue } = await sayAHundredThings(client);
  for (let n = 0; n < 3; n++)
    await callTool(client, "post_message", {
      ...blue,
      kind: "question",
      content: "Shall I take the exports, all of them, until the end of the week?",
    });
  const { text } = await callTool(client, "whoami", amber);
  expect(encode(text).length).toBeLessThanOrEqual(120);
  expect(text.split("\n").filter((line) => line.startsWith("open "))).toEqual([
    expect.stringMatching(/^open #88 green →you: Who owns the rounding rules in src/),
    expect.stringMatching(/^open #48 green →you: /),
    "open #8 #107 #106 and 3 more: get_digest",
  ]);
});
