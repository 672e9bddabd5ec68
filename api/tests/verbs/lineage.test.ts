import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connected } from "../../../testing/postgres.ts";
import { startTestServer, type Team, type TestServer } from "../../../testing/server.ts";

let parley: TestServer;
beforeAll(async () => {
  parley = await startTestServer();
});
afterAll(() => parley.stop());

const call = async (team: Team | undefined, path: string, body: object = {}) =>
  parley.post(`/sessions/${(team ?? parent).ref}${path}`, body, team);
const spawn = async (team: Team, body: object = {}): Promise<Team & { spawned_from: string; doc_version: number }> =>
  (await call(team, "/spawn", { title: "Refunds", description: "Port them.", ...body })).body;
const fork = async (team: Team, body: object = {}) => call(team, "/fork", { team_name: "Other Way", ...body });
const conclude = (team: Team, summary_section = "All ported.", more: object = {}) =>
  call(team, "/conclude", { summary_section, ...more });
const append = (team: Team, text: string) => call(team, "/doc/append", { text });
const doc = async (team: Team) => (await parley.get(`/sessions/${team.ref}/doc`, team)).body;
const feed = async (team: Team) => (await parley.get(`/sessions/${team.ref}/messages`, team)).body.messages;
const lineage = async (team: Team) => (await parley.get(`/sessions/${team.ref}/lineage`, team)).body;
const refusal = (status: number, code: string, details: object = {}) => ({
  status,
  body: { error: { code, details } },
});

let parent: Team;
beforeAll(async () => {
  parent = await parley.create("Alex's Team", "Port billing");
});

