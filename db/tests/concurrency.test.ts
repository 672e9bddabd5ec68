import { connected, type TestDatabase } from "../../testing/postgres.ts";
import type { Answer, Calls, Team } from "./calls.ts";
import { COUNTED_BY_A_SEQUENCE, type Race, testRaces, WITHOUT_LOCK } from "./guarded-races.ts";
import {
  assemble,
  countedFrom1,
  docOf,
  feedOf,
  inTurn,
  type Judgement,
  type Referee,
  race,
  settle,
  shuffled,
} from "./races.ts";

const JOINS_WITHOUT_LOCK = [{ file: "functions/join_session.sql", line: " for no key update;", instead: ";" }];

const races: Race[] = [
  {
    name: "posts of many writers are counted without a gap, in the order of their commits, and no poller skips one",
    rounds: 5,
    run: manyWriters,
    outcomes: ["200", "a poll amid the posts"],
    guard: COUNTED_BY_A_SEQUENCE,
    violation: /skipped/,
  },
  {
    name: "no post enters the feed after the conclusion",
    rounds: 200,
    run: (calls, rounds) =>
      race(rounds, async (referee) => {
        const teams = await assemble(calls, 3);
        const [conclusion] = await closeAmid(calls, referee, teams, (team, n) => say(calls, team, `message ${n}`));
        const feed = await feedOf(calls, teams[0]);
        referee.check(feed.at(-1)?.event === "session_concluded", "the conclusion is not the last message");
        referee.check(conclusion?.status === 200, "the conclusion failed");
      }),
    outcomes: ["200", "403 session_closed"],
    guard: WITHOUT_LOCK,
    violation: /not the last message/,
  },
  {
    name: "of writers who expect the same version one wins, and the others are told the version they missed",
    rounds: 210,
    run: sameVersion,
    outcomes: ["200", "409 version_conflict"],
    guard: WITHOUT_LOCK,
    violation: /answered (500|409 conflict)|writers won/,
  },
  {
    name: "no append is lost, and each begins a line",
    rounds: 200,
    run: manyAppends,
    outcomes: ["200"],
    guard: WITHOUT_LOCK,
    violation: /answered (500|409 conflict)/,
  },
  {
    name: "no write to the document follows the conclusion",
    rounds: 200,
    run: (calls, rounds) =>
      race(rounds, async (referee) => {
        const teams = await assemble(calls, 3);
        const [conclusion, kept] = await closeAmid(
          calls,
          referee,
          teams,
          (team, n) => calls.call("append_to_session_doc", { session_id: team.ref, text: `line ${n}` }, team),
          (team) => calls.call("update_session_doc", { session_id: team.ref, content: "", expected_version: 0 }, team),
        );
        const doc = await docOf(calls, teams[0]);
        referee.check(doc.version === conclusion?.body.doc_version, "the conclusion is not the last version");
        const versions = [...kept.map(({ body }) => body.version), doc.version].sort((a, b) => a - b);
        referee.check(countedFrom1(versions), `acknowledged versions are ${versions}`);
      }),
    outcomes: ["200", "403 session_closed", "409 version_conflict"],
    guard: WITHOUT_LOCK,
    violation: /not the last version|answered (500|409 conflict)/,
  },
  {
    name: "no team joins after the conclusion",
    rounds: 200,
    run: (calls, rounds) =>
      race(rounds, async (referee) => {
        const teams = await assemble(calls, 3);
        const [, joined] = await closeAmid(calls, referee, teams, (team, n) =>
          calls.call("join_session", { session_id: team.ref, team_name: `Late ${n}` }),
        );
        const feed = await feedOf(calls, teams[0]);
        referee.check(feed.at(-1)?.event === "session_concluded", "the conclusion is not the last message");
        const { participants } = await calls.must("list_participants", { session_id: teams[0].ref }, teams[0]);
        const announced = feed.filter(({ event }) => event === "team_joined");
        referee.check(participants.length === teams.length + joined.length, "the roster has somebody who was refused");
        referee.check(announced.length === teams.length - 1 + joined.length, "the feed and the roster disagree");
      }),
    outcomes: ["200", "403 session_closed"],
    guard: JOINS_WITHOUT_LOCK,
    violation: /not the last message/,
  },
  {
    name: "no change of title follows the conclusion, and each starts from the one before",
    rounds: 200,
    run: (calls, rounds) =>
      race(rounds, async (referee) => {
        const teams = await assemble(calls, 3);
        await closeAmid(calls, referee, teams, (team, n) =>
          calls.call("update_session_metadata", { session_id: team.ref, title: `Title ${n}`, reason: "news" }, team),
        );
        const feed = await feedOf(calls, teams[0]);
        referee.check(feed.at(-1)?.event === "session_concluded", "the conclusion is not the last message");
        let title = "A session";
        for (const { changes } of feed) {
          if (!changes?.title) continue;
          referee.check(changes.title.from === title, `a change from ${changes.title.from} follows one to ${title}`);
          title = changes.title.to;
        }
        const session = await calls.must("get_session", { session_id: teams[0].ref }, teams[0]);
        referee.check(session.title === title, "the last change is not the title");
      }),
    outcomes: ["200", "403 session_closed"],
    guard: WITHOUT_LOCK,
    violation: /not the last message|follows one to/,
  },
  {
    name: "conclusions at the same time agree on when the session closed, and the later one stands alone",
    rounds: 200,
    run: manyConclusions,
    outcomes: ["200"],
    guard: [
      {
        file: "functions/conclude_session.sql",
        line: "coalesce(s.closed_at, clock_timestamp())",
        instead: "clock_timestamp()",
      },
    ],
    violation: /closed at/,
  },
  {
    name: "a conclusion that repeats another leaves none of its headings behind",
    rounds: 50,
    run: manyConclusions,
    outcomes: ["200"],
    guard: [
      {
        file: "functions/conclude_session.sql",
        line: "coalesce(s.version_before_close, s.session_doc_version)",
        instead: "s.session_doc_version",
      },
    ],
    violation: /the document is/,
  },
  {
    name: "no message of a team follows its departure",
    rounds: 200,
    run: (calls, rounds) =>
      race(rounds, async (referee) => {
        const [convener, team] = (await assemble(calls, 2)) as [Team, Team];
        const posts = [0, 1].map((n) => inTurn(3, (m) => say(calls, team, `message ${n}.${m}`)));
        const leaves = [0, 1].map(() => inTurn(1, () => calls.call("leave_session", { session_id: team.ref }, team)));
        const [left, ...answers] = await Promise.all([...leaves, ...posts]).then(([a, b, ...rest]) => [
          [a, b].flat() as Answer[],
          ...rest,
        ]);
        const kept = settle(referee, answers.flat(), "200", "401 unauthorized");
        const departures = settle(referee, left ?? [], "200", "401 unauthorized");
        referee.check(departures.length === 1, `left ${departures.length} times`);
        const feed = await feedOf(calls, convener);
        const departure = feed.filter(({ event }) => event === "team_left");
        referee.check(departure.length === 1, `announced as gone ${departure.length} times`);
        referee.check(feed.at(-1)?.event === "team_left", "a message follows the departure");
        referee.check(
          feed.filter(({ type }) => type === "chat").length === kept.length,
          "a refused post is in the feed",
        );
      }),
    outcomes: ["200", "401 unauthorized"],
    guard: WITHOUT_LOCK,
    violation: /follows the departure/,
  },
  {
    name: "the stored cursor never goes backwards",
    rounds: 200,
    run: manyCursors,
    outcomes: ["200"],
    guard: [
      {
        file: "private/waiting_with_options.sql",
        line: "greatest(p.cursor, since_cursor)",
        instead: "since_cursor",
      },
      {
        file: "private/waiting_with_options.sql",
        line: "greatest(reader.cursor, since_cursor)",
        instead: "since_cursor",
      },
    ],
    violation: /went from|ended at/,
  },
  {
    name: "teams of one name that join at the same time get handles of their own",
    rounds: 200,
    run: (calls, rounds) =>
      race(rounds, async (referee) => {
        const [convener] = await assemble(calls, 1);
        const joins = await Promise.all(
          Array.from({ length: 4 }, () => calls.call("join_session", { session_id: convener.ref, team_name: "Twin" })),
        );
        const joined = settle(referee, joins, "200").map(({ body }) => body);
        const handles = joined.sort((a, b) => a.cursor - b.cursor).map(({ handle }) => handle);
        const expected = ["twin", "twin-2", "twin-3", "twin-4"];
        referee.check(String(handles) === String(expected), `handles are ${handles}`);
        const feed = await feedOf(calls, convener);
        referee.check(String(feed.map(({ handle }) => handle)) === String(expected), "the feed tells other handles");
      }),
    outcomes: ["200"],
    guard: JOINS_WITHOUT_LOCK,
    violation: /answered (500|409 conflict)/,
  },
  {
    name: "no mixture of verbs, waits and sweeps blocks itself",
    rounds: 4,
    run: everythingAtOnce,
    outcomes: ["200", "401 unauthorized", "409 version_conflict"],
    guard: [
      {
        file: "private/waiting_with_options.sql",
        line: "return parley_private.wait_answer(",
        instead: `perform from parley.sessions s where s.id = session.id for update;
  return parley_private.wait_answer(`,
      },
    ],
    violation: /deadlock/,
  },
];

