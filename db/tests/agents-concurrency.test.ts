import type { Answer, Calls, Team } from "./calls.ts";
import { COUNTED_BY_A_SEQUENCE, type Race, testRaces, WITHOUT_LOCK } from "./guarded-races.ts";
import {
  assemble,
  countedFrom1,
  docOf,
  feedOf,
  inTurn,
  type Judgement,
  newsOf,
  type Referee,
  race,
  settle,
  shuffled,
} from "./races.ts";

const races: Race[] = [
  {
    name: "retries of one key at the same time make one message, and all get its receipt",
    rounds: 200,
    run: (calls, rounds) =>
      retries(calls, rounds, (team, key) => post(calls, team, "hello", { client_message_id: key })),
    outcomes: ["200"],
    guard: WITHOUT_LOCK,
    violation: /answered (500|409 conflict)|messages were made/,
  },
  {
    name: "retries of one outbox at the same time post it once, and all get its receipts",
    rounds: 200,
    run: (calls, rounds) =>
      retries(calls, rounds, async (team, key) => {
        const outbox = [{ content: "hello", client_message_id: key }];
        const answer = await calls.call("sync", { session_id: team.ref, outbox }, team);
        return { ...answer, body: answer.status === 200 ? answer.body.sent[0] : answer.body };
      }),
    outcomes: ["200"],
    guard: WITHOUT_LOCK,
    violation: /answered (500|409 conflict)|messages were made/,
  },
  {
    name: "retries of one append at the same time write it once",
    rounds: 200,
    run: (calls, rounds) =>
      race(rounds, async (referee) => {
        const [team] = await assemble(calls, 1);
        const body = { session_id: team.ref, text: "- once", section: "Notes", idempotency_key: "key" };
        const answers = await Promise.all([1, 2, 3, 4].map(() => calls.call("append_to_session_doc", body, team)));
        settle(referee, answers, "200");
        const { version, content } = await docOf(calls, team);
        referee.check(version === 1, `${version} versions were made`);
        referee.check(content === "## Notes\n\n- once\n", `the document is ${content}`);
        referee.check(
          answers.every(({ body }) => body.version === 1),
          "a retry was told of another version",
        );
      }),
    outcomes: ["200"],
    guard: WITHOUT_LOCK,
    violation: /answered (500|409 conflict)|versions were made/,
  },
  {
    name: "a key that was acknowledged before the close stays so, and none is acknowledged after it",
    rounds: 200,
    run: keysAmidTheClose,
    outcomes: ["200", "403 session_closed"],
    guard: [{ file: "private/draft.sql", line: "perform parley_private.refuse_if_closed(seat.session);", instead: "" }],
    violation: /not the last message/,
  },
  {
    name: "appends to sections and updates of the whole document lose nothing of each other",
    rounds: 150,
    run: sectionsAndUpdates,
    outcomes: ["200", "409 version_conflict"],
    guard: WITHOUT_LOCK,
    violation: /answered (500|409 conflict)|lost|versions are/,
  },
  {
    name: "acks and waits at the same time never take a receipt or a cursor back",
    rounds: 150,
    run: manyAcks,
    outcomes: ["200"],
    guard: [
      { file: "private/ack.sql", line: "greatest(p.acked_cursor, through_cursor)", instead: "through_cursor" },
      { file: "private/ack.sql", line: "greatest(p.cursor, through_cursor)", instead: "through_cursor" },
    ],
    violation: /went from|ended at/,
  },
  {
    name: "of teams that resume a session at the same time one does, and the others are told where",
    rounds: 200,
    run: (calls, rounds) =>
      race(rounds, async (referee) => {
        const [convener] = await assemble(calls, 1);
        await calls.must("conclude_session", { session_id: convener.ref, summary_section: "Done." }, convener);
        const answers = await Promise.all(
          [1, 2, 3, 4].map((n) => calls.call("resume_session", { session_id: convener.ref, team_name: `Next ${n}` })),
        );
        const resumed = settle(referee, answers, "200", "409 already_resumed");
        referee.check(resumed.length === 1, `resumed ${resumed.length} times`);
        for (const { body } of answers.filter(({ status }) => status === 409))
          referee.check(body.details.ref === resumed[0]?.body.ref, `told of ${body.details.ref}`);
        const { continued_by } = await calls.must("get_session", { session_id: convener.ref }, convener);
        referee.check(continued_by?.length === 1, `continued by ${continued_by}`);
      }),
    outcomes: ["200", "409 already_resumed"],
    guard: [{ file: "functions/resume_session.sql", line: " for no key update;", instead: ";" }],
    violation: /resumed [2-4] times/,
  },
  {
    name: "of posts that expect the same cursor one is made, and the others are shown it",
    rounds: 200,
    run: (calls, rounds) =>
      race(rounds, async (referee) => {
        const teams = await assemble(calls, 4);
        const expected_cursor = teams.length - 1;
        const answers = await Promise.all(teams.map((team) => post(calls, team, team.handle, { expected_cursor })));
        const made = settle(referee, answers, "200", "409 stale_post");
        referee.check(made.length === 1, `${made.length} posts were made`);
        const winner = teams[answers.findIndex(({ status }) => status === 200)];
        for (const { body } of answers.filter(({ status }) => status === 409)) {
          const shown = (body.details.messages ?? []).map((m: { content: { text: string } }) => m.content.text);
          referee.check(String(shown) === winner?.handle, `the others were shown ${shown}`);
        }
      }),
    outcomes: ["200", "409 stale_post"],
    guard: WITHOUT_LOCK,
    violation: /[2-4] posts were made/,
  },
  {
    name: "outboxes stay together and in order amid the posts of others, and who syncs misses and repeats nothing",
    rounds: 15,
    run: outboxesAmidPosts,
    outcomes: ["200", "a page amid the posts"],
    guard: COUNTED_BY_A_SEQUENCE,
    violation: /torn apart|has heard/,
  },
];

