import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestServer, type Team, type TestServer } from "../../../testing/server.ts";
import { refusal, workers } from "./work.ts";

let parley: TestServer;
beforeAll(async () => {
  parley = await startTestServer();
});
afterAll(() => parley.stop());

const { add, claim, done, events, list, must, roster, take, task, update, three } = workers(() => parley);

const FIELDS = [
  "task",
  "title",
  "body",
  "status",
  "claimed_by",
  "claim_expires_at",
  "priority",
  "depends_on",
  "blocked_by",
  "paths",
  "result",
  "created_by",
  "created_at",
  "updated_at",
  "version",
];

describe("adding tasks", () => {
  test("counts them 1, 2, 3 …, takes plain titles and tasks of the same call, and tells it in one message", async () => {
    const [a, b] = await three();
    const added = await add(
      a,
      "Port invoices",
      { title: "Port refunds", body: "All of src/refunds.", priority: 5, paths: ["src/refunds/"], check: "test" },
      { title: "Load test", depends_on: ["+1", "+2"] },
    );
    expect(added.tasks.map((row: Record<string, unknown>) => [row.task, row.title, row.status])).toEqual([
      [1, "Port invoices", "open"],
      [2, "Port refunds", "open"],
      [3, "Load test", "blocked"],
    ]);
    const [more] = (await add(b, { title: "Write it down", depends_on: [3, "1"] })).tasks;
    expect(more).toMatchObject({ task: 4, depends_on: [1, 3], blocked_by: [1, 3] });
    const whole = await task(b, 2);
    for (const field of FIELDS) expect(whole).toHaveProperty(field);
    expect(whole).toMatchObject({
      body: "All of src/refunds.",
      priority: 5,
      created_by: "amber",
      check: "test",
      version: 1,
    });
    expect((await events(b)).filter(({ event }) => event === "tasks_added")).toEqual([
      {
        event: "tasks_added",
        by: "Amber",
        handle: "amber",
        tasks: [
          { task: 1, title: "Port invoices" },
          { task: 2, title: "Port refunds" },
          { task: 3, title: "Load test" },
        ],
      },
      { event: "tasks_added", by: "Blue", handle: "blue", tasks: [{ task: 4, title: "Write it down" }] },
    ]);
  });

  test("is safe to repeat with a key, and refuses the key for something else", async () => {
    const [a] = await three();
    const body = { tasks: ["One", "Two"], idempotency_key: "divide-1" };
    const first = await parley.post(`/sessions/${a.ref}/tasks`, body, a);
    expect(await parley.post(`/sessions/${a.ref}/tasks`, body, a)).toMatchObject({ status: 200, body: first.body });
    expect(await parley.post(`/sessions/${a.ref}/tasks`, { ...body, tasks: ["One"] }, a)).toMatchObject(
      refusal(409, "idempotency_conflict"),
    );
    expect((await list(a)).tasks).toHaveLength(2);
  });

  test.each([
    ["nothing", [], "tasks"],
    ["too many", Array.from({ length: 101 }, () => "x"), "tasks"],
    ["no list", "x", "tasks"],
    ["a blank title", [" "], "tasks[0].title"],
    ["a long title", ["x".repeat(201)], "tasks[0].title"],
    ["a number", [7], "tasks[0].title"],
    ["an unknown field", ["x", { title: "y", colour: "red" }], "tasks[1].colour"],
    ["a command for a check", [{ title: "x", check: "rm -rf /" }], "tasks[0].check"],
    ["half a priority", [{ title: "x", priority: 0.5 }], "tasks[0].priority"],
    ["a path that leads out", [{ title: "x", paths: ["../y"] }], "tasks[0].paths[0]"],
    ["a number for a path", [{ title: "x", paths: [7] }], "tasks[0].paths"],
    ["a task that is not there", [{ title: "x", depends_on: [9] }], "tasks[0].depends_on"],
    ["a task beyond those of the call", [{ title: "x", depends_on: ["+2"] }], "tasks[0].depends_on"],
    ["a task in words", [{ title: "x", depends_on: ["first"] }], "tasks[0].depends_on"],
  ])("refuses %s, names the field, and adds none", async (_, tasks, field) => {
    const [a] = await three();
    const answer = await parley.post(`/sessions/${a.ref}/tasks`, { tasks }, a);
    expect(answer).toMatchObject(refusal(400, "invalid_argument", { field }));
    expect((await list(a)).tasks).toEqual([]);
  });

  test("refuses a circle, also one within the call", async () => {
    const [a] = await three();
    const circle = [
      { title: "x", depends_on: ["+2"] },
      { title: "y", depends_on: ["+3"] },
      { title: "z", depends_on: ["+1"] },
    ];
    const answer = await parley.post(`/sessions/${a.ref}/tasks`, { tasks: circle }, a);
    expect(answer).toMatchObject(refusal(400, "circular_dependency"));
    await add(a, "One", { title: "Two", depends_on: [1] }, { title: "Three", depends_on: [2] });
    expect(await update(a, 1, { depends_on: [3] })).toMatchObject(refusal(400, "circular_dependency"));
    expect(await update(a, 1, { depends_on: [1] })).toMatchObject(refusal(400, "circular_dependency"));
    expect(await task(a, 1)).toMatchObject({ depends_on: [], version: 1 });
  });
});

