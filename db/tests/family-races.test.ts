import type { Answer, Calls, Team } from "./calls.ts";
import { type Race, testRaces, WITHOUT_LOCK } from "./guarded-races.ts";
import { assemble, countedFrom1, feedOf, race, settle, shuffled } from "./races.ts";

const call = (calls: Calls, verb: string, args: object, team?: Team): Promise<Answer> => calls.call(verb, args, team);
const spawn = (calls: Calls, team: Team) =>
  call(calls, "spawn_session", { session_id: team.ref, title: "Child", description: "" }, team);
const conclude = (calls: Calls, team: Team, more: object = {}) =>
  call(calls, "conclude_session", { session_id: team.ref, summary_section: "Done.", ...more }, team);
const told = (feed: { event: string | null }[], event: string) => feed.filter((message) => message.event === event);

const races: Race[] = [
  {
    name: "a session is concluded or gives work away, and never ends with a child that nobody was told of",
    rounds: 150,
    run: (calls, rounds) =>
      race(rounds, async (referee) => {
        const [convener, ...others] = await assemble(calls, 3);
        const spawning = others.map((team) => () => spawn(calls, team));
        const answers = await Promise.all(
          shuffled([...spawning, () => conclude(calls, convener)]).map((begin) => begin()),
        );
        settle(referee, answers, "200", "403 session_closed", "409 session_active");
        const feed = await feedOf(calls, convener);
        const { status } = await calls.must("get_session", { session_id: convener.ref }, convener);
        const children = told(feed, "child_spawned").length;
        referee.check(
          children === answers.filter(({ status, body }) => status === 200 && body.spawned_from).length,
          "a child was not told, or told twice",
        );
        referee.check(status === "active" || children === 0, "a closed session has an open child");
        referee.check(countedFrom1(feed.map(({ cursor }) => cursor)), "the feed has a gap");
      }),
    outcomes: ["200", "403 session_closed", "409 session_active"],
    guard: WITHOUT_LOCK,
    violation: /a closed session has an open child|answered 5/,
  },
  {
    name: "children that conclude while their parent does report before its end or not at all, and nobody waits for ever",
    rounds: 150,
    run: (calls, rounds) =>
      race(rounds, async (referee) => {
        const [convener, other] = (await assemble(calls, 2)) as [Team, Team];
        const children = (await Promise.all([spawn(calls, convener), spawn(calls, other)])).map(
          ({ body }) => body as Team,
        );
        const calling = [
          ...children.map((child) => () => conclude(calls, child)),
          ...children.map((child) => () => call(calls, "post_message", { session_id: child.ref, content: "x" }, child)),
          () => conclude(calls, convener, { even_so: true }),
          () => call(calls, "post_message", { session_id: other.ref, content: "x" }, other),
        ];
        settle(referee, await Promise.all(shuffled(calling).map((begin) => begin())), "200", "403 session_closed");
        const feed = await feedOf(calls, convener);
        const reports = told(feed, "child_concluded").length;
        referee.saw(`${reports} reports`);
        referee.check(reports <= children.length, "a child was told twice");
        referee.check(feed.at(-1)?.event === "session_concluded", "something entered after the close");
        referee.check(countedFrom1(feed.map(({ cursor }) => cursor)), "the feed has a gap");
        for (const child of children)
          referee.check((await feedOf(calls, child)).at(-1)?.event === "session_concluded", "a child did not end");
      }),
    outcomes: ["200", "0 reports", "2 reports"],
    guard: [{ file: "private/children.sql", line: "\n  for no key update of s;", instead: ";" }],
    violation: /something entered after the close|answered 5/,
  },
  {
    name: "a session that several move at once ends on one board, where the last of them put it",
    rounds: 100,
    run: (calls, rounds) =>
      race(rounds, async (referee, n) => {
        const teams = await assemble(calls, 4);
        const boards: string[] = await Promise.all(
          ["one", "two"].map(async (name) => (await calls.must("create_board", { name: `${name} ${n}` })).board),
        );
        const moves = teams.map((team, i) => ({
          session_id: team.ref,
          board: boards[i % 2],
          zone: i < 2 ? "Planning" : "Done",
        }));
        const answers = await Promise.all(moves.map((move, i) => call(calls, "place_session", move, teams[i])));
        settle(referee, answers, "200");
        const details = await Promise.all(boards.map((board) => calls.must("get_board", { board })));
        const places = details.flatMap(({ board, sessions }) =>
          sessions
            .filter(({ ref }: Team) => ref === teams[0].ref)
            .map(({ zone }: { zone: string }) => `${board} ${zone}`),
        );
        referee.check(places.length === 1, `it stands in ${places.length} places`);
        referee.check(
          answers.some(({ body }) => `${body.board} ${body.zone}` === places[0]),
          "it stands where nobody put it",
        );
      }),
    outcomes: ["200"],
    guard: [
      {
        file: "private/boards.sql",
        line: `on conflict on constraint sessions_are_on_one_board do update set
    board = excluded.board,
    zone = case when place.zone is null and p.board = excluded.board then p.zone else excluded.zone end,
    placed_at = case when p.board = excluded.board and p.zone = excluded.zone then p.placed_at else excluded.placed_at end
  returning`,
        instead: "returning",
      },
    ],
    violation: /answered 409/,
  },
  {
    name: "boards of one name that are made at once get a slug each",
    rounds: 50,
    run: (calls, rounds) =>
      race(rounds, async (referee, n) => {
        const names = [`Same ${n}`, `Same ${n}`, `Same ${n} 2`, `Same ${n} 2`];
        const answers = settle(
          referee,
          await Promise.all(names.map((name) => call(calls, "create_board", { name }))),
          "200",
        );
        referee.check(new Set(answers.map(({ body }) => body.board)).size === names.length, "two boards share a slug");
      }),
    outcomes: ["200"],
    guard: [{ file: "functions/create_board.sql", line: "perform pg_advisory_xact_lock(", instead: "perform abs(" }],
    violation: /answered 409/,
  },
  {
    name: "an interrupt is told once, by one of the answers that a team gets at the same time or by its next",
    rounds: 150,
    run: (calls, rounds) =>
      race(rounds, async (referee) => {
        const [convener, team] = (await assemble(calls, 2)) as [Team, Team];
        const args = { session_id: team.ref };
        const calling = [
          () => call(calls, "interrupt_team", { ...args, handle: team.handle, reason: "why" }, convener),
          () => call(calls, "wait_for_messages", { ...args, timeout: 1 }, team),
          () => call(calls, "wait_for_reply", { ...args, message_id: "1", timeout: 1 }, team),
          () => call(calls, "whoami", {}, team),
          () => call(calls, "post_message", { ...args, content: "x" }, team),
        ];
        const answers = await Promise.all(shuffled(calling).map((begin) => begin()));
        const last = [await call(calls, "whoami", {}, team), await call(calls, "whoami", {}, team)];
        settle(referee, [...answers, ...last], "200");
        const times = [...answers, ...last].filter(({ body }) => body.interrupt).length;
        referee.saw(last[0]?.body.interrupt ? "told late" : "told at once");
        referee.check(times === 1, `told ${times} times`);
      }),
    outcomes: ["200", "told at once"],
    guard: [
      {
        file: "private/interrupts.sql",
        line: "delete from parley_private.interrupts i\n",
        instead:
          "select json_build_object('by', i.by, 'reason', i.reason, 'cursor', i.cursor) into v_told from parley_private.interrupts i\n",
      },
      {
        file: "private/interrupts.sql",
        line: "\n  returning json_build_object('by', i.by, 'reason', i.reason, 'cursor', i.cursor) into v_told;",
        instead: ";",
      },
    ],
    violation: /told [2-9] times/,
  },
];

testRaces(races);