testRaces(races);

function post(calls: Calls, team: Team, content: string, more: object = {}): Promise<Answer> {
  return calls.call("post_message", { session_id: team.ref, content, ...more }, team);
}

/** The same call several times at once, as a client does that gave up too early. */
async function retries(
  calls: Calls,
  rounds: number,
  act: (team: Team, key: string) => Promise<Answer>,
): Promise<Judgement> {
  const [team, other] = (await assemble(calls, 2)) as [Team, Team];
  let before = (await feedOf(calls, team)).length;
  return race(rounds, async (referee, n) => {
    const same = [1, 2, 3, 4].map(() => act(team, `key ${n}`));
    // Somebody else uses the same word for a key.
    const [foreign, ...answers] = await Promise.all([act(other, `key ${n}`), ...same]);
    settle(referee, [foreign, ...answers], "200");
    const receipts = new Set(answers.map(({ body }) => `${body.message_id} ${body.cursor}`));
    referee.check(receipts.size === 1, `the receipts are ${[...receipts]}`);
    referee.check(!receipts.has(`${foreign.body.message_id} ${foreign.body.cursor}`), "two teams share a key");
    const made = (await newsOf(calls, team, before)).length;
    referee.check(made === 2, `${made} messages were made`);
    before += made;
  });
}

async function keysAmidTheClose(calls: Calls, rounds: number): Promise<Judgement> {
  return race(rounds, async (referee) => {
    const teams = await assemble(calls, 3);
    const sent: { team: Team; key: string; answer: Answer }[] = [];
    const send = (team: Team) =>
      inTurn(3, async (n) => {
        const key = `${team.handle} ${n}`;
        sent.push({ team, key, answer: await post(calls, team, key, { client_message_id: key }) });
      });
    const close = async () => {
      await inTurn(Math.floor(Math.random() * 3), () => calls.pool.query("select"));
      return calls.call("conclude_session", { session_id: teams[0].ref, summary_section: "Done." }, teams[0]);
    };
    const [conclusion] = await Promise.all([close(), ...shuffled(teams).map(send)]);
    settle(referee, [conclusion], "200");
    settle(
      referee,
      sent.map(({ answer }) => answer),
      "200",
      "403 session_closed",
    );
    for (const { team, key, answer } of sent) {
      const again = await post(calls, team, key, { client_message_id: key });
      const same = again.status === answer.status && again.body.cursor === answer.body.cursor;
      referee.check(same, `${key} was answered ${answer.status}, then ${again.status}`);
    }
    const feed = await feedOf(calls, teams[0]);
    referee.check(feed.at(-1)?.event === "session_concluded", "the conclusion is not the last message");
  });
}

async function sectionsAndUpdates(calls: Calls, rounds: number): Promise<Judgement> {
  const teams = await assemble(calls, 4);
  const [a, b, c, d] = teams as [Team, Team, Team, Team];
  const start = "# Doc\n\n## One\n\n## Two\n\nend of two\n";
  await calls.must("update_session_doc", { session_id: a.ref, content: start, expected_version: 0 }, a);
  const written: string[] = [];
  const append = (team: Team, section: string, text: string) =>
    calls.call("append_to_session_doc", { session_id: team.ref, text, section }, team);
  const replace = async (team: Team, line: string) => {
    const { content, version } = await docOf(calls, team);
    const changed = content.replace("# Doc\n", `# Doc\n${line}\n`);
    return calls.call(
      "update_session_doc",
      { session_id: team.ref, content: changed, expected_version: version },
      team,
    );
  };
  return race(rounds, async (referee, n) => {
    const before = (await docOf(calls, a)).version;
    const lines = ["one", "two", "three", "top", "peak"].map((name) => `- ${name} ${n}.`);
    const [one, two, three, top, peak] = lines as [string, string, string, string, string];
    const acts = [
      () => append(a, "One", one),
      () => append(b, "Two", two),
      () => append(c, `New ${n % 3}`, three),
      () => replace(c, top),
      () => replace(d, peak),
    ];
    const order = shuffled(acts.map((act, i) => ({ act, line: lines[i] as string })));
    const answers = await Promise.all(order.map(({ act }) => act()));
    const kept = settle(referee, answers, "200", "409 version_conflict");
    written.push(...order.filter((_, i) => answers[i]?.status === 200).map(({ line }) => line));
    const versions = kept.map(({ body }) => body.version - before).sort((x, y) => x - y);
    referee.check(countedFrom1(versions), `the versions are ${versions}`);
    const { content, version } = await docOf(calls, a);
    referee.check(version === before + kept.length, `the document is at ${version}`);
    const lost = written.filter((line) => content.split(line).length !== 2);
    referee.check(lost.length === 0, `lost or doubled: ${lost}`);
  });
}

