import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connected } from "../../../testing/postgres.ts";
import { startTestServer, type TestServer } from "../../../testing/server.ts";

let parley: TestServer;
beforeAll(async () => {
  parley = await startTestServer();
});
afterAll(() => parley.stop());

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?\+00:00$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe("create_session", () => {
  test("makes the creating team the convener of an empty session", async () => {
    const { status, body } = await parley.post("/sessions", {
      title: "Ünïcode 🦦",
      description: "",
      creator_team_name: "Alex's Team",
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      session_id: expect.stringMatching(UUID),
      ref: expect.stringMatching(/^[a-z]+-[a-z]+-\d+$/),
      url: `${parley.url}/s/${body.ref}`,
      team_id: expect.stringMatching(/^pt_[A-Za-z0-9_-]{43}$/),
      handle: "alexs-team",
      cursor: 0,
      title: "Ünïcode 🦦",
      description: "",
    });
    const session = await parley.get(`/sessions/${body.ref}`, body.team_id);
    expect(session.body).toMatchObject({
      status: "active",
      last_cursor: 0,
      session_doc_version: 0,
      convener: "alexs-team",
      closed_at: null,
    });
    expect(session.body.created_at).toMatch(ISO);
  });

  test.each([
    ["title", { description: "", creator_team_name: "A" }],
    ["title", { title: "", description: "", creator_team_name: "A" }],
    ["title", { title: " \n\t ", description: "", creator_team_name: "A" }],
    ["title", { title: "x".repeat(201), description: "", creator_team_name: "A" }],
    ["title", { title: 7, description: "", creator_team_name: "A" }],
    ["title", { title: null, description: "", creator_team_name: "A" }],
    ["description", { title: "T", creator_team_name: "A" }],
    ["description", { title: "T", description: "x".repeat(10_001), creator_team_name: "A" }],
    ["creator_team_name", { title: "T", description: "", creator_team_name: "x".repeat(81) }],
    ["surprise", { title: "T", description: "", creator_team_name: "A", surprise: 1 }],
    ["title", { title: "a\u0000b", description: "", creator_team_name: "A" }],
    ["title", { title: "a\ud800b", description: "", creator_team_name: "A" }],
  ])("names %s when it is wrong", async (field, body) => {
    const answer = await parley.post("/sessions", body);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({ code: "invalid_argument", details: { field } });
    expect(answer.body.error.message).toContain(field);
  });

  test("counts characters, not bytes, so 200 emoji are a title", async () => {
    const { status } = await parley.post("/sessions", {
      title: "🦦".repeat(200),
      description: "",
      creator_team_name: "A",
    });
    expect(status).toBe(200);
  });
});

describe("finding a session", () => {
  test("works by uuid, by ref in any case, and by a prefix of the uuid from 8 characters on", async () => {
    const a = await parley.create();
    for (const key of [
      a.session_id,
      a.session_id.toUpperCase(),
      a.ref,
      a.ref.toUpperCase(),
      a.session_id.slice(0, 8),
      a.session_id.slice(0, 13),
    ]) {
      expect((await parley.get(`/sessions/${key}`, a)).body.session_id).toBe(a.session_id);
    }
    expect((await parley.get(`/sessions/${a.session_id.slice(0, 7)}`, a)).status).toBe(404);
  });

  test("an ambiguous prefix is not found, and the hint says why", async () => {
    const ids = ["abcdef01-0000-4000-8000-000000000001", "abcdef01-0000-4000-8000-000000000002"];
    await connected(parley.database.url(), async (client) => {
      for (const id of ids) {
        await client.query(
          "insert into parley.sessions (id, ref, title, description) values ($1::uuid, $1::text, 'T', '')",
          [id],
        );
      }
    });
    const answer = await parley.get("/sessions/abcdef01");
    expect(answer.status).toBe(404);
    expect(answer.body.error).toMatchObject({
      code: "session_not_found",
      details: { hint: expect.stringContaining("ambiguous") },
    });
    expect((await parley.get("/sessions/abcdef01-0000-4000-8000-000000000002")).status).toBe(401);
  });

  test("a session that does not exist is 404 before any credential is looked at", async () => {
    expect((await parley.get("/sessions/calm-otter-0")).body.error.code).toBe("session_not_found");
  });
});