testRaces(races);

function say(calls: Calls, team: Team, content: string): Promise<Answer> {
  return calls.call("post_message", { session_id: team.ref, content }, team);
}

/** Every team acts several times in a row while one of them concludes; answers the conclusion and what was accepted. */
async function closeAmid(
  calls: Calls,
  referee: Referee,
  teams: Team[],
  act: (team: Team, n: string) => Promise<Answer>,
  alsoAct?: (team: Team) => Promise<Answer>,
): Promise<[Answer | undefined, Answer[]]> {
  const conclude = async () => {
    // Somewhere amid the others: at once, or after a call or two.
    await inTurn(Math.floor(Math.random() * 3), () => calls.pool.query("select"));
    return [await calls.call("conclude_session", { session_id: teams[0]?.ref, summary_section: "Done." }, teams[0])];
  };
  const actors = teams.map((team, i) => () => inTurn(2, (n) => act(team, `${i}.${n}`)));
  if (alsoAct) actors.push(async () => [await alsoAct(teams[1] as Team)]);
  const [conclusion, ...answers] = await Promise.all([conclude(), ...shuffled(actors).map((actor) => actor())]);
  settle(referee, conclusion, "200");
  const allowed = ["200", "403 session_closed", ...(alsoAct ? ["409 version_conflict"] : [])];
  return [conclusion[0], settle(referee, answers.flat(), ...allowed)];
}