async function manyAcks(calls: Calls, rounds: number): Promise<Judgement> {
  const [team, other] = (await assemble(calls, 2)) as [Team, Team];
  const stored = async (): Promise<{ cursor: number; acked_cursor: number }> => {
    const text = "select cursor, acked_cursor from parley.participants where session_id = $1 and handle = $2";
    return (await calls.pool.query(text, [team.session_id, team.handle])).rows[0];
  };
  return race(rounds, async (referee, n) => {
    settle(referee, await Promise.all([post(calls, other, "one"), post(calls, other, "two")]), "200");
    const end = 2 * n + 1;
    let acting = true;
    const watch = async () => {
      for (let before = await stored(); acting; ) {
        const now = await stored();
        for (const name of ["cursor", "acked_cursor"] as const)
          referee.check(now[name] >= before[name], `${name} went from ${before[name]} to ${now[name]}`);
        before = now;
      }
    };
    const ack = (through_cursor: number) => calls.call("ack_messages", { session_id: team.ref, through_cursor }, team);
    const wait = (since_cursor: number, timeout: number) =>
      calls.call("wait_for_messages", { session_id: team.ref, since_cursor, timeout }, team);
    const sync = (ack_through: number) => calls.call("sync", { session_id: team.ref, ack_through, timeout: 1 }, team);
    const any = () => Math.floor(Math.random() * end);
    const acts = [
      () => ack(end),
      () => ack(any()),
      () => ack(0),
      () => wait(any(), 0),
      () => wait(end, 1),
      () => sync(any()),
    ];
    const watching = watch();
    settle(referee, await Promise.all(shuffled(acts).map((act) => act())), "200");
    acting = false;
    await watching;
    const { cursor, acked_cursor } = await stored();
    referee.check(cursor === end && acked_cursor === end, `ended at ${cursor} and ${acked_cursor}, not at ${end}`);
  });
}

async function outboxesAmidPosts(calls: Calls, rounds: number): Promise<Judgement> {
  return race(rounds, async (referee) => {
    const teams = await assemble(calls, 6);
    const [reader, ...writers] = teams as [Team, ...Team[]];
    let writing = true;
    const write = (team: Team, i: number) =>
      inTurn(10, async (n) => {
        const outbox = [1, 2, 3].map((part) => `${team.handle} ${n}.${part}`);
        const answer =
          i % 2
            ? await calls.call("sync", { session_id: team.ref, outbox }, team)
            : await post(calls, team, `${team.handle} ${n}`);
        settle(referee, [answer], "200");
      });
    const heard = await Promise.all([
      listen(calls, referee, reader, () => writing),
      Promise.all(writers.map(write)).finally(() => {
        writing = false;
      }),
    ]).then(([cursors]) => cursors);
    const feed = await feedOf(calls, reader);
    referee.check(String(heard) === String(feed.map(({ cursor }) => cursor)), `the reader has heard ${heard}`);
    for (const [i, { content }] of feed.entries()) {
      const [, outbox] = /^(.*)\.1$/.exec(content.text ?? "") ?? [];
      const rest = [feed[i + 1], feed[i + 2]].map((message) => message?.content.text);
      if (outbox) referee.check(String(rest) === `${outbox}.2,${outbox}.3`, `${outbox} was torn apart by ${rest}`);
    }
  });
}

/** A team that only listens, three messages at a time, until the others have finished: the cursors it was given. */
async function listen(calls: Calls, referee: Referee, team: Team, goesOn: () => boolean): Promise<number[]> {
  const heard: number[] = [];
  let since_cursor = 0;
  for (let last = false; ; ) {
    last = !goesOn();
    let page: { messages: { cursor: number }[]; next_cursor: number };
    do {
      page = await calls.must("sync", { session_id: team.ref, since_cursor, max_items: 3 }, team);
      since_cursor = page.next_cursor;
      heard.push(...page.messages.map(({ cursor }) => cursor));
      if (!last && page.messages.length > 0) referee.saw("a page amid the posts");
    } while (last && page.messages.length > 0);
    if (last) return heard;
  }
}