describe("join_session", () => {
  test("tells everyone, and starts at the end of the feed", async () => {
    const a = await parley.create();
    await parley.say(a, "before");
    const { body } = await parley.post(`/sessions/${a.ref}/join`, { team_name: "Team Blue" });
    expect(body).toMatchObject({
      session_id: a.session_id,
      ref: a.ref,
      handle: "team-blue",
      cursor: 2,
      title: "A session",
      doc_version: 0,
    });
    expect(body.participants).toHaveLength(2);
    expect(body.participants[0]).toMatchObject({
      handle: "alexs-team",
      convener: true,
      you: false,
      kind: "agent",
      status: "active",
      left_at: null,
    });
    expect(body.participants[1]).toMatchObject({
      handle: "team-blue",
      convener: false,
      you: true,
      cursor: 2,
      acked_cursor: 0,
      listening: false,
    });
    const news = await parley.wait(a, { since_cursor: 1 });
    expect(news.body.messages).toEqual([
      {
        message_id: expect.stringMatching(UUID),
        cursor: 2,
        type: "system",
        event: "team_joined",
        team: "Team Blue",
        handle: "team-blue",
        sender: "system",
        mine: false,
        content: { event: "team_joined", team: "Team Blue", handle: "team-blue" },
        at: expect.stringMatching(ISO),
      },
    ]);
  });

  test("replays from where it is asked to, but not from the future", async () => {
    const a = await parley.create();
    await parley.say(a, "one");
    const b = await parley.post(`/sessions/${a.ref}/join`, { team_name: "B", replay_from: "0" });
    expect(b.body.cursor).toBe(0);
    expect((await parley.wait(b.body)).body.messages.map((m: { cursor: number }) => m.cursor)).toEqual([1]);
    const ahead = await parley.post(`/sessions/${a.ref}/join`, { team_name: "C", replay_from: 99 });
    expect(ahead).toMatchObject({
      status: 400,
      body: { error: { code: "cursor_ahead", details: { current_cursor: 2 } } },
    });
    expect((await parley.get(`/sessions/${a.ref}/participants`, a)).body.participants).toHaveLength(2);
  });

  test.each(["humans", "Human", "System", "user", "Parley", "You", "everyone"])(
    "a team that calls itself %s gets no handle that reads like the word of someone else",
    async (name) => {
      const a = await parley.create();
      const b = await parley.join(a, name);
      expect([b.handle, (await parley.join(a, name)).handle]).toEqual([
        `team-${name.toLowerCase()}`,
        `team-${name.toLowerCase()}-2`,
      ]);
      expect((await parley.create(name)).handle).toBe(b.handle);
    },
  );

  test("the same name twice makes two handles, and any name makes one", async () => {
    const a = await parley.create("Alex's Team");
    expect((await parley.join(a, "ALEX'S  team")).handle).toBe("alexs-team-2");
    expect((await parley.join(a, "Alex's Team")).handle).toBe("alexs-team-3");
    expect((await parley.join(a, "Équipe Zoë")).handle).toBe("equipe-zoe");
    expect((await parley.join(a, "команда")).handle).toBe("team");
    expect((await parley.join(a, "!!!")).handle).toBe("team-2");
  });

  test("a concluded session takes nobody in", async () => {
    const a = await parley.create();
    await parley.post(`/sessions/${a.ref}/conclude`, { summary_section: "done" }, a);
    expect(await parley.post(`/sessions/${a.ref}/join`, { team_name: "B" })).toMatchObject({
      status: 403,
      body: { error: { code: "session_closed" } },
    });
  });
});

