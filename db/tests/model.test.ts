import fc from "fast-check";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connected, createTestDatabase, type TestDatabase } from "../../testing/postgres.ts";
import { type Answer, type Calls, connectCallers } from "./calls.ts";
import { Model } from "./model.ts";
import { pathVerbs } from "./model-paths.ts";
import { taskVerbs } from "./model-tasks.ts";
import { freeLapsed, PATTERNS } from "./model-work.ts";
import {
  type Expected,
  LIST_TEXT_MAX,
  MESSAGE_MAX,
  type ModelSession,
  type ModelTeam,
  messageFor,
  rosterFor,
  TITLE_MAX,
  withAppended,
} from "./model-world.ts";

const work = { ...taskVerbs, ...pathVerbs };

const RUNS = 90;
const STEPS = 90;

let database: TestDatabase;
let calls: Calls;
let owner: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  await connected(database.url("parley_owner"), async (client) => {
    const text = "update parley.settings set value = to_jsonb($2::integer) where name = $1";
    await client.query(text, ["message_max", MESSAGE_MAX]);
    await client.query(text, ["list_text_max", LIST_TEXT_MAX]);
    await client.query(text, ["title_max", TITLE_MAX]);
  });
  calls = connectCallers(database.url("parley_caller"));
  owner = new pg.Client({ connectionString: database.url("parley_owner") });
  await owner.connect();
});

afterAll(async () => {
  await calls?.end();
  await owner?.end();
  await database?.drop();
});

const TIMES_AND_IDS =
  /^(message_id|reply_to|at|digest_tokens|((created|updated|closed|joined|left|last_seen|claim_expires)_|expires_)at|briefing)$/;

/** What was seen of teams and their agents, which are no part of the model. */
const OBSERVED = /^(reachable|delivery|agents)$/;

/** An answer as the model tells it: of times and message ids only whether they are there. */
function told(answer: Answer): Expected {
  if (answer.status !== 200) return { status: answer.status, ...(answer.code && { code: answer.code }) };
  const text = JSON.stringify(answer.body, (key, value) => {
    if (OBSERVED.test(key)) return undefined;
    return TIMES_AND_IDS.test(key) ? value !== null : value;
  });
  return { status: 200, body: JSON.parse(text) };
}

// Pieces rather than noise: what breaks a patch is what two texts share at their edges, byte by byte.
const piece = fc.constantFrom(
  "a",
  "b",
  "ab",
  "\n",
  "\r\n",
  "\r",
  " ",
  "é",
  "è",
  "€",
  "₭",
  "😀",
  "😁",
  "👩‍👩‍👧",
  "e\u0301",
  "\u2028",
  "漢",
);
const docs = fc.oneof(
  { weight: 6, arbitrary: fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join("")) },
  { weight: 1, arbitrary: fc.constant("") },
  {
    weight: 1,
    arbitrary: fc
      .string({ unit: "binary", maxLength: 40 })
      .map((text) => text.replaceAll(/[\0\x85\ufeff]/g, "").toWellFormed()),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(piece, fc.integer({ min: 1, max: 3000 })).map(([text, times]) => text.repeat(times)),
  },
);
const texts = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom(
      "Hello",
      "two\nlines",
      "\t tabbed \r\n",
      "Grüße 😀",
      '{"event": "team_left"}',
      "😀".repeat(MESSAGE_MAX),
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom("", " ", "\n\t\r ", "x".repeat(MESSAGE_MAX + 1)) },
);
const short = fc.constantFrom(
  "Scope",
  "Other scope",
  "Grüße 😀",
  "",
  "  ",
  "😀".repeat(TITLE_MAX),
  "x".repeat(TITLE_MAX + 1),
);
const names = fc.constantFrom("Alex's Team", "alexs team", "Team Blue", "ÄÖÜ", "  --  !", "", " ", "Team 2", "team");
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
/** A place between the beginning and the end of what there is, as tenths; now and then beyond either. */
const place = fc.nat(12);
const placed = (tenths: number, end: number) =>
  tenths > 11 ? -1 : tenths > 10 ? end + 1 : Math.round((end * tenths) / 10);

