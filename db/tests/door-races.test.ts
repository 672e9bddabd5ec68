import { randomBytes } from "node:crypto";
import { connected, type TestDatabase } from "../../testing/postgres.ts";
import type { Shown, Team } from "./calls.ts";
import { type Race, testRaces } from "./guarded-races.ts";
import { race, raceWithOwner, settle, shuffled } from "./races.ts";

const asOwner = <Row>(database: TestDatabase, text: string, values: unknown[] = []): Promise<Row[]> =>
  connected(
    database.url("parley_owner"),
    async (client) => (await client.query(text, values)).rows as unknown as Row[],
  );

const newKeys = (database: TestDatabase, count: number) =>
  asOwner<{ secret: string }>(
    database,
    "select (parley_private.make_key('race', '{read,team}')).secret from generate_series(1, $1)",
    [count],
  );

async function newPeople(database: TestDatabase, count: number): Promise<Shown[]> {
  const cookies = Array.from({ length: count }, () => randomBytes(32).toString("base64url"));
  await asOwner(
    database,
    `with person as (
       insert into parley_private.users (id, name, role)
       select gen_random_uuid(), left(cookie, 8), 'member' from unnest($1::text[]) cookie returning id, name)
     insert into parley_private.sign_ins (hash, user_id, by, expires_at)
     select sha256(convert_to(cookie, 'UTF8')), p.id, 'link', 'infinity'
     from unnest($1::text[]) cookie join person p on p.name = left(cookie, 8)`,
    [cookies],
  );
  return cookies.map((cookie) => ({ cookie }));
}

const WORDS = ["one", "two", "three", "four"];

/** Posts under a key while it is revoked: whatever is acknowledged was committed before the revocation was. */
const revokedInFlight: Race = {
  name: "a key is revoked while its posts are in flight: none is committed after the revocation",
  rounds: 200,
  outcomes: ["200", "401 unauthorized"],
  guard: [
    {
      file: "private/seat.sql",
      line: "    pg_advisory_xact_lock_shared(hashtextextended('parley key ' || team.key_id, 0)),\n",
      instead: "",
    },
  ],
  violation: /after the revocation/,
  async run(calls, rounds, database) {
    const keys = await newKeys(database, rounds);
    return race(rounds, async (referee, n) => {
      const convener = await calls.create();
      const key = keys[n - 1]?.secret as string;
      const join = { session_id: convener.session_id, team_name: `Team ${n}` };
      const team = (await calls.call("join_session", join, undefined, { key })).body as Team;
      const { session_id } = convener;
      const posts = shuffled([
        ...Array.from({ length: 4 }, () => () => calls.call("post_message", { session_id, content: "word" }, team)),
        ...Array.from({ length: 4 }, () => () => calls.call("sync", { session_id, outbox: WORDS }, team)),
      ]).map((post) => post());
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 4));
      await calls.must("revoke_key", { key: key.slice(0, 11) });
      const { last_cursor } = await calls.must("get_session", { session_id }, convener);
      settle(referee, await Promise.all(posts), "200", "401 unauthorized");
      const { messages } = await calls.must("get_history", { session_id, limit: 40 }, convener);
      const late = (messages as Team[]).filter(({ handle, cursor }) => handle === team.handle && cursor > last_cursor);
      referee.check(late.length === 0, `${late.length} messages were committed after the revocation`);
    });
  },
};

const lastUse: Race = {
  name: "two people and more accept an invitation for one: one of them",
  rounds: 100,
  outcomes: ["200", "404 invite_not_found"],
  guard: [{ file: "functions/accept_invite.sql", line: "\n  for no key update of i;", instead: ";" }],
  violation: /answered|members/,
  async run(calls, rounds, database) {
    const people = await newPeople(database, 4);
    return raceWithOwner(database, rounds, async (referee, sql) => {
      const team = await calls.create();
      const { invite } = await calls.must("create_invite", { session_id: team.session_id }, team);
      const answers = await Promise.all(
        people.map((person) => calls.call("accept_invite", {}, undefined, { ...person, invite })),
      );
      settle(referee, answers, "200", "404 invite_not_found");
      const members = await sql("select from parley_private.members where session_id = $1", [team.session_id]);
      referee.check(members.length === 1, `an invitation for one made ${members.length} members`);
    });
  },
};

const firstAnswer: Race = {
  name: "people answer an ask at once: the first of them alone",
  rounds: 150,
  outcomes: ["200", "409 already_answered"],
  guard: [
    {
      file: "private/lead.sql",
      line: "  perform from parley.sessions s where s.id = v_id for no key update;\n",
      instead: "",
    },
    {
      file: "private/seat.sql",
      line: "where s.id = v_session.id for no key update of s;",
      instead: "where s.id = v_session.id;",
    },
  ],
  violation: /answers/,
  async run(calls, rounds, database) {
    const people = await newPeople(database, 4);
    const team = await calls.create();
    const { session_id } = team;
    // They sit down first: to be seated is a race of its own.
    for (const person of people) await calls.call("post_message", { session_id, content: "Here" }, undefined, person);
    return race(rounds, async (referee) => {
      const { cursor } = await calls.must("ask_people", { session_id, question: "Which?" }, team);
      const answers = await Promise.all(
        people.map((person, n) =>
          calls.call("answer_ask", { session_id, message: String(cursor), text: `answer ${n}` }, undefined, person),
        ),
      );
      const taken = settle(referee, answers, "200", "409 already_answered");
      referee.check(taken.length === 1, `an ask has ${taken.length} answers`);
    });
  },
};

/** Who comes for the first time with many words at once sits down once. */
const firstWords: Race = {
  name: "the first words of a person come at once: one of them joins",
  rounds: 100,
  outcomes: ["200"],
  guard: firstAnswer.guard,
  violation: /answered|joined/,
  async run(calls, rounds, database) {
    const people = await newPeople(database, rounds);
    return race(rounds, async (referee, n) => {
      const team = await calls.create();
      const { session_id } = team;
      const person = people[n - 1] as Shown;
      const say = () => calls.call("post_message", { session_id, content: "word" }, undefined, person);
      const before = (await calls.must("get_session", { session_id }, team)).last_cursor as number;
      settle(referee, await Promise.all(Array.from({ length: 4 }, say)), "200");
      const page = await calls.must("get_history", { session_id, limit: 10 }, team);
      const news = (page.messages as { cursor: number; event?: string }[]).filter(({ cursor }) => cursor > before);
      const joined = news.filter(({ event }) => event === "team_joined").length;
      referee.check(joined === 1, `a person joined ${joined} times`);
    });
  },
};

testRaces([revokedInFlight, lastUse, firstAnswer, firstWords]);