describe("claiming", () => {
  test("without a number gives the highest priority, then the oldest, and to each another", async () => {
    const [a, b, c] = await three();
    await add(a, "One", { title: "Two", priority: 1 }, "Three", { title: "Four", priority: -1 });
    expect(await Promise.all([take(a), take(b), take(c)])).toEqual(expect.arrayContaining([1, 2, 3]));
    expect(await take(b)).toBe(4);
    const { body } = await claim(c);
    expect(body).toMatchObject({ task: null, open: 0, blocked: 0, claimed: 4 });
  });

  test("leaves out what waits for another, and gives it when that is done or dropped", async () => {
    const [a, b] = await three();
    await add(a, "One", "Two", { title: "Three", depends_on: [1, 2] });
    expect([await take(a), await take(b)]).toEqual([1, 2]);
    expect((await claim(a)).body).toMatchObject({ task: null, open: 0, blocked: 1, claimed: 2 });
    expect(await claim(a, { task: 3 })).toMatchObject(refusal(409, "not_open", { blocked_by: [1, 2] }));
    await done(a, 1);
    expect((await task(b, 3)).blocked_by).toEqual([2]);
    must(await update(b, 2, { status: "dropped" }));
    expect(await task(b, 3)).toMatchObject({ status: "open", blocked_by: [] });
    expect(await take(b)).toBe(3);
  });

  test("by number is refused when it is taken, and says by whom and until when; one's own is answered again", async () => {
    const [a, b] = await three();
    await add(a, "One");
    const mine = (await claim(a, { task: 1 })).body;
    expect(mine).toMatchObject({ task: 1, status: "claimed", claimed_by: "amber", title: "One" });
    for (const field of FIELDS) expect(mine).toHaveProperty(field);
    const taken = await claim(b, { task: 1 });
    expect(taken).toMatchObject(refusal(409, "already_claimed", { by: "amber", task: 1 }));
    const { until: ends } = taken.body.error.details;
    // Present for a minute after its last call, and a quarter of an hour longer.
    expect(Math.abs(new Date(ends).getTime() - Date.now() - 960_000)).toBeLessThan(30_000);
    expect((await claim(a, { task: 1 })).body).toMatchObject({ task: 1, version: mine.version });
    expect(await claim(a, { task: 2 })).toMatchObject(refusal(404, "task_not_found"));
    expect((await events(b)).filter(({ event }) => event === "task_claimed")).toEqual([
      { event: "task_claimed", task: 1, title: "One", by: "Amber", handle: "amber" },
    ]);
  });

  test("shows on the roster, in whoami and in the digest", async () => {
    const [a, b] = await three();
    await add(a, "One", "Two", { title: "Three", depends_on: [1] });
    await take(b);
    await take(b);
    expect((await roster(a)).map(({ handle, tasks }) => [handle, tasks])).toEqual([
      ["amber", []],
      ["blue", [1, 2]],
      ["green", []],
    ]);
    const work = { open: 0, blocked: 1, claimed: 2, done: 0, dropped: 0 };
    expect((await parley.get("/whoami", b)).body).toMatchObject({ tasks: [1, 2], work });
    expect((await parley.get("/whoami", a)).body).toMatchObject({ work });
    const digest = (await parley.get(`/sessions/${a.ref}/digest`, a)).body;
    expect(digest.work).toEqual(work);
    expect(digest.teams[1]).toMatchObject({ handle: "blue", tasks: [1, 2] });
  });

  test("a session without tasks says nothing of them", async () => {
    const a = await parley.create();
    expect((await parley.get("/whoami", a)).body).not.toHaveProperty("work");
    expect((await parley.get(`/sessions/${a.ref}/digest`, a)).body).not.toHaveProperty("work");
    expect((await claim(a)).body).toMatchObject({ task: null, open: 0, blocked: 0, claimed: 0 });
  });
});