const content = fc.oneof(
  { weight: 4, arbitrary: texts },
  { weight: 2, arbitrary: fc.record({ text: texts }) },
  fc.constantFrom(7, null, {}, { text: 7 }, { text: "x", event: "team_left" }, { text: "x", more: 1 }),
);
const keys = fc.constantFrom("a", "b", "c", "d", " ", "k".repeat(201));
/** Few contents under few keys, so that retries and mistakes are met. */
const draft = {
  content,
  kind: maybe(fc.constantFrom("question", "question", "answer", "decision", "my-word", "System!", "team_joined")),
  reply_to: maybe(place),
  to: maybe(fc.uniqueArray(fc.constantFrom("alexs-team", "team-blue", "nobody-here"), { maxLength: 2 })),
  expects_reply: maybe(fc.boolean()),
  metadata: maybe(fc.constantFrom({ ticket: 42 }, { ticket: 42 }, 7, [], "x")),
  client_message_id: maybe(keys),
};
const retried = fc.record({ content: fc.constantFrom("Hello", "Again"), client_message_id: fc.constantFrom("a", "b") });

/** Each run has its own, since the key of a create is known to the whole server. */
const secrets = fc.constantFrom("key-a", "key-b");
const same = fc.constant("Scope");

/** Sessions and teams are picked by number among those that exist; some numbers pick none. */
const who = { session: fc.nat(15), team: fc.nat(40) };
const step = (weight: number, verb: string, args: Record<string, fc.Arbitrary<unknown>>) => ({
  weight,
  arbitrary: fc.record({ verb: fc.constant(verb), ...who, args: fc.record(args) }),
});
const paths = fc.uniqueArray(fc.constantFrom(...PATTERNS, ...PATTERNS, "../x"), { maxLength: 2 });
const number = fc.nat(6);
const evidence = fc.constantFrom(
  [{ kind: "commit", commit: "abcdef1", branch: "main" }],
  [{ kind: "check", name: "test" }],
  [{ kind: "rumour" }],
);
const task = fc.oneof(
  short,
  fc.record({
    title: fc.constantFrom("Port", "Test", "😀"),
    priority: maybe(fc.integer({ min: -1, max: 2 })),
    depends_on: maybe(fc.uniqueArray(fc.constantFrom(1, 2, 3, 99, "+1", "+2", "+3"), { maxLength: 2 })),
    paths: maybe(paths),
    check: maybe(fc.constantFrom("test", "rm -rf /")),
  }),
);
const workSteps = [
  step(2, "update_team", {
    about: maybe(fc.constantFrom({ branch: "main" }, { branch: "" }, { role: "r" }, { colour: "red" }, [])),
    doing: maybe(fc.constantFrom("this", " ", "")),
  }),
  step(6, "add_tasks", { tasks: fc.array(task, { maxLength: 3 }), idempotency_key: maybe(fc.constantFrom("a", "b")) }),
  step(2, "list_tasks", {
    status: maybe(fc.constantFrom("open", "blocked", "claimed", "done", "lost")),
    mine: maybe(fc.boolean()),
    task: maybe(number),
  }),
  step(9, "claim_task", { task: maybe(number), wait: maybe(fc.constantFrom(0, 0, 0.5, -1)) }),
  step(9, "update_task", {
    task: number,
    status: maybe(fc.constantFrom("done", "done", "open", "blocked", "dropped", "claimed")),
    result: maybe(fc.constantFrom("Done.", "Stuck.", " ")),
    title: maybe(fc.constantFrom("Port", "Better", " ")),
    priority: maybe(fc.integer({ min: -1, max: 2 })),
    depends_on: maybe(fc.uniqueArray(fc.constantFrom(1, 2, 3, 4, 99), { maxLength: 2 })),
    paths: maybe(paths),
    evidence: maybe(evidence),
    expected_version: maybe(fc.integer({ min: 1, max: 4 })),
  }),
  step(4, "update_task", {
    task: number,
    status: fc.constant("done"),
    result: fc.constant("Done."),
    evidence: maybe(evidence),
  }),
  step(4, "verify_task", { task: number, passed: fc.boolean(), evidence: maybe(evidence) }),
  step(5, "claim_paths", { paths }),
  step(2, "release_paths", { paths: maybe(paths) }),
  step(2, "list_paths", {}),
  step(4, "report_changes", { paths, branch: maybe(fc.constantFrom("main", "other")) }),
  // Not verbs: time passes, and the worker comes by.
  step(4, "silence", {}),
  step(2, "sweep", {}),
];

