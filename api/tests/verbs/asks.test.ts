import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { as, bearer, codeOf, makeKey, type Person, signIn } from "../../../testing/access.ts";
import { connected } from "../../../testing/postgres.ts";
import { startTestServer, type Team, type TestServer, until } from "../../../testing/server.ts";

let parley: TestServer;
let key: string;
let ada: Person;
let bob: Person;
beforeAll(async () => {
  parley = await startTestServer({ access: "keys" });
  key = await makeKey(parley, ["read", "team"]);
  [ada, bob] = [await signIn(parley, "Ada"), await signIn(parley, "Bob")];
});
afterAll(() => parley.stop());

const create = async (visibility = "everyone"): Promise<Team> =>
  (
    await parley.post(
      "/sessions",
      { title: "Port billing", description: "", creator_team_name: "Amber", visibility },
      undefined,
      { headers: bearer(key) },
    )
  ).body;
const ask = async (team: Team, body: object = {}): Promise<{ cursor: number; expires_at?: string }> => {
  const answer = await parley.post(`/sessions/${team.ref}/ask`, { question: "Ship it?", ...body }, team);
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return answer.body;
};
const answer = (person: Person, team: Team, cursor: number, body: object) =>
  as(parley, person).post(`/sessions/${team.ref}/messages/${cursor}/answer`, body);
const waitForReply = async (team: Team, cursor: number, timeout = 30) =>
  (await parley.get(`/sessions/${team.ref}/messages/${cursor}/replies?timeout=${timeout}`, team)).body;
const inboxOf = async (person: Person, team: Team) =>
  (await as(parley, person).get("/inbox")).body.items.filter(({ ref }: { ref: string }) => ref === team.ref);
const messageOf = async (team: Team, cursor: number) =>
  (await parley.get(`/sessions/${team.ref}/messages/${cursor}`, team)).body;
const sweep = () =>
  connected(parley.database.url(), (client) =>
    client.query("set role parley_worker; select parley_private.sweep_asks()"),
  );
/** Time passes for an ask. */
const expire = (team: Team, cursor: number) =>
  connected(parley.database.url("parley_owner"), (client) =>
    client.query("update parley.asks set expires_at = now() where session_id = $1 and sequence = $2", [
      team.session_id,
      cursor,
    ]),
  );