async function manyWriters(calls: Calls, rounds: number): Promise<Judgement> {
  const writers = 8;
  const postsEach = 40;
  return race(rounds, async (referee) => {
    const teams = await assemble(calls, writers);
    const start = (await feedOf(calls, teams[0])).length;
    const posts: { cursor: number; writer: number; asked: number; acknowledged: number }[] = [];
    let writing = true;

    const write = (team: Team, writer: number) =>
      inTurn(postsEach, async (n) => {
        const asked = performance.now();
        const answer = await say(calls, team, `${writer}.${n}`);
        settle(referee, [answer], "200");
        posts.push({ cursor: answer.body.cursor, writer, asked, acknowledged: performance.now() });
      });
    const poll = async (look: (cursor: number) => Promise<number[]>) => {
      for (let cursor = start, last = false; ; ) {
        last = !writing;
        const page = await look(cursor);
        for (const seen of page) {
          referee.check(seen === cursor + 1, `skipped from ${cursor} to ${seen}`);
          cursor = seen;
        }
        // Whoever was far behind has pages left to read.
        if (last && page.length === 0)
          return referee.check(cursor === start + posts.length, `a poller ended at ${cursor}`);
        if (cursor > start) referee.saw("a poll amid the posts");
      }
    };
    const reader = teams[0];
    const pollers = [
      poll(async (since_cursor) => {
        const news = await calls.must(
          "wait_for_messages",
          { session_id: reader.ref, since_cursor, timeout: 0, include_self: true },
          reader,
        );
        return news.messages.map((message: { cursor: number }) => message.cursor);
      }),
      poll(async (cursor) => {
        const { rows } = await calls.pool.query(
          "select sequence from parley.messages where session_id = $1 and sequence > $2 order by sequence",
          [reader.session_id, cursor],
        );
        return rows.map(({ sequence }) => sequence);
      }),
    ];
    await Promise.all(teams.map(write));
    writing = false;
    await Promise.all(pollers);

    const feed = await feedOf(calls, reader);
    referee.check(countedFrom1(feed.map(({ cursor }) => cursor)), "the feed has a gap");
    posts.sort((a, b) => a.cursor - b.cursor);
    referee.check(countedFrom1(posts.map(({ cursor }) => cursor - start)), "the acknowledged cursors have a gap");
    let latestAsked = 0;
    for (const { cursor, asked, acknowledged } of posts) {
      referee.check(acknowledged > latestAsked, `${cursor} was acknowledged before an earlier one was asked for`);
      latestAsked = Math.max(latestAsked, asked);
    }
  });
}