const steps = fc.oneof(
  step(1, "create_session", { title: short, description: fc.constantFrom("", "Why"), creator_team_name: names }),
  step(1, "create_session", { title: same, description: same, creator_team_name: same, idempotency_key: secrets }),
  step(4, "join_session", { team_name: names, replay_from: maybe(place) }),
  step(3, "join_session", { team_name: fc.constantFrom("Team Blue", "Team 2"), idempotency_key: secrets }),
  step(1, "leave_session", {}),
  step(2, "list_participants", {}),
  step(2, "get_session", {}),
  step(6, "wait_for_messages", {
    since_cursor: maybe(place),
    timeout: maybe(fc.constantFrom(-1, 0, 0, 0, 0.5, 0.5, 30, 30, 9_999)),
    full: maybe(fc.boolean()),
    include_self: maybe(fc.boolean()),
  }),
  step(8, "post_message", {
    content,
    type: fc.constantFrom(undefined, undefined, undefined, "chat", "system", "team_left"),
  }),
  step(8, "post_message", { ...draft, expected_cursor: maybe(place) }),
  { weight: 4, arbitrary: fc.record({ verb: fc.constant("post_message"), ...who, args: retried }) },
  step(5, "sync", {
    outbox: maybe(
      fc.array(fc.oneof(texts, retried, fc.record({ ...draft, reply_to: maybe(fc.constantFrom(1, 2, 9_999)) })), {
        maxLength: 3,
      }),
    ),
    since_cursor: maybe(place),
    timeout: maybe(fc.constantFrom(-1, 0, 0.5, 30)),
    max_items: maybe(fc.constantFrom(0, 1, 2, 3, 500)),
    include_self: maybe(fc.boolean()),
    auto_advance: maybe(fc.boolean()),
    ack_through: maybe(place),
    full: maybe(fc.boolean()),
  }),
  step(3, "ack_messages", { through_cursor: place }),
  step(3, "get_message", { message_id: place }),
  step(3, "wait_for_reply", {
    message_id: place,
    timeout: maybe(fc.constantFrom(-1, 0, 0.5, 30)),
    all: maybe(fc.boolean()),
  }),
  step(3, "withdraw_question", { message: place }),
  step(3, "whoami", {}),
  step(3, "get_history", {
    before_cursor: maybe(place),
    limit: maybe(fc.constantFrom(-1, 0, 1, 3, 500, 501)),
    full: maybe(fc.boolean()),
  }),
  step(3, "read_session_doc", { version: maybe(place) }),
  step(8, "update_session_doc", { content: docs, expected_version: fc.constantFrom(0, 0, 0, 0, 1, -1, -99) }),
  step(5, "append_to_session_doc", { text: docs }),
  step(3, "append_to_session_doc", { text: fc.constantFrom("one", "two"), idempotency_key: fc.constantFrom("a", "b") }),
  step(3, "update_session_metadata", {
    title: maybe(short),
    description: maybe(fc.constantFrom("", "Why")),
    reason: short,
  }),
  ...workSteps,
  step(1, "conclude_session", {
    summary_section: fc.constantFrom("Done.", "All\nof it. 😀", "Done.\n\n## Next\n\nNone.", " "),
  }),
);

type Step = typeof steps extends fc.Arbitrary<infer T> ? T : never;