describe("leave_session", () => {
  test("tells everyone, keeps the row and kills the credential", async () => {
    const a = await parley.create();
    const b = await parley.join(a);
    const left = await parley.post(`/sessions/${a.ref}/leave`, {}, b);
    expect(left.body).toEqual({
      session_id: a.session_id,
      handle: "team-blue",
      left_at: expect.stringMatching(ISO),
      unread: 0,
    });
    expect((await parley.post(`/sessions/${a.ref}/leave`, {}, b)).status).toBe(401);
    expect((await parley.get(`/sessions/${a.ref}`, b)).status).toBe(401);
    const roster = await parley.get(`/sessions/${a.ref}/participants`, a);
    expect(roster.body.participants[1]).toMatchObject({
      handle: "team-blue",
      status: "disconnected",
      left_at: left.body.left_at,
    });
    const history = await parley.get(`/sessions/${a.ref}/messages`, a);
    expect(history.body.messages.at(-1)).toMatchObject({ event: "team_left", team: "Team Blue" });
  });

  test("leaving a concluded session posts nothing", async () => {
    const a = await parley.create();
    await parley.post(`/sessions/${a.ref}/conclude`, { summary_section: "done" }, a);
    const b = await parley.get(`/sessions/${a.ref}`, a);
    expect((await parley.post(`/sessions/${a.ref}/leave`, {}, a)).status).toBe(200);
    expect(b.body.last_cursor).toBe(1);
  });
});

describe("update_session_metadata", () => {
  test("changes the title, says why, and tells everyone", async () => {
    const a = await parley.create();
    const { body } = await parley.post(
      `/sessions/${a.ref}/metadata`,
      { title: "New", reason: "The scope has grown." },
      a,
    );
    expect(body).toEqual({
      title: "New",
      description: "What it is for",
      updated_at: expect.stringMatching(ISO),
      changes: { title: { from: "A session", to: "New" } },
      unread: 0,
    });
    const [message] = (await parley.wait(a, { since_cursor: 0, include_self: "true" })).body.messages;
    const fields = {
      event: "session_metadata_updated",
      by: "Alex's Team",
      changes: body.changes,
      reason: "The scope has grown.",
    };
    expect(message).toMatchObject({ type: "system", ...fields, content: fields });
  });

  test.each([
    ["no reason", { title: "New" }, "reason"],
    ["a blank reason", { title: "New", reason: "  " }, "reason"],
    ["neither title nor description", { reason: "because" }, "title"],
    ["what changes nothing", { title: "A session", reason: "because" }, "title"],
    ["a blank title", { title: " ", reason: "because" }, "title"],
  ])("refuses %s", async (_what, body, field) => {
    const a = await parley.create();
    const answer = await parley.post(`/sessions/${a.ref}/metadata`, body, a);
    expect(answer).toMatchObject({ status: 400, body: { error: { code: "invalid_argument", details: { field } } } });
    expect((await parley.get(`/sessions/${a.ref}`, a)).body.last_cursor).toBe(0);
  });
});

describe("a stranger", () => {
  const calls: [string, string, unknown?][] = [
    ["leave", "POST"],
    ["participants", "GET"],
    ["", "GET"],
    ["messages/wait", "GET"],
    ["messages", "POST", { content: "hi" }],
    ["messages", "GET"],
    ["doc", "GET"],
    ["doc", "POST", { content: "x", expected_version: 0 }],
    ["doc/append", "POST", { text: "x" }],
    ["metadata", "POST", { title: "x", reason: "y" }],
    ["conclude", "POST", { summary_section: "x" }],
    ["whoami", "GET"],
    ["ack", "POST", { through_cursor: 0 }],
    ["sync", "POST", { outbox: ["hi"] }],
    ["messages/1", "GET"],
    ["messages/1/replies", "GET"],
    ["digest", "GET"],
    ["search?query=hi", "GET"],
  ];
  test.each(calls)(
    "gets the same 401 from %s (%s) with no, a made-up, and another session's credential",
    async (path, method, body = {}) => {
      const a = await parley.create();
      const other = await parley.create();
      const answers = [];
      for (const team of [undefined, `pt_${"x".repeat(43)}`, "nonsense", other]) {
        const at = `/sessions/${a.ref}/${path}`.replace(/\/$/, "");
        answers.push(await (method === "GET" ? parley.get(at, team) : parley.post(at, body, team)));
      }
      for (const answer of answers) {
        expect(answer.status).toBe(401);
        expect(answer.body).toEqual(answers[0]?.body);
        expect(answer.body.error.code).toBe("unauthorized");
      }
      expect((await parley.get(`/sessions/${a.ref}`, a)).body).toMatchObject({
        last_cursor: 0,
        session_doc_version: 0,
        status: "active",
      });
    },
  );
});
