import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestServer, type Team, type TestServer } from "../../../testing/server.ts";

let parley: TestServer;
beforeAll(async () => {
  parley = await startTestServer();
});
afterAll(() => parley.stop());

const refusal = (status: number, code: string, details: object = {}) => ({
  status,
  body: { error: { code, details } },
});
const make = async (body: object) => (await parley.post("/boards", body)).body;
const board = async (slug: string) => (await parley.get(`/boards/${slug}`)).body;
const place = (team: Team, body: object) => parley.post(`/sessions/${team.ref}/place`, body, team);
const refs = (sessions: { ref: string }[]) => sessions.map(({ ref }) => ref);

describe("a board", () => {
  test("has a slug made of its name, and three zones unless it is given others", async () => {
    expect(await make({ name: "Billing, the 2nd!", description: "All of it." })).toEqual({
      board: "billing-the-2nd",
      name: "Billing, the 2nd!",
      description: "All of it.",
      zones: ["Planning", "In progress", "Done"],
      sessions: 0,
      created_at: expect.any(String),
    });
    expect(await make({ name: "billing the 2nd", zones: ["Now", "  Later "] })).toMatchObject({
      board: "billing-the-2nd-2",
      zones: ["Now", "Later"],
    });
    expect((await make({ name: "Billing the 2nd 2" })).board).toBe("billing-the-2nd-2-2");
    expect((await make({ name: "看板" })).board).toBe("board");
    expect(await board("Billing-The-2nd")).toEqual({
      board: "billing-the-2nd",
      name: "Billing, the 2nd!",
      description: "All of it.",
      zones: ["Planning", "In progress", "Done"],
      sessions: [],
      has_more: false,
      url: `${parley.url}/b/billing-the-2nd`,
      created_at: expect.any(String),
    });
  });

  test("is listed, the newest first", async () => {
    const { board: first } = await make({ name: "First" });
    const { board: second } = await make({ name: "Second" });
    const { boards, has_more } = (await parley.get("/boards")).body;
    expect(boards.slice(0, 2).map((b: { board: string }) => b.board)).toEqual([second, first]);
    expect(has_more).toBe(false);
  });

  test.each([
    [{ name: " " }, "name"],
    [{}, "name"],
    [{ name: "x".repeat(201) }, "name"],
    [{ name: "x", description: "x".repeat(10_001) }, "description"],
    [{ name: "x", zones: [] }, "zones"],
    [{ name: "x", zones: "Now" }, "zones"],
    [{ name: "x", zones: [" "] }, "zones"],
    [{ name: "x", zones: ["a", "A"] }, "zones"],
    [{ name: "x", zones: ["a\nb"] }, "zones"],
    [{ name: "x", zones: ["a,b"] }, "zones"],
    [{ name: "x", zones: ["x".repeat(61)] }, "zones"],
    [{ name: "x", zones: Array.from({ length: 21 }, (_, n) => `z${n}`) }, "zones"],
    [{ name: "x", zones: [`pt_${"x".repeat(43)}`] }, "zones"],
    [{ name: "x", colour: "red" }, "colour"],
  ])("is refused: %j", async (body, field) => {
    const before = (await parley.get("/boards")).body.boards.length;
    expect(await parley.post("/boards", body)).toMatchObject(refusal(400, "invalid_argument", { field }));
    expect((await parley.get("/boards")).body.boards).toHaveLength(before);
  });

  test("that nobody has made is not found", async () => {
    const team = await parley.create();
    const lost = refusal(404, "board_not_found", { field: "board" });
    expect(await parley.get("/boards/no-such")).toMatchObject(lost);
    expect(await parley.get("/sessions?board=no-such")).toMatchObject(lost);
    expect(await place(team, { board: "no-such" })).toMatchObject(lost);
    const body = { title: "T", description: "", creator_team_name: "A", board: "no-such" };
    expect(await parley.post("/sessions", body)).toMatchObject(lost);
  });
});

