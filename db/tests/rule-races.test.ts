import { toApiError } from "../../api/verbs/errors.ts";
import { connected, type TestDatabase } from "../../testing/postgres.ts";
import type { Answer, Calls } from "./calls.ts";
import { type Race, testRaces, WITHOUT_LOCK } from "./guarded-races.ts";
import { assemble, race, settle } from "./races.ts";
import { speakersOf } from "./rules.ts";

const set = (database: TestDatabase, name: string, value: string) =>
  connected(database.url(), (client) =>
    client.query("update parley.settings set value = $2::jsonb where name = $1", [name, value]),
  );
const ofMany = <T>(count: number, work: (n: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, n) => work(n)));

/** With its rule, and without it again: the races share a database. */
const under =
  (name: string, value: string, off: string, run: Race["run"]): Race["run"] =>
  async (calls, rounds, database) => {
    await set(database, name, value);
    try {
      return await run(calls, rounds, database);
    } finally {
      await set(database, name, off);
    }
  };

/** A session is created from an address, as the server says it. */
async function createFrom(calls: Calls, address: string): Promise<Answer> {
  const client = await calls.pool.connect();
  try {
    await client.query({
      name: "create from",
      text: `select case when parley_private.begin_call('', '  ' || $1) then to_json(parley.create_session('T', '', 'A')) end`,
      values: [address],
    });
    return { status: 200, body: {} };
  } catch (error) {
    const { status, code, message } = toApiError(error);
    return { status, code, body: { message } };
  } finally {
    client.release();
  }
}

const races: Race[] = [
  {
    name: "of fifty teams that join at once, ten come into a session for ten",
    rounds: 20,
    run: under("capacity", "10", "0", (calls, rounds) =>
      race(rounds, async (referee) => {
        const convener = await calls.create();
        const join = (n: number) => calls.call("join_session", { session_id: convener.ref, team_name: `Team ${n}` });
        const joined = settle(referee, await ofMany(50, join), "200", "409 session_full");
        referee.check(joined.length === 9, `${joined.length + 1} teams came in`);
      }),
    ),
    outcomes: ["200", "409 session_full"],
    guard: [{ file: "functions/join_session.sql", line: " for no key update;", instead: ";" }],
    violation: /answered (500|409 conflict)|teams came in/,
  },
  {
    name: "a team that goes into two sessions at once comes into one",
    rounds: 150,
    run: under("single_session", "true", "false", (calls, rounds) =>
      race(rounds, async (referee, n) => {
        const sessions = await ofMany(2, (m) => calls.create(`Convener ${n} ${m} ${Math.random()}`));
        const team_name = `Blue ${n} ${Math.random()}`;
        const answers = await Promise.all(
          sessions.map(({ ref }) => calls.call("join_session", { session_id: ref, team_name })),
        );
        const joined = settle(referee, answers, "200", "409 team_busy_elsewhere");
        referee.check(joined.length === 1, `in ${joined.length} sessions`);
      }),
    ),
    outcomes: ["200", "409 team_busy_elsewhere"],
    guard: [{ file: "private/entry_rules.sql", line: "perform pg_advisory_xact_lock(", instead: "perform abs(" }],
    violation: /in 2 sessions/,
  },
  {
    name: "of twelve posts of a team at once, five are within five a minute",
    rounds: 100,
    run: under("posts_per_minute", "5", "0", (calls, rounds) =>
      race(rounds, async (referee) => {
        const [team] = await assemble(calls, 1);
        const posted = settle(referee, await ofMany(12, () => speakersOf(calls).say(team)), "200", "429 rate_limited");
        referee.check(posted.length === 5, `${posted.length} were posted`);
      }),
    ),
    outcomes: ["200", "429 rate_limited"],
    guard: WITHOUT_LOCK,
    violation: /answered (500|409 conflict)|were posted/,
  },
  {
    name: "of the posts of four teams at once, as many get in as may while nothing moves",
    rounds: 100,
    run: under("loop_guard", "5", "0", (calls, rounds) =>
      race(rounds, async (referee) => {
        const teams = await assemble(calls, 4);
        const say = (n: number) => speakersOf(calls).say(teams[n % 4] as (typeof teams)[0]);
        const posted = settle(referee, await ofMany(12, say), "200", "429 loop_guard");
        referee.check(posted.length === 5, `${posted.length} were posted`);
      }),
    ),
    outcomes: ["200", "429 loop_guard"],
    guard: WITHOUT_LOCK,
    violation: /answered (500|409 conflict)|were posted/,
  },
  {
    name: "of twelve sessions that are created at once from one address, five are within five an hour",
    rounds: 100,
    run: under("sessions_per_hour", "5", "0", (calls, rounds) =>
      race(rounds, async (referee, n) => {
        const address = `${n} ${Math.random()}`.replaceAll(" ", ".");
        const created = settle(referee, await ofMany(12, () => createFrom(calls, address)), "200", "429 rate_limited");
        referee.check(created.length === 5, `${created.length} were created`);
      }),
    ),
    outcomes: ["200", "429 rate_limited"],
    guard: [
      {
        file: "private/count_against.sql",
        line: "used = case when c.ends_at > clock_timestamp() then c.used + 1 else 1 end",
        instead:
          "used = (select x.used + 1 from parley_private.counters x where x.rule = excluded.rule and x.subject = excluded.subject)",
      },
    ],
    violation: /answered 500|were created/,
  },
];

testRaces(races);
