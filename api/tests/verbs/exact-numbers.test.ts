import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestServer, type Team, type TestServer } from "../../../testing/server.ts";

let parley: TestServer;
let team: Team;
let reader: Team;
beforeAll(async () => {
  parley = await startTestServer();
  team = await parley.create();
  reader = await parley.join(team);
});
afterAll(() => parley.stop());

/** Numbers as they are written, and as the database writes them: the same number. */
const NUMBERS: [string, string][] = [
  ["9007199254740993", "9007199254740993"],
  ["-9007199254740993", "-9007199254740993"],
  ["12345678901234567890123", "12345678901234567890123"],
  ["1e400", `1${"0".repeat(400)}`],
  ["1E+30", `1${"0".repeat(30)}`],
  ["25e-1", "2.5"],
  ["1e-400", `0.${"0".repeat(399)}1`],
  ["0.1234567890123456789", "0.1234567890123456789"],
  ["1.0", "1.0"],
  ["1.50", "1.50"],
  ["0.1", "0.1"],
  ["0", "0"],
];
const metadata = `{"list": [${NUMBERS.map(([n]) => n)}], "text": "1e400, 1.0 and \\"9007199254740993\\" \\\\", "a": {"b": 1.10}}`;
const list = `"list": [${NUMBERS.map(([, n]) => n).join(", ")}]`;
const text = `"text": "1e400, 1.0 and \\"9007199254740993\\" \\\\"`;

const post = async (path: string, body: string, as: Team) => {
  const response = await fetch(`${parley.url}${path}`, { method: "POST", body, headers: { "x-team-id": as.team_id } });
  return { status: response.status, text: await response.text() };
};
const get = async (path: string, as: Team) =>
  (await fetch(`${parley.url}/api/sessions/${team.ref}${path}`, { headers: { "x-team-id": as.team_id } })).text();
async function tool(name: string, args: string): Promise<string> {
  const params = `{"name": "${name}", "arguments": ${args}}`;
  const body = `{"jsonrpc": "2.0", "id": 1.0, "method": "tools/call", "params": ${params}}`;
  const answer = (await post("/mcp?format=json", body, team)).text;
  const { result } = JSON.parse(answer.replace(/^[\s\S]*^data: /m, ""));
  return result.content[0].text;
}

/** Spaces between values may be left out. */
const dense = (json: string) => json.replace(/(": |, )/g, (between) => between.trim());

function expectAllDigits(answer: string) {
  expect(dense(answer)).toContain(dense(list));
  expect(dense(answer)).toContain(dense(text));
  expect(dense(answer)).toContain('"b":1.10');
  expect(() => JSON.parse(answer)).not.toThrow();
}

describe("the numbers of metadata come back with all their digits", () => {
  test("written and read by REST, whatever is left out of the answer", async () => {
    const { status } = await post(
      `/api/sessions/${team.ref}/messages`,
      `{"content": "a", "metadata": ${metadata}}`,
      team,
    );
    expect(status).toBe(200);
    const history = await get("/messages?limit=1", reader);
    expectAllDigits(history);
    const [message] = JSON.parse(history).messages;
    expect(message).toMatchObject({ content: { text: "a" }, mine: false });
    // The fields that are null are left out here as in any other answer.
    for (const field of ["event", "reply_to", "by", "replies"]) expect(message).not.toHaveProperty(field);
    expectAllDigits(await get("/messages/wait?timeout=0&since_cursor=0", reader));
    expectAllDigits(await get("/messages/2", reader));
  });

  test("written and read by MCP, by hand or in an outbox", async () => {
    const session = `"session_id": "${team.ref}"`;
    const { cursor } = JSON.parse(await tool("post_message", `{${session}, "content": "b", "metadata": ${metadata}}`));
    expectAllDigits(await tool("get_message", `{${session}, "message_id": ${cursor}}`));
    const outbox = `[{"content": "c", "metadata": ${metadata}}]`;
    const synced = JSON.parse(await tool("sync", `{${session}, "outbox": ${outbox}}`));
    expectAllDigits(await tool("get_message", `{${session}, "message_id": ${synced.sent[0].cursor}}`));
  });

  test("and a repeat that writes the same number otherwise is the same message", async () => {
    const say = (n: string) =>
      post(
        `/api/sessions/${team.ref}/messages`,
        `{"content": "d", "metadata": {"n": ${n}}, "client_message_id": "n"}`,
        team,
      );
    const first = await say("9007199254740993");
    expect(JSON.parse((await say("9007199254740993.0")).text).cursor).toBe(JSON.parse(first.text).cursor);
    expect((await say("9007199254740992")).status).toBe(409);
  });
});

describe("what no database could write out", () => {
  test.each([
    ["a number that is too large", '{"n": 1e200000}'],
    ["a number that is too small", '{"n": 1e-200000}'],
    ["a number that would be rounded to nothing", '{"n": 1e-17000}'],
    ["many large numbers", `{"n": [${Array(90_000).fill("1e131071")}]}`],
    ["a large number in a long text", `{"n": 1e131071}`],
  ])("%s is refused at once, naming the field", async (_, value) => {
    for (const body of [`{"content": "x", "metadata": ${value}}`]) {
      const answer = await post(`/api/sessions/${team.ref}/messages`, body, team);
      expect(JSON.parse(answer.text).error).toMatchObject({ code: "invalid_argument", details: { field: "metadata" } });
      expect(answer.status).toBe(400);
    }
  });

  test("but texts that look like numbers are texts", async () => {
    const content = Array(500).fill("7e99999").join(" ");
    const body = `{"content": {"text": "${content}"}, "metadata": {"n": 1e5, "hex": "${"4e99999".repeat(500)}"}}`;
    expect((await post(`/api/sessions/${team.ref}/messages`, body, team)).status).toBe(200);
    expect(JSON.parse(await get("/messages?limit=1&full=true", reader)).messages[0]).toMatchObject({
      content: { text: content },
      metadata: { n: 100000, hex: "4e99999".repeat(500) },
    });
  });
});

test("a name that is given twice counts as its last, as JSON does", async () => {
  const say = (body: string) => post(`/api/sessions/${team.ref}/messages`, body, team);
  expect((await say('{"content": "e", "metadata": {"n": 1e400}, "metadata": {"n": 1}}')).status).toBe(200);
  expect(JSON.parse(await get("/messages?limit=1", reader)).messages[0].metadata).toEqual({ n: 1 });
});
