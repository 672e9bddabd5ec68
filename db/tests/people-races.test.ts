import type pg from "pg";
import { hashSecret } from "../../api/http/caller.ts";
import type { Calls } from "./calls.ts";
import { type Race, testRaces } from "./guarded-races.ts";
import { type Referee, raceWithOwner, settle } from "./races.ts";

const WITHOUT_LOCK = [
  {
    file: "private/people.sql",
    line: "pg_advisory_xact_lock(hashtextextended('parley people', 0))",
    instead: "null::void",
  },
];
const four = [1, 2, 3, 4];

/** As the server asks it: on its own machine, with open access. */
async function ask(
  calls: Calls,
  referee: Referee,
  call: string,
  values: unknown[],
  ...allowed: string[]
): Promise<boolean> {
  const text = `select case when parley_private.begin_call('', '   on') then to_json(${call}) end`;
  const outcome = await calls.query({ name: call, text, values }).then(
    () => "200",
    ({ code, message }: pg.DatabaseError) => (/^PT/.test(code ?? "") ? `${code?.slice(2)}` : `500 ${message}`),
  );
  referee.check(["200", ...allowed].includes(outcome), `answered ${outcome}`);
  referee.saw(outcome);
  return outcome === "200";
}
const count = (results: boolean[]) => results.filter(Boolean).length;

const NOBODY =
  "delete from parley_private.sign_ins; delete from parley_private.invites; delete from parley_private.users";

const races: Race[] = [
  {
    name: "of several who come with one link at the same time, one is let in",
    rounds: 200,
    run: (calls, rounds, database) =>
      raceWithOwner(database, rounds, async (referee, sql, n) => {
        const name = `Ada ${n} ${Math.random()}`;
        const [made] = await sql("select secret from parley_private.admin_link($1, 'member')", [name]);
        const hash = hashSecret(made?.secret);
        const came = await Promise.all(
          four.map(() => ask(calls, referee, "parley_private.sign_in_by_link($1)", [hash], "401")),
        );
        referee.check(count(came) === 1, `${count(came)} were let in`);
        const people = await sql("select from parley_private.users where name = $1", [name]);
        referee.check(people.length === 1, `${people.length} people were made`);
      }),
    outcomes: ["200", "401"],
    guard: WITHOUT_LOCK,
    violation: /were let in|answered 500/,
  },
  {
    name: "of several links that starting servers have printed, one makes the owner",
    rounds: 100,
    run: (calls, rounds, database) =>
      raceWithOwner(database, rounds, async (referee, sql) => {
        await sql(NOBODY);
        const links = await sql("select parley_private.first_link() as token from generate_series(1, 4)");
        const came = await Promise.all(
          links.map(({ token }) =>
            ask(calls, referee, "parley_private.sign_in_by_link($1, 'Ada')", [hashSecret(token)], "401"),
          ),
        );
        referee.check(count(came) === 1, `${count(came)} became owner`);
      }),
    outcomes: ["200", "401"],
    guard: WITHOUT_LOCK,
    violation: /became owner/,
  },
  {
    name: "of owners who demote and remove each other at the same time, one stays",
    rounds: 100,
    run: (calls, rounds, database) =>
      raceWithOwner(database, rounds, async (referee, sql) => {
        await sql(NOBODY);
        const owners = await sql(
          "insert into parley_private.users (name, role) select 'Owner ' || n, 'owner' from generate_series(1, 4) n returning id",
        );
        const ended = await Promise.all(
          owners.map(({ id }, n) =>
            ask(calls, referee, n % 2 ? "parley.remove_person($1)" : "parley.change_role($1, 'member')", [id], "409"),
          ),
        );
        referee.check(count(ended) === 3, `${count(ended)} of 4 owners ended`);
      }),
    outcomes: ["200", "409"],
    guard: WITHOUT_LOCK,
    violation: /owners ended/,
  },
  {
    name: "what somebody writes who is being removed is there before the removal is answered, or never",
    rounds: 100,
    run: (calls, rounds, database) =>
      raceWithOwner(database, rounds, async (referee, sql) => {
        const session = await calls.create();
        const team = await calls.join(session);
        const [person] = await sql(
          "insert into parley_private.users (name, role) values ('Ada', 'member') returning id",
        );
        await sql("update parley.participants set user_id = $1 where session_id = $2 and handle = $3", [
          person?.id,
          session.session_id,
          team.handle,
        ]);
        const written = async () => (await calls.must("get_session", { session_id: session.ref }, session)).last_cursor;
        const posts = four.map(() => calls.call("post_message", { session_id: session.ref, content: "?" }, team));
        await ask(calls, referee, "parley.remove_person($1)", [person?.id]);
        const before = await written();
        settle(referee, await Promise.all(posts), "200", "401 unauthorized");
        referee.check((await written()) === before, "something was written after the removal");
      }),
    outcomes: ["200", "401 unauthorized"],
    guard: [
      {
        file: "private/seat.sql",
        line: "pg_advisory_xact_lock_shared(hashtextextended('parley person ' || team.user_id, 0))",
        instead: "null",
      },
      // What was true is used a moment later, as on a machine that is busy.
      {
        file: "private/seat.sql",
        line: "return parley_private.is_alive(team);",
        instead: "return parley_private.is_alive(team) and pg_sleep(0.005) is not null;",
      },
    ],
    violation: /written after the removal/,
  },
];

testRaces(races);