async function sameVersion(calls: Calls, rounds: number): Promise<Judgement> {
  const teams = await assemble(calls, 4);
  const won: string[] = [];
  const judgement = await race(rounds, async (referee) => {
    const expected_version = won.length;
    const texts = teams.map(({ handle }) => `# Version ${expected_version + 1}\nby ${handle}`);
    const answers = await Promise.all(
      teams.map((team, i) =>
        calls.call("update_session_doc", { session_id: team.ref, content: texts[i], expected_version }, team),
      ),
    );
    const winners = settle(referee, answers, "200", "409 version_conflict");
    referee.check(winners.length === 1, `${winners.length} writers won`);
    const winner = answers.findIndex(({ status }) => status === 200);
    for (const { body } of answers.filter(({ status }) => status === 409)) {
      const { current_version, updated_by } = body.details;
      referee.check(current_version === expected_version + 1, `the losers were told of version ${current_version}`);
      referee.check(updated_by === teams[winner]?.handle, `the losers were told of ${updated_by}`);
    }
    if (winner >= 0) won.push(texts[winner] as string);
  });
  for (const [i, text] of won.entries()) {
    const { content, version, updated_by } = await docOf(calls, teams[0], i + 1);
    if (content !== text || version !== i + 1 || !text.endsWith(` ${updated_by}`)) {
      judgement.violations.push(`version ${i + 1} reads ${content} by ${updated_by}`);
    }
  }
  return judgement;
}

async function manyAppends(calls: Calls, rounds: number): Promise<Judgement> {
  const teams = await assemble(calls, 4);
  const lines = new Map<number, string>();
  const judgement = await race(rounds, async (referee, n) => {
    const answers = await Promise.all(
      teams.map(async (team, i) => {
        const text = `line ${n}.${i} ${"ü€😀".slice(0, i % 3)}${i % 2 ? "\n" : ""}`.toWellFormed();
        const answer = await calls.call("append_to_session_doc", { session_id: team.ref, text }, team);
        if (answer.status === 200) lines.set(answer.body.version, text);
        return answer;
      }),
    );
    settle(referee, answers, "200");
    referee.check(lines.size === n * teams.length, "two appends made one version");
  });
  let doc = "";
  for (let version = 1; version <= lines.size; version++) {
    doc += (doc === "" || doc.endsWith("\n") ? "" : "\n") + lines.get(version);
    if (version % 7 && version < lines.size) continue;
    // One that is torn in the middle of a letter cannot even be read.
    const content = await docOf(calls, teams[0], version).then((read) => read.content, String);
    if (content !== doc) judgement.violations.push(`version ${version} is not the one before and its append`);
  }
  return judgement;
}

async function manyConclusions(calls: Calls, rounds: number): Promise<Judgement> {
  return race(rounds, async (referee) => {
    const teams = await assemble(calls, 3);
    await calls.must("append_to_session_doc", { session_id: teams[0].ref, text: "# Notes\n" }, teams[0]);
    const summaries = teams.map(({ handle }) => `All done.\n\n## Next steps of ${handle}\n\nNone.`);
    const answers = await Promise.all(
      teams.map((team, i) =>
        calls.call("conclude_session", { session_id: team.ref, summary_section: summaries[i] }, team),
      ),
    );
    settle(referee, answers, "200");
    const times = new Set(answers.map(({ body }) => body.closed_at));
    referee.check(times.size === 1, `closed at ${[...times].join(" and ")}`);
    const versions = answers.map(({ body }) => body.doc_version as number);
    referee.check(String(versions.toSorted()) === "2,3,4", `concluded in versions ${versions}`);

    const announced = (await feedOf(calls, teams[0])).filter(({ event }) => event === "session_concluded");
    referee.check(String(announced.map((m) => m.doc_version)) === "2,3,4", "the feed tells other versions");
    const last = versions.indexOf(4);
    const { content } = await docOf(calls, teams[0]);
    referee.check(content === `# Notes\n\n## Conclusion\n\n${summaries[last]}\n`, `the document is ${content}`);
  });
}