describe("a session", () => {
  test("is put on a board, moves from zone to zone, and stands on one board at most", async () => {
    const { board: one } = await make({ name: "One" });
    const { board: two } = await make({ name: "Two", zones: ["Only"] });
    const team = await parley.create("A", "Port billing");
    const placed = { session_id: team.session_id, ref: team.ref, board: one, unread: 0 };
    expect((await place(team, { board: one })).body).toEqual({
      ...placed,
      zone: "Planning",
      placed_at: expect.any(String),
    });
    expect((await place(team, { board: one, zone: "in PROGRESS" })).body).toMatchObject({
      ...placed,
      zone: "In progress",
    });
    // Named without a zone, it stays where it is.
    const again = (await place(team, { board: one })).body;
    expect(again).toMatchObject({ zone: "In progress" });
    expect((await place(team, { board: one, zone: "In progress" })).body.placed_at).toBe(again.placed_at);
    expect((await board(one)).sessions).toEqual([
      {
        session_id: team.session_id,
        ref: team.ref,
        title: "Port billing",
        status: "active",
        zone: "In progress",
        teams: 1,
        last_cursor: 0,
        last_activity_at: expect.any(String),
        placed_at: again.placed_at,
      },
    ]);
    await place(team, { board: two });
    expect((await board(one)).sessions).toEqual([]);
    expect((await board(two)).sessions).toMatchObject([{ ref: team.ref, zone: "Only" }]);
    expect((await parley.get(`/sessions/${team.ref}`, team)).body).toMatchObject({ board: two, zone: "Only" });
    expect((await parley.get("/boards")).body.boards.find((b: { board: string }) => b.board === two).sessions).toBe(1);

    await parley.post(`/sessions/${team.ref}/conclude`, { summary_section: "Done." }, team);
    expect((await place(team, { board: one, zone: "Done" })).body.zone).toBe("Done");
    expect((await board(one)).sessions).toMatchObject([{ status: "closed" }]);
  });

  test("may be created on a board, and is found by it, the liveliest first", async () => {
    const { board: slug } = await make({ name: "Created on" });
    const create = async (zone?: string): Promise<Team> =>
      (await parley.post("/sessions", { title: "Placed", description: "", creator_team_name: "A", board: slug, zone }))
        .body;
    const [a, b] = [await create(), await create("done")];
    expect(refs((await board(slug)).sessions)).toEqual([a.ref, b.ref]);
    await parley.say(a, "hello");
    const list = async (query = "") => (await parley.get(`/sessions?board=${slug}${query}`)).body.sessions;
    expect(await list()).toMatchObject([
      { ref: a.ref, board: slug, zone: "Planning" },
      { ref: b.ref, board: slug, zone: "Done" },
    ]);
    await parley.post(`/sessions/${b.ref}/conclude`, { summary_section: "Done." }, b);
    expect(refs(await list("&status=closed"))).toEqual([b.ref]);
    expect(refs(await list(`&text=${a.ref}`))).toEqual([a.ref]);
    expect(await list("&limit=1")).toHaveLength(1);
    const { sessions } = (await parley.get(`/sessions?text=${a.ref}`)).body;
    expect(sessions).toMatchObject([{ board: slug, zone: "Planning" }]);
  });

  test("is created once by one key, and on that board", async () => {
    const { board: slug } = await make({ name: "Keyed" });
    const body = { title: "T", description: "", creator_team_name: "A", idempotency_key: "boards-1", board: slug };
    const first = (await parley.post("/sessions", body)).body;
    expect((await parley.post("/sessions", body)).body.ref).toBe(first.ref);
    const { board: _, ...without } = body;
    expect(await parley.post("/sessions", without)).toMatchObject(refusal(409, "idempotency_conflict"));
  });

  test.each([
    [
      { board: "zoned", zone: "Nowhere" },
      { field: "zone", hint: "Its zones are: Planning, In progress, Done." },
    ],
    [{ board: "zoned", zone: "" }, { field: "zone" }],
    [{ zone: "Done" }, { field: "board" }],
    [{ board: null }, { field: "board" }],
  ])("is not put there: %j", async (body, details) => {
    await make({ name: "Zoned" });
    const team = await parley.create();
    expect(await place(team, body)).toMatchObject(refusal(400, "invalid_argument", details));
  });

  test("is not created where it cannot be put", async () => {
    await make({ name: "Zoned" });
    const body = { title: "Never made", description: "", creator_team_name: "A", zone: "Nowhere" };
    expect(await parley.post("/sessions", { ...body, board: "zoned" })).toMatchObject(
      refusal(400, "invalid_argument", { field: "zone" }),
    );
    expect(await parley.post("/sessions", body)).toMatchObject(refusal(400, "invalid_argument", { field: "zone" }));
    expect((await parley.get("/sessions?text=never%20made")).body.sessions).toEqual([]);
  });

  test("is moved by its own teams alone", async () => {
    const { board: slug } = await make({ name: "Guarded" });
    const team = await parley.create();
    const other = await parley.create();
    const gone = await parley.join(team, "Gone");
    await parley.post(`/sessions/${team.ref}/leave`, {}, gone);
    for (const by of [undefined, other, gone])
      expect(await parley.post(`/sessions/${team.ref}/place`, { board: slug }, by)).toMatchObject(
        refusal(401, "unauthorized"),
      );
    expect(await parley.post("/sessions/no-such-1/place", { board: slug })).toMatchObject(
      refusal(404, "session_not_found"),
    );
    expect((await board(slug)).sessions).toEqual([]);
  });
});

test("as lines, a board is read zone by zone, and of a long zone the newest", async () => {
  const { board: slug } = await make({ name: "In lines", zones: ["Now", "Later"], description: "What is next." });
  const team = await parley.create("A", "Port billing");
  await place(team, { board: slug });
  const lines = async (path: string) => (await parley.get(`${path}?format=lines`)).body as string;
  expect(await lines(`/boards/${slug}`)).toBe(
    [
      `board ${slug} · sessions 1 · more no`,
      "name: In lines",
      "description: What is next.",
      "zone Now: 1",
      `session ${team.ref} (active, teams 1, messages 0, just now): Port billing`,
      "zone Later: 0",
      `page: ${parley.url}/b/${slug}`,
      "",
    ].join("\n"),
  );
  for (let n = 0; n < 21; n++) await place(await parley.create(), { board: slug });
  const many = await lines(`/boards/${slug}`);
  expect(many.match(/^session /gm)).toHaveLength(20);
  expect(many).toContain(`\nleft out: 2 more; list_sessions with board ${slug} has them\nzone Later: 0\n`);
  expect(await lines("/boards")).toMatch(
    new RegExp(`^boards \\d+ · more no\n(.*\n)*board ${slug} \\(sessions 22\\): In lines\n`),
  );
  expect(
    (await parley.post(`/sessions/${team.ref}/place?format=lines`, { board: slug, zone: "later" }, team)).body,
  ).toBe(`ref ${team.ref} · board ${slug} · unread 0\nzone: Later\n`);
});
