import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestServer, type TestServer, until } from "../../testing/server.ts";
import { callTool, connect } from "./client.ts";

let parley: TestServer;
beforeAll(async () => {
  parley = await startTestServer();
});
afterAll(() => parley.stop());

test("tools answer a model in lines, and a program that asks for it in JSON", async () => {
  const [a, lines, json] = [await parley.create(), await connect(parley), await connect(parley, "/mcp?format=json")];
  const args = { session_id: a.ref, team_id: a.team_id };
  const post = { ...args, content: "I take invoices." };
  expect((await callTool(lines, "post_message", post)).text).toBe("cursor 1 · unread 0");
  expect((await callTool(lines, "get_history", args)).text).toBe(
    "more no · unread 0\n#1 alexs-team (you): I take invoices.",
  );
  expect(JSON.parse((await callTool(json, "post_message", post)).text)).toMatchObject({ cursor: 2, unread: 0 });
  const asked = await callTool(lines, "post_message", { ...post, format: "json" });
  expect(JSON.parse(asked.text)).toMatchObject({ cursor: 3 });
  expect((await callTool(json, "post_message", { ...post, format: "lines" })).text).toBe("cursor 4 · unread 0");
});

test("a wait that was held answers in lines, and those who share its answer get the same", async () => {
  const a = await parley.create();
  const teams = await Promise.all(["Blue", "Red"].map((name) => parley.join(a, name)));
  // What was said of their coming is handed over first.
  for (const team of teams) await parley.wait(team, { timeout: 0 });
  const since_cursor: number = (await parley.get(`/sessions/${a.ref}`, a)).body.last_cursor;
  const client = await connect(parley);
  const waits = teams.map(({ team_id }) =>
    callTool(client, "wait_for_messages", { session_id: a.ref, team_id, since_cursor }),
  );
  await until(async () => {
    const { participants } = (await parley.get(`/sessions/${a.ref}/participants`, a)).body;
    return participants.filter(({ listening }: { listening: boolean }) => listening).length === 2;
  }, "both to wait");
  await parley.say(a, "news");
  for (const { text } of await Promise.all(waits))
    expect(text).toBe(
      `next_cursor ${since_cursor + 1} · unread 0 · doc v0 · closed no\n#${since_cursor + 1} alexs-team: news`,
    );
});

test("what is refused is JSON in every form, and so is another form", async () => {
  const a = await parley.create();
  const client = await connect(parley);
  const refused = await callTool(client, "get_session", { session_id: a.ref });
  expect([refused.isError, JSON.parse(refused.text).error.code]).toEqual([true, "unauthorized"]);
  const odd = await callTool(client, "get_session", { session_id: a.ref, team_id: a.team_id, format: "xml" });
  expect([odd.isError, JSON.parse(odd.text).error.details.field]).toEqual([true, "format"]);
  await expect(connect(parley, "/mcp?format=xml")).rejects.toThrow(/format must be lines or json/);
});