describe("a session that is spawned", () => {
  test("is one of its own, with the caller as its convener; the parent hears of it", async () => {
    const child = await spawn(parent, { team_name: "Refunds Team" });
    expect(child).toMatchObject({
      ref: expect.not.stringContaining(parent.ref),
      url: `${parley.url}/s/${child.ref}`,
      team_id: expect.stringMatching(/^pt_[\w-]{43}$/),
      handle: "refunds-team",
      cursor: 0,
      title: "Refunds",
      description: "Port them.",
      doc_version: 0,
      spawned_from: parent.ref,
    });
    expect(child.team_id).not.toBe(parent.team_id);
    expect((await parley.get(`/sessions/${child.ref}`, child)).body).toMatchObject({
      status: "active",
      convener: "refunds-team",
      last_cursor: 0,
      spawned_from: parent.ref,
    });
    const told = { ref: child.ref, title: "Refunds", by: "Alex's Team" };
    expect((await feed(parent)).at(-1)).toMatchObject({
      type: "system",
      event: "child_spawned",
      handle: parent.handle,
      ...told,
      content: { event: "child_spawned", ...told },
    });
  });

  test("takes the name of its team along unless it is given another", async () => {
    expect((await spawn(parent)).handle).toBe(parent.handle);
  });

  test("is told to others, not to whoever spawned it", async () => {
    const a = await parley.create();
    const b = await parley.join(a);
    const { ref } = await spawn(a);
    expect((await parley.wait(a, { timeout: 0, since_cursor: 1 })).body.messages).toEqual([]);
    expect((await parley.wait(b, { timeout: 0 })).body.messages).toMatchObject([{ event: "child_spawned", ref }]);
  });

  test.each([
    ["doc", "# Billing\n\n## Decisions\n\n- half even\n\n## Notes\n\n- slow\n"],
    ["decisions", "## Decisions\n\n- half even\n- We round per invoice. (alexs-team, #1)\n"],
    ["none", ""],
    [undefined, ""],
  ])("starts with what it is to carry: %s", async (carry, content) => {
    const a = await parley.create();
    await append(a, "# Billing\n\n## Decisions\n\n- half even\n\n## Notes\n\n- slow\n");
    await call(a, "/messages", { content: "We round per invoice.", kind: "decision" });
    const child = await spawn(a, { carry });
    expect(await doc(child)).toMatchObject({ content, version: content ? 1 : 0 });
    expect(child.doc_version).toBe(content ? 1 : 0);
    expect((await doc(a)).content).toContain("slow");
  });

  test("starts empty where there is no decision to carry", async () => {
    expect(await doc(await spawn(await parley.create(), { carry: "decisions" }))).toMatchObject({
      content: "",
      version: 0,
    });
  });

  test("brings its conclusion home, cut, to everybody", async () => {
    const a = await parley.create();
    const b = await parley.join(a);
    const child = await spawn(a);
    const waits = parley.wait(a, { since_cursor: 2 });
    await conclude(child, "## Conclusion\nAll ported.");
    const told = { event: "child_concluded", ref: child.ref, title: "Refunds", conclusion: "All ported." };
    expect((await waits).body.messages).toMatchObject([{ type: "system", sender: "system", ...told, content: told }]);
    expect((await waits).body.messages[0].handle).toBeNull();
    expect((await parley.wait(b, { timeout: 0, since_cursor: 2 })).body.messages).toMatchObject([told]);

    await conclude(child, `On second thought: ${"x".repeat(5_000)}`);
    const { conclusion } = (await feed(a)).at(-1);
    expect(conclusion).toMatch(/^On second thought: x+…$/);
    expect(conclusion).toHaveLength(1_000);
  });

  test("that was made one for its members tells a home for everyone that it is over, and what was known of it", async () => {
    const a = await parley.create();
    const b = await parley.join(a);
    const child = await spawn(a);
    await call(child, "/access", { visibility: "members" });
    await call(child, "/metadata", { title: "Layoffs", reason: "It is about more." });
    const refused = await conclude(b);
    expect(refused).toMatchObject(refusal(409, "session_active", { open_children: 1, children: [] }));
    expect(JSON.stringify(refused.body)).not.toMatch(`Layoffs|${child.ref}`);
    await conclude(child, "Twelve of them.");
    const told = (await feed(b)).at(-1);
    expect(told).toMatchObject({ event: "child_concluded", content: { ref: child.ref, title: "Refunds" } });
    expect(JSON.stringify(told)).not.toMatch(/Twelve|Layoffs/);
  });

  test("has nobody to tell when its parent is concluded, and tells whoever has picked that up", async () => {
    const a = await parley.create();
    const [first, second] = [await spawn(a), await spawn(a)];
    await conclude(a, "Over.", { even_so: true });
    await conclude(first);
    expect((await feed(a)).at(-1).event).toBe("session_concluded");
    const next: Team = (await call(a, "/resume", { team_name: "Next" })).body;
    await conclude(second);
    expect((await feed(a)).at(-1).event).toBe("session_concluded");
    expect(await feed(next)).toMatchObject([{ event: "child_concluded", ref: second.ref }]);
  });

  test("its other teams see nothing of the parent", async () => {
    const child = await spawn(parent);
    const other = await parley.join(child, "Other");
    for (const team of [child, other]) expect((await parley.get(`/sessions/${parent.ref}/doc`, team)).status).toBe(401);
    expect((await parley.get(`/sessions/${child.ref}/doc`, parent)).status).toBe(401);
  });

  test.each([
    [{ title: " " }, "title"],
    [{ title: undefined }, "title"],
    [{ description: undefined }, "description"],
    [{ team_name: "" }, "team_name"],
    [{ carry: "everything" }, "carry"],
    [{ carry: 1 }, "carry"],
    [{ colour: "blue" }, "colour"],
  ])("is refused, and nothing is made of it: %j", async (body, field) => {
    const before = (await lineage(parent)).descendants.length;
    const answer = await call(parent, "/spawn", { title: "T", description: "", ...body });
    expect(answer).toMatchObject(refusal(400, "invalid_argument", { field }));
    expect((await lineage(parent)).descendants).toHaveLength(before);
  });

  test("cannot come from one that is concluded", async () => {
    const a = await parley.create();
    await conclude(a);
    expect(await call(a, "/spawn", { title: "T", description: "" })).toMatchObject(refusal(403, "session_closed"));
  });
});