/** Takes the step in both worlds. Cursors and versions were drawn relative to what there is now. */
async function take(model: Model, { verb, session: s, team: t, args: drawn }: Step): Promise<[Answer, Expected]> {
  const session: ModelSession | undefined = s === 15 ? undefined : model.sessions[s % model.sessions.length];
  const members = session?.teams ?? [];
  // Mostly members, now and then a team of any session, now and then nobody.
  const team = t === 40 ? undefined : t > 35 ? model.teams[t % model.teams.length] : members[t % members.length];
  if (verb === "silence" || verb === "sweep") return pass(model, verb, team);
  const args: Record<string, unknown> = { ...drawn };
  const lastVersion = (session?.versions.length ?? 1) - 1;
  const ends = {
    since_cursor: session?.feed.length,
    replay_from: session?.feed.length,
    before_cursor: session?.feed.length,
    version: lastVersion,
    reply_to: session?.feed.length,
    message_id: session?.feed.length,
    message: session?.feed.length,
    expected_cursor: session?.feed.length,
    through_cursor: session?.feed.length,
    ack_through: session?.feed.length,
  };
  for (const [name, end = 0] of Object.entries(ends)) {
    if (args[name] !== undefined) args[name] = placed(args[name] as number, end);
  }
  if (verb === "update_session_doc") args.expected_version = lastVersion + Number(args.expected_version);
  if (args.idempotency_key?.toString().startsWith("key-")) args.idempotency_key += ` of run ${model.run}`;
  if (verb === "create_session") {
    const answer = await calls.call(verb, args);
    return [answer, model.create_session(args as never, answer.body)];
  }
  const session_id = session
    ? [session.ref, session.session_id, session.session_id.slice(0, 23).toUpperCase()][t % 3]
    : "no-such-session";
  const answer = await calls.call(
    verb,
    verb === "whoami" ? args : { session_id, ...args },
    team?.team_id ?? (t === 40 ? undefined : "pt_stranger"),
  );
  if (verb === "join_session") {
    const expected = model.join_session(session, args as never, answer.body);
    if (expected.status === 200 && team) team.lapsed = false;
    return [answer, expected];
  }
  if (verb === "append_to_session_doc" && answer.status === 200) {
    const { version } = answer.body;
    args.made = (await calls.must("read_session_doc", { session_id, version }, team?.team_id)).content;
  }
  const verbs = { ...work, [verb]: work[verb] ?? (model as unknown as typeof work)[verb] };
  const expected = (verbs[verb] as (typeof work)[string]).call(model, session, team, withoutUndefined(args));
  // Whatever is answered is a sign of life.
  if (expected.status === 200 && team) team.lapsed = false;
  return [answer, expected];
}

/** Nothing is heard of a team for longer than its leases last; or they are swept. */
async function pass(model: Model, what: string, team: ModelTeam | undefined): Promise<[Answer, Expected]> {
  const done = { status: 200, body: {} };
  if (what === "sweep") {
    // What was refused just now may still hold its lock: who is sent the refusal has not yet been told of the rollback.
    await calls.pool.query("select");
    // As the worker does: of many sessions it takes several goes.
    for (let swept = 1; swept > 0; )
      swept = (await owner.query("select parley_private.sweep_claims() as swept")).rows[0].swept;
    for (const session of model.sessions) if (!session.closed) freeLapsed(session);
  } else if (team && !team.left) {
    await owner.query(
      "update parley.participants set last_seen_at = now() - interval '1 hour' where session_id = $1 and handle = $2",
      [team.session.session_id, team.handle],
    );
    team.lapsed = true;
  }
  return [done, done];
}

const withoutUndefined = (args: Record<string, unknown>) => JSON.parse(JSON.stringify(args)) as Record<string, unknown>;

