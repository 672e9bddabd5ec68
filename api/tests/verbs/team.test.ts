import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestServer, type Team, type TestServer } from "../../../testing/server.ts";
import { refusal, workers } from "./work.ts";

let parley: TestServer;
beforeAll(async () => {
  parley = await startTestServer();
});
afterAll(() => parley.stop());

const { events, must, roster } = workers(() => parley);
const team = (at: Team, body: object) => parley.post(`/sessions/${at.ref}/team`, body, at);
const ABOUT = {
  agent: "claude",
  model: "opus",
  machine: "mac-3",
  repo: "github.com/acme/billing",
  branch: "refunds",
  worktree: "~/billing-2",
  role: "reviewer",
};

test("create, join and resume take who the team is, and the roster shows it", async () => {
  const created = await parley.post("/sessions", {
    title: "T",
    description: "",
    creator_team_name: "Amber",
    about: ABOUT,
  });
  const a = must(created) as Team;
  const b = must(
    await parley.post(`/sessions/${a.ref}/join`, { team_name: "Blue", about: { repo: "billing" } }),
  ) as Team;
  expect((await roster(b)).map(({ about, doing, tasks }) => ({ about, doing, tasks }))).toEqual([
    { about: ABOUT, doing: null, tasks: [] },
    { about: { repo: "billing" }, doing: null, tasks: [] },
  ]);
  await parley.post(`/sessions/${a.ref}/conclude`, { summary_section: "Over." }, a);
  const red = must(
    await parley.post(`/sessions/${a.ref}/resume`, { team_name: "Red", about: { role: "heir" } }),
  ) as Team;
  expect((await roster(red))[0]).toMatchObject({ about: { role: "heir" } });
});

test("coming back by a key may tell something else of oneself", async () => {
  const a = await parley.create();
  const join = { team_name: "Blue", idempotency_key: "blue-2", about: { branch: "one", machine: "m" } };
  must(await parley.post(`/sessions/${a.ref}/join`, join));
  must(await parley.post(`/sessions/${a.ref}/join`, { ...join, about: { branch: "two" } }));
  expect((await roster(a))[1]).toMatchObject({ handle: "blue", about: { branch: "two", machine: "m" } });
});

test("a team tells silently what it is doing, and the answer is its roster entry", async () => {
  const a = await parley.create("Amber");
  const before = (await events(a)).length;
  const entry = must(await team(a, { doing: "porting refunds, 3 of 5", about: { branch: "refunds", role: "port" } }));
  expect(entry).toMatchObject({ handle: "amber", you: true, doing: "porting refunds, 3 of 5", unread: 0, tasks: [] });
  expect((await roster(a))[0]).toMatchObject({ about: { branch: "refunds", role: "port" } });
  must(await team(a, { about: { branch: "main", role: "" } }));
  expect((await roster(a))[0]).toMatchObject({ about: { branch: "main" }, doing: "porting refunds, 3 of 5" });
  expect(must(await team(a, { doing: " " }))).toMatchObject({ doing: null });
  expect(await events(a)).toHaveLength(before);
  expect((await parley.get(`/sessions/${a.ref}`, a)).body.last_cursor).toBe(0);
});

test("the roster is announced when a team says something of itself", async () => {
  const a = await parley.create("Amber");
  const heard: string[] = [];
  const stop = parley.server.events.onAny((topic) => topic && heard.push(topic));
  must(await team(a, { doing: "this" }));
  must(await team(a, { doing: "this" }));
  stop();
  expect(heard.filter((topic) => topic === `roster ${a.session_id}`)).toHaveLength(1);
  expect(heard).not.toContain(`feed ${a.session_id}`);
});

test.each([
  [{}, "doing"],
  [{ doing: "x".repeat(201) }, "doing"],
  [{ doing: 7 }, "doing"],
  [{ about: "me" }, "about"],
  [{ about: [] }, "about"],
  [{ about: { colour: "red" } }, "about"],
  [{ about: { repo: 7 } }, "about.repo"],
  [{ about: { repo: "x".repeat(201) } }, "about.repo"],
  [{ about: { role: `pt_${"x".repeat(43)}` } }, "about.role"],
])("%j is refused", async (body, field) => {
  const a = await parley.create();
  expect(await team(a, body)).toMatchObject(refusal(400, "invalid_argument", { field }));
  const refused = (path: string, more: object) => parley.post(path, { ...more, ...body });
  if ("about" in body) {
    const first = { title: "T", description: "", creator_team_name: "X" };
    expect(await refused("/sessions", first)).toMatchObject(refusal(400, "invalid_argument", { field }));
    expect(await refused(`/sessions/${a.ref}/join`, { team_name: "X" })).toMatchObject(
      refusal(400, "invalid_argument", { field }),
    );
    expect(await roster(a)).toHaveLength(1);
  }
});