describe("a session with open children", () => {
  test("is concluded only when that is meant, and says which they are", async () => {
    const a = await parley.create();
    const [first, second] = [await spawn(a, { title: "One" }), await spawn(a, { title: "Two" })];
    expect(await conclude(a)).toMatchObject(
      refusal(409, "session_active", {
        open_children: 2,
        children: [
          { ref: first.ref, title: "One" },
          { ref: second.ref, title: "Two" },
        ],
        hint: expect.stringContaining("even_so: true"),
      }),
    );
    expect((await parley.get(`/sessions/${a.ref}`, a)).body).toMatchObject({
      status: "active",
      session_doc_version: 0,
    });
    await conclude(first);
    expect((await conclude(a, "x", { even_so: false })).body.error.message).toBe(
      "A session spawned here is still open.",
    );
    expect(await conclude(a, "x", { even_so: true })).toMatchObject({ status: 200, body: { status: "closed" } });
    // Once it is closed, a better summary is no second decision.
    expect((await conclude(a, "y")).status).toBe(200);
  });

  test("is not held back by what was forked from it, nor by children that are concluded", async () => {
    const a = await parley.create();
    await fork(a);
    await conclude(await spawn(a));
    expect((await conclude(a)).status).toBe(200);
  });
});

describe("a session that is forked", () => {
  test("starts with the document as it was at that message, and the original goes on", async () => {
    const a = await parley.create();
    await append(a, "one");
    await parley.say(a, "first");
    await append(a, "two");
    await parley.say(a, "second");
    const { status, body } = await fork(a, { at_cursor: 1, title: "Plan B" });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        ref: expect.any(String),
        team_id: expect.stringMatching(/^pt_/),
        handle: "other-way",
        cursor: 0,
        title: "Plan B",
        description: "What it is for",
        doc_version: 1,
        forked_from: { ref: a.ref, cursor: 1 },
      },
    });
    expect(await doc(body)).toMatchObject({ content: "one", version: 1, updated_by: "other-way" });
    expect((await parley.get(`/sessions/${body.ref}`, body)).body).toMatchObject({
      forked_from: { ref: a.ref, cursor: 1 },
      last_cursor: 0,
    });
    await append(a, "three");
    expect((await doc(body)).content).toBe("one");
    expect((await feed(a)).map(({ event }: { event: string }) => event)).toEqual([undefined, undefined]);
  });

  test.each([
    [0, "", 0],
    [2, "one\ntwo", 2],
    [undefined, "one\ntwo\nthree", 2],
  ])("at %s", async (at_cursor, content, cursor) => {
    const a = await parley.create();
    await append(a, "one");
    await parley.say(a, "first");
    await append(a, "two");
    await parley.say(a, "second");
    await append(a, "three");
    const { body } = await fork(a, { at_cursor });
    expect((await doc(body)).content).toBe(content);
    expect(body).toMatchObject({ title: "A session", forked_from: { ref: a.ref, cursor } });
  });

  test("may come from a concluded one, by its teams and those of a session that continues it", async () => {
    const a = await parley.create();
    await append(a, "one");
    await conclude(a, "Done.");
    expect((await fork(a)).body).toMatchObject({ forked_from: { ref: a.ref, cursor: 1 } });
    const next: Team = (await call(a, "/resume", { team_name: "Next" })).body;
    const { status, body } = await parley.post(`/sessions/${a.ref}/fork`, { team_name: "Next", at_cursor: 0 }, next);
    expect({ status, body }).toMatchObject({ status: 200, body: { doc_version: 0 } });
  });

  test.each([
    [{ team_name: undefined }, 400, "invalid_argument", "team_name"],
    [{ team_name: " " }, 400, "invalid_argument", "team_name"],
    [{ at_cursor: -1 }, 400, "invalid_argument", "at_cursor"],
    [{ at_cursor: 99 }, 400, "cursor_ahead", "at_cursor"],
    [{ title: "" }, 400, "invalid_argument", "title"],
  ])("is refused: %j", async (body, status, code, field) => {
    expect(await fork(parent, body)).toMatchObject(refusal(status, code, { field }));
  });
});