/** What the database holds in the end is what the model holds, all of it. */
async function compareAll(model: Model): Promise<void> {
  for (const session of model.sessions) {
    let reader = session.teams.find(({ left }) => !left);
    if (!reader && session.closed) continue;
    if (!reader) {
      const joined = await calls.call("join_session", { session_id: session.ref, team_name: "Auditor" });
      model.join_session(session, { team_name: "Auditor" }, joined.body);
      reader = session.teams.at(-1);
    }
    if (!reader) throw new Error("nobody can read the session");
    const read = (verb: string, args = {}) => calls.call(verb, { session_id: session.ref, ...args }, reader.team_id);

    const history = told(await read("get_history", { limit: 500 })).body as { messages: unknown[] };
    expect(history.messages).toEqual(session.feed.map((_, i) => messageFor(reader, i + 1, { receipts: true })));
    reader.lapsed = false;
    expect(told(await read("list_participants")).body).toMatchObject({ participants: rosterFor(reader) });
    for (const verb of ["list_tasks", "list_paths"])
      expect(told(await read(verb))).toEqual(work[verb]?.call(model, session, reader, {}));
    for (const { task } of session.work.tasks)
      expect(told(await read("list_tasks", { task }))).toEqual(work.list_tasks?.(session, reader, { task }));
    for (const [version, { content, author }] of session.versions.entries()) {
      const doc = (await read("read_session_doc", { version })).body;
      expect(doc).toMatchObject({ content, version, updated_by: author?.handle ?? null });
    }
    expect((await read("read_session_doc", { version: session.versions.length })).status).toBe(404);
  }
}

test("whatever teams and strangers do, the verbs answer as the model does", async () => {
  const answered = new Set<string>();
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 20, maxLength: STEPS, size: "max" }), async (script) => {
      const model = new Model();
      model.run = runs++;
      for (const creator_team_name of ["Alex's Team", "Team Blue"]) {
        const args = { title: "Scope", description: "", creator_team_name };
        model.create_session(args, (await calls.call("create_session", args)).body);
      }
      for (const taken of script) {
        const [answer, expected] = await take(model, taken);
        expect(told(answer)).toEqual(expected);
        answered.add(`${taken.verb} ${expected.code ?? expected.status}`);
      }
      await compareAll(model);
    }),
    { numRuns: RUNS, interruptAfterTimeLimit: 40_000 },
  );
  // Of verbs and their outcomes 155 pairs can be met; a run that meets few of them has badly drawn steps.
  expect(answered.size).toBeGreaterThan(125);
}, 60_000);

/** Edits as people make them: a part of the document gives way to another. */
const edit = fc.oneof(
  { weight: 6, arbitrary: fc.record({ at: fc.nat(1000), removed: fc.nat(12), inserted: docs }) },
  { weight: 3, arbitrary: fc.record({ appended: docs.filter((text) => text.trim() !== "") }) },
  { weight: 1, arbitrary: fc.record({ replaced: docs }) },
);

test("every version of a long history reads back byte for byte, across key frames", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(edit, { minLength: 120, maxLength: 230, size: "max" }), async (edits) => {
      const team = await calls.create();
      const versions = [""];
      for (const change of edits) {
        const doc = versions.at(-1) as string;
        if ("appended" in change) {
          await calls.must("append_to_session_doc", { session_id: team.ref, text: change.appended }, team);
          const made = await calls.must("read_session_doc", { session_id: team.ref }, team);
          versions.push(withAppended(doc, change.appended, made.content));
          continue;
        }
        const letters = [...doc];
        if ("at" in change) letters.splice(change.at % (letters.length + 1), change.removed, change.inserted);
        const content = "at" in change ? letters.join("") : change.replaced;
        const expected_version = versions.length - 1;
        await calls.must("update_session_doc", { session_id: team.ref, content, expected_version }, team);
        versions.push(content);
      }
      for (const [version, expected] of versions.entries()) {
        const { content } = await calls.must("read_session_doc", { session_id: team.ref, version }, team);
        if (content !== expected) expect({ version, content }).toEqual({ version, content: expected });
      }
      const { rows } = await calls.pool.query(
        "select version, size from parley.session_doc_history where session_id = $1 order by version",
        [team.session_id],
      );
      expect(rows).toEqual(versions.slice(1).map((text, i) => ({ version: i + 1, size: Buffer.byteLength(text) })));
    }),
    { numRuns: 4, endOnFailure: true },
  );
});