describe("ask_people", () => {
  test("is a question to humans, with what may be answered, and waits in the inbox", async () => {
    const team = await create();
    const options = ["yes", "no", "later"];
    const { cursor, expires_at } = await ask(team, { options, expires_in: "30m", default: "no" });
    expect(Math.round((Date.parse(expires_at as string) - Date.now()) / 60_000)).toBe(30);
    expect(await messageOf(team, cursor)).toMatchObject({
      kind: "question",
      to: ["humans"],
      expects_reply: true,
      content: { text: "Ship it?" },
      metadata: { options, default: "no" },
    });
    for (const person of [ada, bob])
      expect(await inboxOf(person, team)).toMatchObject([
        {
          ...{ ref: team.ref, title: "Port billing", cursor, handle: "amber", sender: "agent", guest: false },
          ...{ text: "Ship it?", to: ["humans"], ask: true, options, default: "no", expires_at },
          url: `${parley.url}/s/${team.ref}#${cursor}`,
        },
      ]);
  });

  test("is answered once: by the first person, who is told to whoever waits and to whoever comes later", async () => {
    const team = await create();
    const { cursor } = await ask(team, { options: ["yes", "no"] });
    const waiting = waitForReply(team, cursor);
    await until(
      async () => (await parley.get(`/sessions/${team.ref}/participants`, team)).body.participants[0].listening,
      "the wait",
    );
    expect((await answer(ada, team, cursor, { option: "yes" })).status).toBe(200);
    expect(await waiting).toMatchObject({
      answer: "yes",
      messages: [
        { sender: "human", handle: "ada", kind: "answer", content: { text: "yes" }, metadata: { option: "yes" } },
      ],
    });
    expect((await waiting).expired).toBe(undefined);
    const late = await answer(bob, team, cursor, { option: "no" });
    expect(codeOf(late)).toEqual([409, "already_answered"]);
    expect(late.body.error.details).toMatchObject({ by: "ada", answer: "yes" });
    expect(await inboxOf(bob, team)).toEqual([]);
    const { data } = await as(parley, ada).graphql(
      `query ($id: UUID!, $n: Int!) { message(sessionId: $id, sequence: $n) { ask { open answer answeredBy options expired } } }`,
      { id: team.session_id, n: cursor },
    );
    const told = { open: false, answer: "yes", answeredBy: "ada", options: ["yes", "no"], expired: false };
    expect(data.message.ask).toEqual(told);
  });

  test("takes an answer in other words, as such; an option has to be one", async () => {
    const team = await create();
    const { cursor } = await ask(team, { options: ["yes", "no"] });
    expect(codeOf(await answer(ada, team, cursor, { option: "maybe" }))).toEqual([400, "invalid_argument"]);
    expect(codeOf(await answer(ada, team, cursor, {}))).toEqual([400, "invalid_argument"]);
    expect(codeOf(await answer(ada, team, cursor, { option: "yes", text: "yes" }))).toEqual([400, "invalid_argument"]);
    expect((await answer(ada, team, cursor, { text: "Only to staging." })).status).toBe(200);
    const { messages, answer: said } = await waitForReply(team, cursor, 0);
    expect(said).toBe("Only to staging.");
    expect(messages[0].metadata).toBe(undefined);
  });

  test("is answered by a person's reply, not by an agent's, nor by asking back", async () => {
    const team = await create();
    const { cursor } = await ask(team);
    const other = (
      await parley.post(`/sessions/${team.ref}/join`, { team_name: "Blue" }, undefined, { headers: bearer(key) })
    ).body as Team;
    await parley.post(
      `/sessions/${team.ref}/messages`,
      { content: "I say yes", kind: "answer", reply_to: cursor },
      other,
    );
    const reply = (body: object) =>
      as(parley, ada).post(`/sessions/${team.ref}/messages`, { reply_to: cursor, ...body });
    await reply({ content: "Which tests ran?", kind: "question" });
    expect((await waitForReply(team, cursor, 0)).answer).toBe(undefined);
    expect(await inboxOf(bob, team)).toHaveLength(1);
    await reply({ content: "Then yes." });
    expect((await waitForReply(team, cursor, 0)).answer).toBe("Then yes.");
    expect(codeOf(await answer(bob, team, cursor, { text: "no" }))).toEqual([409, "already_answered"]);
    // Whoever has something to add may.
    expect((await reply({ content: "And tell me." })).status).toBe(200);
    expect((await waitForReply(team, cursor, 0)).answer).toBe("Then yes.");
  });

  test("waits for the answer, whatever agents reply meanwhile", async () => {
    const team = await create();
    const { cursor } = await ask(team);
    const waiting = waitForReply(team, cursor);
    const other = (
      await parley.post(`/sessions/${team.ref}/join`, { team_name: "Blue" }, undefined, { headers: bearer(key) })
    ).body as Team;
    await parley.post(`/sessions/${team.ref}/messages`, { content: "Me first", reply_to: cursor }, other);
    await answer(ada, team, cursor, { text: "Go" });
    expect((await waiting).answer).toBe("Go");
  });

  test("has one answer, of whichever of two people is first, over many rounds", async () => {
    const team = await create();
    const winners = new Set<string>();
    for (let round = 0; round < 20; round++) {
      const { cursor } = await ask(team, { options: ["a", "b"] });
      const people = round % 2 ? [ada, bob] : [bob, ada];
      const answers = await Promise.all(
        people.map(async (person) => {
          const { status } = await answer(person, team, cursor, { option: person === ada ? "a" : "b" });
          return { status, option: person === ada ? "a" : "b" };
        }),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
      const winner = answers.find(({ status }) => status === 200)?.option as string;
      winners.add(winner);
      expect((await waitForReply(team, cursor, 0)).answer).toBe(winner);
    }
    expect(winners.size).toBe(2);
  });

  test("asks one person by the handle, whom nobody else answers for", async () => {
    const team = await create();
    await as(parley, ada).post(`/sessions/${team.ref}/messages`, { content: "Hello" });
    const { cursor } = await ask(team, { to: ["@ada"] });
    expect(await inboxOf(ada, team)).toMatchObject([{ cursor, to: ["ada"] }]);
    expect(await inboxOf(bob, team)).toEqual([]);
    expect(codeOf(await answer(bob, team, cursor, { text: "no" }))).toEqual([403, "forbidden"]);
    await as(parley, bob).post(`/sessions/${team.ref}/messages`, { content: "I would not", reply_to: cursor });
    expect((await waitForReply(team, cursor, 0)).answer).toBe(undefined);
    expect((await answer(ada, team, cursor, { text: "yes" })).status).toBe(200);
  });

  test("may be repeated, and withdrawn", async () => {
    const team = await create();
    const first = await ask(team, { client_message_id: "ship-1", options: ["yes", "no"] });
    expect((await ask(team, { client_message_id: "ship-1", options: ["yes", "no"] })).cursor).toBe(first.cursor);
    await parley.post(`/sessions/${team.ref}/messages/${first.cursor}/withdraw`, {}, team);
    expect(await inboxOf(ada, team)).toEqual([]);
    expect(codeOf(await answer(ada, team, first.cursor, { option: "yes" }))).toEqual([409, "already_answered"]);
  });

  test.each([
    ["question", { question: " " }],
    ["options", { options: ["one"] }],
    ["options", { options: ["same", "same"] }],
    ["options", { options: Array.from({ length: 11 }, (_, n) => `option ${n}`) }],
    ["options", { options: ["yes", "x".repeat(201)] }],
    ["expires_in", { expires_in: "31d" }],
    ["default", { default: "yes" }],
    ["default", { default: "maybe", options: ["yes", "no"], expires_in: "1m" }],
    ["to", { to: ["amber"] }],
    ["to", { to: ["nobody"] }],
  ])("with a wrong %s is refused, and nothing is asked", async (field, body) => {
    const team = await create();
    const refused = await parley.post(`/sessions/${team.ref}/ask`, { question: "Ship it?", ...body }, team);
    expect([codeOf(refused), refused.body.error.details.field]).toEqual([[400, "invalid_argument"], field]);
    expect((await parley.get(`/sessions/${team.ref}`, team)).body.last_cursor).toBe(0);
  });
});

describe("when its time is over", () => {
  test("the default is the answer, said by the server, to whoever waits, without any worker", async () => {
    const team = await create();
    const { cursor } = await ask(team, { options: ["yes", "no"], default: "no", expires_in: "1s" });
    const { messages, answer: said, expired } = await waitForReply(team, cursor);
    expect([said, expired]).toEqual(["no", true]);
    expect(messages).toMatchObject([
      {
        ...{
          type: "system",
          sender: "system",
          event: "ask_expired",
          answer: "no",
          expired: true,
          reply_to_cursor: cursor,
        },
        content: { text: "no" },
      },
    ]);
    expect(codeOf(await answer(ada, team, cursor, { option: "yes" }))).toEqual([409, "already_answered"]);
    const { body: lines } = await parley.get(`/sessions/${team.ref}/messages?format=lines`, team);
    expect(lines).toContain(`* ask_expired #${cursor}: no`);
  });

  test("it is not in the inbox and takes no answer, though nobody has said so yet; the sweep says it once", async () => {
    const team = await create();
    const { cursor } = await ask(team, { default: "go on", expires_in: "1h" });
    await expire(team, cursor);
    expect(await inboxOf(ada, team)).toEqual([]);
    expect(codeOf(await answer(ada, team, cursor, { text: "no" }))).toEqual([409, "already_answered"]);
    const late = await as(parley, ada).post(`/sessions/${team.ref}/messages`, {
      content: "Too late?",
      reply_to: cursor,
    });
    expect(late.status).toBe(200);
    await Promise.all([sweep(), sweep(), sweep()]);
    const { messages } = (await parley.get(`/sessions/${team.ref}/messages`, team)).body;
    const said = messages.filter(({ event }: { event?: string }) => event === "ask_expired");
    expect(said).toMatchObject([{ answer: "go on", expired: true }]);
    expect((await waitForReply(team, cursor, 0)).answer).toBe("go on");
  });

  test("without a default there is no answer, and nobody waits for one any more", async () => {
    const team = await create();
    const { cursor } = await ask(team, { expires_in: "1h" });
    await expire(team, cursor);
    const { messages, expired, answer: said } = await waitForReply(team, cursor);
    expect([messages.length, expired, said]).toEqual([1, true, undefined]);
  });

  test("nothing is said in a session that was concluded first", async () => {
    const team = await create();
    const { cursor } = await ask(team, { default: "go on", expires_in: "1h" });
    await parley.post(`/sessions/${team.ref}/conclude`, { summary_section: "Done." }, team);
    await expire(team, cursor);
    await sweep();
    const { messages } = (await parley.get(`/sessions/${team.ref}/messages`, team)).body;
    expect(messages.at(-1).event).toBe("session_concluded");
    expect(await inboxOf(ada, team)).toEqual([]);
  });
});

describe("the inbox", () => {
  test("has questions to humans, and to a person by the handle, until a person has answered", async () => {
    const team = await create();
    await as(parley, ada).post(`/sessions/${team.ref}/messages`, { content: "Hello" });
    const say = (body: object) => parley.post(`/sessions/${team.ref}/messages`, { kind: "question", ...body }, team);
    const toAll = (await say({ content: "To everybody?" })).body.cursor;
    const toHumans = (await say({ content: "To humans?", to: ["humans"] })).body.cursor;
    const toAda = (await say({ content: "To Ada?", to: ["ada"] })).body.cursor;
    const cursors = async (person: Person) => (await inboxOf(person, team)).map(({ cursor }: Team) => cursor);
    expect(await cursors(ada)).toEqual([toAda, toHumans]);
    expect(await cursors(bob)).toEqual([toHumans]);
    expect(
      (await parley.get(`/sessions/${team.ref}/digest`, team)).body.open_questions.map(({ cursor }: Team) => cursor),
    ).toEqual([toAda, toHumans, toAll].sort());
    await as(parley, bob).post(`/sessions/${team.ref}/messages`, { content: "Yes", reply_to: toHumans });
    expect(await cursors(ada)).toEqual([toAda]);
    await parley.post(`/sessions/${team.ref}/messages`, { content: "I answer for her", reply_to: toAda }, team);
    expect(await cursors(ada)).toEqual([toAda]);
  });

  test("is of the sessions that a person sees, and of people alone", async () => {
    const hidden = await create("members");
    await ask(hidden, { question: "For members only?" });
    expect(await inboxOf(ada, hidden)).toEqual([]);
    const owner = await signIn(parley, "Olga", "owner");
    expect(await inboxOf(owner, hidden)).toHaveLength(1);
    expect(codeOf(await parley.get("/inbox", hidden))).toEqual([401, "unauthorized"]);
    expect(codeOf(await parley.get("/inbox", undefined, { headers: bearer(key) }))).toEqual([401, "unauthorized"]);
  });

  test("is a field of GraphQL, and read as lines", async () => {
    const team = await create();
    const { cursor } = await ask(team, { options: ["yes", "no"] });
    const { data } = await as(parley, ada).graphql(
      "{ listInbox { hasMore items { ref cursor handle options ask sender } } }",
    );
    expect(data.listInbox.items[0]).toEqual({
      ...{ ref: team.ref, cursor, handle: "amber", options: ["yes", "no"], ask: true, sender: "agent" },
    });
    const { body } = await as(parley, ada).get("/inbox?format=lines");
    expect(body).toContain(`${team.ref} #${cursor} amber just now: Ship it?\n  options: yes | no`);
  });
});
