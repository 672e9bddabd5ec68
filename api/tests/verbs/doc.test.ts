import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestServer, type Team, type TestServer } from "../../../testing/server.ts";

let parley: TestServer;
beforeAll(async () => {
  parley = await startTestServer();
});
afterAll(() => parley.stop());

const read = (team: Team, version?: number) =>
  parley.get(`/sessions/${team.ref}/doc${version === undefined ? "" : `?version=${version}`}`, team);
const update = (team: Team, content: string, expected_version: number) =>
  parley.post(`/sessions/${team.ref}/doc`, { content, expected_version }, team);
const append = (team: Team, text: string) => parley.post(`/sessions/${team.ref}/doc/append`, { text }, team);
const conclude = (team: Team, summary_section: string) =>
  parley.post(`/sessions/${team.ref}/conclude`, { summary_section }, team);

describe("the document", () => {
  test("is empty at version 0", async () => {
    const a = await parley.create();
    expect((await read(a)).body).toEqual({ content: "", version: 0, updated_at: null, updated_by: null, unread: 0 });
  });

  test("keeps every version, byte for byte, with its author", async () => {
    const a = await parley.create();
    const b = await parley.join(a);
    const texts = ["", "# One\r\n🦦", "# One\r\n🦊 two", "", "end"];
    for (const [i, text] of texts.entries()) expect((await update(i % 2 ? b : a, text, i)).body.version).toBe(i + 1);
    for (const [i, text] of texts.entries()) {
      expect((await read(a, i + 1)).body).toMatchObject({
        content: text,
        version: i + 1,
        updated_by: i % 2 ? "team-blue" : "alexs-team",
      });
    }
    expect((await read(a, 0)).body.content).toBe("");
    expect(await read(a, 6)).toMatchObject({ status: 404, body: { error: { code: "version_not_found" } } });
  });

  test("a stale version is refused, and says which one is current and whose", async () => {
    const a = await parley.create();
    const b = await parley.join(a);
    await update(b, "first", 0);
    const answer = await update(a, "second", 0);
    expect(answer.status).toBe(409);
    expect(answer.body.error).toMatchObject({
      code: "version_conflict",
      details: {
        current_version: 1,
        expected_version: 0,
        updated_by: "team-blue",
        hint: expect.stringContaining("expected_version 1"),
      },
    });
    expect((await read(a)).body.content).toBe("first");
  });

  test("appended text starts on a line of its own", async () => {
    const a = await parley.create();
    await append(a, "one");
    await append(a, "two\n");
    await append(a, "three");
    expect((await read(a)).body).toMatchObject({ content: "one\ntwo\nthree", version: 3 });
    await update(a, "cut", 3);
    await append(a, "four");
    await update(a, "", 5);
    await append(a, "five");
    expect((await read(a)).body.content).toBe("five");
    expect((await read(a, 5)).body.content).toBe("cut\nfour");
  });

  test("a write is told by doc_version on the next wait, and does not wake anyone", async () => {
    const a = await parley.create();
    await append(a, "one");
    expect((await parley.wait(a, { timeout: 0 })).body).toMatchObject({ messages: [], doc_version: 1 });
  });

  test("is limited to 1 MiB in bytes, appends included", async () => {
    const a = await parley.create();
    const mebi = 1_048_576;
    expect((await update(a, "é".repeat(mebi / 2), 0)).body.version).toBe(1);
    expect(await update(a, `${"é".repeat(mebi / 2)}!`, 1)).toMatchObject({
      status: 400,
      body: { error: { details: { field: "content" } } },
    });
    expect(await append(a, "x")).toMatchObject({
      status: 400,
      body: { error: { code: "invalid_argument", details: { field: "text" } } },
    });
    expect((await read(a)).body.version).toBe(1);
  });

  test.each([
    ["doc", { content: "x" }, "expected_version"],
    ["doc", { content: "x", expected_version: -1 }, "expected_version"],
    ["doc", { content: "x", expected_version: "one" }, "expected_version"],
    ["doc", { expected_version: 0 }, "content"],
    ["doc/append", { text: " " }, "text"],
    ["doc/append", { text: "x".repeat(100_001) }, "text"],
    ["conclude", { summary_section: "" }, "summary_section"],
    ["conclude", { summary_section: "x".repeat(100_001) }, "summary_section"],
  ])("%s refuses bad input and names it", async (path, body, field) => {
    const a = await parley.create();
    const answer = await parley.post(`/sessions/${a.ref}/${path}`, body, a);
    expect(answer).toMatchObject({ status: 400, body: { error: { code: "invalid_argument", details: { field } } } });
    expect((await read(a)).body.version).toBe(0);
  });
});

describe("conclude_session", () => {
  test("closes, writes the conclusion and tells everyone; all that writes is refused from then on, all that reads works", async () => {
    const a = await parley.create();
    const b = await parley.join(a);
    await append(a, "# Notes");
    const { body } = await conclude(b, "All done.");
    expect(body).toEqual({
      session_id: a.session_id,
      status: "closed",
      closed_at: expect.any(String),
      doc_version: 2,
      unread: 0,
      open_tasks: 0,
    });
    expect((await read(a)).body.content).toBe("# Notes\n\n## Conclusion\n\nAll done.\n");

    const refused = [
      await parley.post(`/sessions/${a.ref}/messages`, { content: "x" }, a),
      await append(a, "x"),
      await update(a, "x", 2),
      await parley.post(`/sessions/${a.ref}/metadata`, { title: "x", reason: "y" }, a),
    ];
    for (const answer of refused)
      expect(answer).toMatchObject({ status: 403, body: { error: { code: "session_closed" } } });
    expect((await parley.get(`/sessions/${a.ref}`, a)).body).toMatchObject({
      status: "closed",
      closed_at: body.closed_at,
      last_cursor: 2,
    });
    expect((await parley.get(`/sessions/${a.ref}/messages`, a)).body.messages.at(-1)).toMatchObject({
      event: "session_concluded",
      by: "Team Blue",
      doc_version: 2,
    });
    expect((await parley.get(`/sessions/${a.ref}/participants`, b)).status).toBe(200);
  });

  test("again replaces the section, posts again and leaves closed_at", async () => {
    const a = await parley.create();
    const first = await conclude(a, "## Conclusion\nOne.\n\n## Next steps\nMany.");
    const second = await conclude(a, "Two.");
    expect(second.body).toEqual({ ...first.body, doc_version: 2 });
    expect((await read(a)).body.content).toBe("## Conclusion\n\nTwo.\n");
    expect((await read(a, 1)).body.content).toBe("## Conclusion\n\nOne.\n\n## Next steps\nMany.\n");
    expect((await parley.get(`/sessions/${a.ref}`, a)).body.last_cursor).toBe(2);
  });
});