describe("moving a task on", () => {
  test("done wants a result, says who did it, and tells the others in short", async () => {
    const [a, b] = await three();
    await add(a, "One");
    await take(b);
    expect(await update(b, 1, { status: "done" })).toMatchObject(refusal(400, "invalid_argument", { field: "result" }));
    const result = `Ported. ${"x".repeat(400)}`;
    expect(await done(b, 1, { result })).toMatchObject({
      status: "done",
      claimed_by: null,
      done_by: "blue",
      proof: "reported",
      result,
    });
    const last = (await events(a)).at(-1);
    expect(last).toMatchObject({ event: "task_done", task: 1, title: "One", by: "Blue", handle: "blue" });
    expect(last?.result).toHaveLength(280);
    expect((await roster(a))[1]).toMatchObject({ tasks: [] });
  });

  test("what another has claimed only the convener may finish, block or take back", async () => {
    const [a, b, c] = await three();
    await add(a, "One", "Two", "Three");
    for (let n = 0; n < 3; n++) await take(b);
    for (const body of [
      { status: "open" },
      { status: "blocked" },
      { status: "dropped" },
      { status: "done", result: "x" },
      { result: "x" },
      { paths: ["x"] },
    ])
      expect(await update(c, 1, body)).toMatchObject(refusal(403, "not_your_task", { by: "blue", task: 1 }));
    // To edit its text is not to take it away.
    expect((await update(c, 1, { title: "One, better", priority: 3, depends_on: [2] })).body).toMatchObject({
      status: "claimed",
      claimed_by: "blue",
    });
    must(await update(a, 1, { status: "open" }));
    must(await update(a, 2, { status: "blocked", result: "No fixtures." }));
    await done(a, 3);
    expect(await task(a, 3)).toMatchObject({ done_by: "blue" });
    expect((await events(b)).slice(-3)).toEqual([
      {
        event: "task_freed",
        task: 1,
        title: "One, better",
        by: "Amber",
        handle: "amber",
        from: "blue",
        reason: "taken back",
      },
      {
        event: "task_blocked",
        task: 2,
        title: "Two",
        by: "Amber",
        handle: "amber",
        from: "blue",
        reason: "No fixtures.",
      },
      { event: "task_done", task: 3, title: "Three", by: "Amber", handle: "amber", from: "blue", result: "Done." },
    ]);
  });

  test("open gives it back, and opens again what is blocked, done or dropped; edits are silent", async () => {
    const [a, b] = await three();
    await add(a, "One", "Two");
    await take(b);
    must(await update(b, 1, { status: "open" }));
    must(await update(b, 1, { status: "blocked" }));
    expect((await claim(a, { task: 1 })).body.error.code).toBe("not_open");
    must(await update(a, 1, { status: "open" }));
    await done(b, 1);
    must(await update(a, 1, { status: "open" }));
    expect(await task(a, 1)).toMatchObject({ status: "open", proof: null });
    expect(await task(a, 1)).not.toHaveProperty("done_by", "blue");
    const moves = (await events(a))
      .filter(({ event }) => event !== "team_joined")
      .map(({ event, reason }) => [event, reason]);
    expect(moves.slice(2)).toEqual([
      ["task_freed", "given back"],
      ["task_blocked", undefined],
      ["task_freed", "unblocked"],
      ["task_done", undefined],
      ["task_freed", "opened again"],
    ]);
    must(await update(b, 2, { title: "Two, better", body: "How", priority: 7, paths: ["x/"] }));
    expect(await events(a)).toHaveLength(moves.length + 2);
    expect(await task(a, 2)).toMatchObject({
      title: "Two, better",
      body: "How",
      priority: 7,
      paths: ["x/"],
      version: 2,
    });
  });

  test("an expected version that is not the current one is refused", async () => {
    const [a] = await three();
    await add(a, "One");
    const { version } = (await update(a, 1, { title: "Uno", expected_version: 1 })).body;
    expect(await update(a, 1, { title: "Eins", expected_version: 1 })).toMatchObject(
      refusal(409, "version_conflict", { current_version: version, expected_version: 1 }),
    );
  });

  test.each([
    [{ status: "claimed" }, "status"],
    [{ status: "lost" }, "status"],
    [{ title: " " }, "title"],
    [{ depends_on: [7] }, "depends_on"],
    [{ paths: ["/etc"] }, "paths[0]"],
    [{ check: "npm test" }, "check"],
    [{ evidence: [] }, "evidence"],
    [{ status: "done", result: "x", evidence: [{ kind: "rumour" }] }, "evidence[0]"],
    [{ status: "done", result: "x", evidence: [{ kind: "link", url: "javascript:alert(1)" }] }, "evidence[0].url"],
    [{ status: "done", result: " " }, "result"],
  ])("%j is refused", async (body, field) => {
    const [a] = await three();
    await add(a, "One");
    expect(await update(a, 1, body)).toMatchObject(refusal(400, "invalid_argument", { field }));
    expect(await task(a, 1)).toMatchObject({ status: "open", version: 1 });
  });

  test("a stranger and a team of another session are refused, and a closed session takes nothing", async () => {
    const [a] = await three();
    const other = await parley.create("Other");
    await add(a, "One");
    for (const team of [undefined, other]) {
      for (const [path, body] of [
        ["tasks", { tasks: ["x"] }],
        ["tasks/claim", {}],
        ["tasks/1", { title: "x" }],
        ["tasks/1/verify", { passed: true }],
        ["team", { doing: "x" }],
        ["paths/claim", { paths: ["x"] }],
        ["paths/release", {}],
        ["changes", { paths: ["x"] }],
      ] as const)
        expect(await parley.post(`/sessions/${a.ref}/${path}`, body, team)).toMatchObject(refusal(401, "unauthorized"));
      for (const path of ["tasks", "paths"])
        expect(await parley.get(`/sessions/${a.ref}/${path}`, team)).toMatchObject(refusal(401, "unauthorized"));
    }
    const closed = await parley.post(`/sessions/${a.ref}/conclude`, { summary_section: "Over." }, a);
    expect(closed.body).toMatchObject({ status: "closed", open_tasks: 1 });
    for (const [path, body] of [
      ["tasks", { tasks: ["x"] }],
      ["tasks/claim", {}],
      ["tasks/1", { title: "x" }],
      ["team", { doing: "x" }],
      ["paths/claim", { paths: ["x"] }],
      ["changes", { paths: ["x"] }],
    ] as const)
      expect(await parley.post(`/sessions/${a.ref}/${path}`, body, a)).toMatchObject(refusal(403, "session_closed"));
    expect((await list(a)).tasks).toHaveLength(1);
  });
});