describe("the lineage of a session", () => {
  test("is the tree that it stands in, the nearest first", async () => {
    const root = await parley.create("A", "Root");
    const child = await spawn(root, { title: "Child" });
    const forked: Team = (await fork(child, { title: "Fork" })).body;
    await conclude(child);
    const resumed: Team = (await call(child, "/resume", { team_name: "Next" })).body;
    const grandchild = await spawn(resumed, { title: "Grandchild" });

    const entry = (team: Team, title: string, status: string, relation: string | null, of: Team | null) => ({
      ref: team.ref,
      title,
      status,
      relation,
      of: of?.ref ?? null,
    });
    const [r, c] = [entry(root, "Root", "active", null, null), entry(child, "Child", "closed", "spawned", root)];
    const f = entry(forked, "Fork", "active", "forked", child);
    const n = entry(resumed, "Child", "active", "resumed", child);
    const g = entry(grandchild, "Grandchild", "active", "spawned", resumed);
    expect(await lineage(root)).toEqual({ ...r, ancestors: [], descendants: [c, f, n, g], has_more: false, unread: 1 });
    expect(await lineage(resumed)).toEqual({ ...n, ancestors: [c, r], descendants: [g], has_more: false, unread: 0 });
    expect(await lineage(grandchild)).toMatchObject({ ...g, ancestors: [n, c, r], descendants: [] });

    const lines = (await parley.get(`/sessions/${resumed.ref}/lineage?format=lines`, resumed)).body;
    expect(lines).toBe(
      [
        `ref ${resumed.ref} · ancestors 2 · descendants 1 · more no · unread 0`,
        `ancestor ${root.ref} (active): Root`,
        `ancestor ${child.ref} (closed, spawned from ${root.ref}): Child`,
        `this ${resumed.ref} (active, resumed ${child.ref}): Child`,
        `descendant ${grandchild.ref} (active, spawned from ${resumed.ref}): Grandchild`,
        "",
      ].join("\n"),
    );
  });

  test("of many children tells five hundred", async () => {
    const { rowCount } = await connected(parley.database.url(), (client) =>
      client.query(
        `with made as (
        insert into parley.sessions (ref, title, description) select 'x-y-' || n, 'T', '' from generate_series(1, 501) n returning id
      )
      insert into parley.lineage (session_id, origin_id, relation) select id, $1, 'forked' from made returning 1`,
        [parent.session_id],
      ),
    );
    expect(rowCount).toBe(501);
    const { descendants, has_more } = await lineage(parent);
    expect({ count: descendants.length, has_more }).toEqual({ count: 500, has_more: true });
  });
});

test("a stranger spawns, forks and learns nothing, and one of another session neither", async () => {
  const other = await parley.create();
  const gone = await parley.join(parent, "Gone");
  await call(gone, "/leave");
  for (const team of [undefined, other.team_id, gone.team_id, "pt_x"]) {
    for (const [path, body] of [
      ["/spawn", { title: "T", description: "" }],
      ["/fork", { team_name: "T" }],
    ] as const)
      expect(await parley.post(`/sessions/${parent.ref}${path}`, body, team)).toMatchObject(
        refusal(401, "unauthorized"),
      );
    expect(await parley.get(`/sessions/${parent.ref}/lineage`, team)).toMatchObject(refusal(401, "unauthorized"));
  }
  expect(await parley.post("/sessions/no-such-1/spawn", { title: "T", description: "" })).toMatchObject(
    refusal(404, "session_not_found"),
  );
});

test("as lines, what was made and what was told can be read at a glance", async () => {
  const a = await parley.create("Amber");
  const spawned = await parley.post(
    `/sessions/${a.ref}/spawn?format=lines`,
    { title: "Re\nfunds", description: "" },
    a,
  );
  const [, ref] = /^ref (\S+) · team_id pt_\S+ · handle amber · cursor 0 · doc v0\n/.exec(spawned.body) ?? [];
  expect(spawned.body).toContain(`\nspawned from ${a.ref}\ntitle: Re funds\npage: `);
  const [, teamId] = /team_id (\S+)/.exec(spawned.body) ?? [];
  await parley.post(`/sessions/${ref}/conclude`, { summary_section: "Done.\n#9 * session_concluded amber" }, teamId);
  const forked = await parley.post(`/sessions/${a.ref}/fork?format=lines`, { team_name: "Blue" }, a);
  expect(forked.body).toMatch(new RegExp(`\nforked from ${a.ref} at #2\n`));
  const history = await parley.get(`/sessions/${a.ref}/messages?format=lines`, a);
  expect(history.body.split("\n").slice(1)).toEqual([
    `#1 * child_spawned amber ${ref}: Re funds`,
    `#2 * child_concluded ${ref}: Re funds`,
    "  conclusion: Done.",
    "    #9 * session_concluded amber",
    "",
  ]);
});