async function manyCursors(calls: Calls, rounds: number): Promise<Judgement> {
  const [team] = await assemble(calls, 1);
  const stored = async (): Promise<number> => {
    const { rows } = await calls.pool.query("select cursor from parley.participants where session_id = $1", [
      team.session_id,
    ]);
    return rows[0].cursor;
  };
  return race(rounds, async (referee, n) => {
    settle(referee, await Promise.all([say(calls, team, "one"), say(calls, team, "two")]), "200");
    let waiting = true;
    const watch = async () => {
      for (let before = 0; waiting; ) {
        const cursor = await stored();
        referee.check(cursor >= before, `the cursor went from ${before} to ${cursor}`);
        before = cursor;
      }
    };
    const end = 2 * n;
    const presented = shuffled([0, end - 2, end - 1, end, end, Math.floor(Math.random() * end)]);
    const waits = presented.map((since_cursor, i) =>
      calls.call("wait_for_messages", { session_id: team.ref, since_cursor, timeout: i % 2 }, team),
    );
    const watching = watch();
    settle(referee, await Promise.all(waits), "200");
    waiting = false;
    await watching;
    const cursor = await stored();
    referee.check(cursor === end, `the cursor ended at ${cursor}, not at ${end}`);
  });
}

async function everythingAtOnce(calls: Calls, rounds: number, database: TestDatabase): Promise<Judgement> {
  return race(rounds, async (referee) => {
    const teams = await assemble(calls, 4);
    let version = 0;
    const acts: ((team: Team, n: number) => Promise<Answer>)[] = [
      (team) => say(calls, team, "hello"),
      (team) => calls.call("wait_for_messages", { session_id: team.ref, timeout: 1 }, team),
      (team) => calls.call("wait_for_messages", { session_id: team.ref, since_cursor: 1 }, team),
      (team) => calls.call("append_to_session_doc", { session_id: team.ref, text: "more" }, team),
      (team) => calls.call("list_participants", { session_id: team.ref }, team),
      (team, n) =>
        calls.call("sync", { session_id: team.ref, outbox: [`news ${n}`], ack_through: 1, timeout: 1 }, team),
      (team) => calls.call("sync", { session_id: team.ref, timeout: 1, max_items: 5 }, team),
      (team) => calls.call("ack_messages", { session_id: team.ref, through_cursor: 1 }, team),
      (team) => calls.call("wait_for_reply", { session_id: team.ref, message_id: 1, timeout: 1 }, team),
      (team, n) =>
        calls.call("append_to_session_doc", { session_id: team.ref, text: "- it", section: `S${n % 3}` }, team),
      (team) => calls.call("get_digest", { session_id: team.ref }, team),
      (team, n) =>
        calls.call("update_session_metadata", { session_id: team.ref, title: `T${n}`, reason: "news" }, team),
      async (team) => {
        const args = { session_id: team.ref, content: "all new", expected_version: version };
        const answer = await calls.call("update_session_doc", args, team);
        version = answer.body.version ?? answer.body.details?.current_version ?? version;
        return answer;
      },
      async (team) => {
        const left = await calls.call("leave_session", { session_id: team.ref }, team);
        const joined = await calls.call("join_session", { session_id: team.session_id, team_name: "Back again" });
        if (joined.status !== 200) return joined;
        teams[teams.indexOf(team)] = joined.body;
        return left;
      },
    ];
    let acting = true;
    const sweep = connected(database.url("parley_worker"), async (client) => {
      const text = "select parley_private.sweep_presence(clock_timestamp() + random() * interval '2 minutes')";
      while (acting) await client.query(text).catch((error) => referee.check(false, `the sweep failed: ${error}`));
    });
    const actor = async (i: number) => {
      const answers = await inTurn(40, (n) => {
        const act = acts[Math.floor(Math.random() * acts.length)] as (typeof acts)[number];
        return act(teams[i % teams.length] as Team, i * 100 + n);
      });
      settle(referee, answers, "200", "401 unauthorized", "409 version_conflict");
    };
    await Promise.all(Array.from({ length: 8 }, (_, i) => actor(i))).finally(() => {
      acting = false;
    });
    await sweep;
    const reader = teams[0] as Team;
    const feed = await feedOf(calls, reader);
    referee.check(countedFrom1(feed.map(({ cursor }) => cursor)), "the feed has a gap");
  });
}