test("what was not finished goes on in the session that continues it, with what it depends on", async () => {
  const [a, b] = await three();
  await add(
    a,
    "One",
    { title: "Two", depends_on: [1], paths: ["src/"], priority: 4, body: "B", check: "test" },
    "Three",
    { title: "Four", depends_on: [2, 3] },
    "Five",
  );
  await take(b);
  await done(b, 1);
  must(await update(a, 5, { status: "blocked", result: "No key." }));
  must(await update(a, 3, { status: "dropped" }));
  expect((await parley.post(`/sessions/${a.ref}/conclude`, { summary_section: "Half." }, a)).body.open_tasks).toBe(3);
  const resumed = await parley.post(`/sessions/${a.ref}/resume`, { team_name: "Red" });
  const red = resumed.body as Team & { handoff: { open_tasks: number } };
  expect(red).toMatchObject({ cursor: 0, handoff: { open_tasks: 3 } });
  const { tasks } = await list(red);
  expect(tasks.map((row: Record<string, unknown>) => [row.task, row.title, row.status, row.depends_on])).toEqual([
    [1, "Two", "open", []],
    [2, "Four", "blocked", [1]],
    [3, "Five", "blocked", []],
  ]);
  expect(await task(red, 1)).toMatchObject({
    body: "B",
    paths: ["src/"],
    priority: 4,
    check: "test",
    created_by: "red",
    carried_from: { ref: a.ref, task: 2 },
  });
  expect(await task(red, 3)).toMatchObject({ result: "No key.", carried_from: { task: 5 } });
  expect(await events(red)).toEqual([]);
});

test("list_tasks gives thin rows, of one status or of one's own, and one in full", async () => {
  const [a, b] = await three();
  await add(a, { title: "One", body: "Long" }, "Two", { title: "Three", depends_on: [1] });
  await take(b);
  const { tasks, ...counts } = await list(a);
  expect(counts).toEqual({ open: 1, blocked: 1, claimed: 1, done: 0, dropped: 0, unread: expect.any(Number) });
  expect(tasks[0]).toEqual({
    task: 1,
    title: "One",
    status: "claimed",
    claimed_by: "blue",
    priority: 0,
    depends_on: [],
    blocked_by: [],
    proof: null,
    version: 2,
  });
  const numbers = async (team: Team, query: string) =>
    (await list(team, query)).tasks.map((row: { task: number }) => row.task);
  expect(await numbers(a, "status=open")).toEqual([2]);
  expect(await numbers(a, "status=blocked")).toEqual([3]);
  expect(await numbers(a, "status=done")).toEqual([]);
  expect(await numbers(b, "mine=true")).toEqual([1]);
  expect(await numbers(a, "mine=true")).toEqual([]);
  expect((await task(a, 1)).body).toBe("Long");
  expect(await parley.get(`/sessions/${a.ref}/tasks?task=9`, a)).toMatchObject(refusal(404, "task_not_found"));
  expect(await parley.get(`/sessions/${a.ref}/tasks?status=lost`, a)).toMatchObject(refusal(400, "invalid_argument"));
});
