import type { Answer, Calls, Team } from "./calls.ts";
import { type Race, testRaces, WITHOUT_LOCK } from "./guarded-races.ts";
import { assemble, countedFrom1, feedOf, race, settle } from "./races.ts";

const WITHOUT_KEY_LOCK = [
  { file: "private/team_keys.sql", line: "perform pg_advisory_xact_lock(", instead: "perform abs(" },
];
const four = [1, 2, 3, 4];
const call = (calls: Calls, verb: string, args: object, team?: Team): Promise<Answer> => calls.call(verb, args, team);

const races: Race[] = [
  {
    name: "joins with one key at the same time are one team, which one of them can act as",
    rounds: 200,
    run: (calls, rounds) =>
      race(rounds, async (referee) => {
        const [convener] = await assemble(calls, 1);
        const body = { session_id: convener.ref, team_name: "Blue", idempotency_key: "key" };
        const answers = settle(referee, await Promise.all(four.map(() => call(calls, "join_session", body))), "200");
        const handles = new Set(answers.map(({ body }) => body.handle));
        referee.check(handles.size === 1, `${handles.size} teams were made`);
        const feed = await feedOf(calls, convener);
        referee.check(feed.length === 1, `${feed.length} joins were told`);
        const alive = await Promise.all(answers.map(({ body }) => call(calls, "whoami", {}, body)));
        const acting = alive.filter(({ status }) => status === 200);
        referee.check(acting.length === 1, `${acting.length} credentials of one team`);
      }),
    outcomes: ["200"],
    guard: [{ file: "functions/join_session.sql", line: " for no key update;", instead: ";" }, ...WITHOUT_KEY_LOCK],
    violation: /answered (500|409 conflict)|teams were made|joins were told/,
  },
  {
    name: "creates with one key at the same time make one session",
    rounds: 200,
    run: (calls, rounds) =>
      race(rounds, async (referee, n) => {
        const idempotency_key = `key ${n} ${Math.random()}`;
        const body = { title: "T", description: "", creator_team_name: "A", idempotency_key };
        const answers = settle(referee, await Promise.all(four.map(() => call(calls, "create_session", body))), "200");
        const refs = new Set(answers.map(({ body }) => body.ref));
        referee.check(refs.size === 1, `${refs.size} sessions were made`);
      }),
    outcomes: ["200"],
    guard: WITHOUT_KEY_LOCK,
    violation: /answered (500|409 conflict)|sessions were made/,
  },
  {
    name: "resumes with one key at the same time are one team of one session",
    rounds: 150,
    run: (calls, rounds) =>
      race(rounds, async (referee) => {
        const [convener] = await assemble(calls, 1);
        await calls.must("conclude_session", { session_id: convener.ref, summary_section: "Done." }, convener);
        const body = { session_id: convener.ref, team_name: "Next", idempotency_key: "key" };
        const answers = settle(referee, await Promise.all(four.map(() => call(calls, "resume_session", body))), "200");
        const refs = new Set(answers.map(({ body }) => `${body.ref} ${body.handle}`));
        referee.check(refs.size === 1, `${refs.size} teams were made`);
      }),
    outcomes: ["200"],
    guard: [{ file: "functions/resume_session.sql", line: " for no key update;", instead: ";" }, ...WITHOUT_KEY_LOCK],
    violation: /answered (500|409)|teams were made/,
  },
  {
    name: "a question that is withdrawn and answered at the same time is withdrawn once, and open no more",
    rounds: 200,
    run: (calls, rounds) =>
      race(rounds, async (referee) => {
        const [a, b, c] = (await assemble(calls, 3)) as [Team, Team, Team];
        const session_id = a.ref;
        const question = { session_id, content: "?", kind: "question", to: [b.handle, c.handle] };
        const { cursor } = await calls.must("post_message", question, a);
        const answer = { session_id, content: "!", kind: "answer", reply_to: cursor };
        const withdraw = () => call(calls, "withdraw_question", { session_id, message: cursor }, a);
        const answers = await Promise.all([
          withdraw(),
          call(calls, "post_message", answer, b),
          withdraw(),
          call(calls, "post_message", answer, c),
          withdraw(),
        ]);
        settle(referee, answers, "200");
        const times = new Set([0, 2, 4].map((i) => answers[i]?.body.at));
        referee.check(times.size === 1, `withdrawn at ${times.size} times`);
        const feed = await feedOf(calls, a);
        referee.check(countedFrom1(feed.map((m) => m.cursor)), "the feed has a gap");
        const told = feed.filter(({ event }) => event === "question_withdrawn").length;
        referee.check(told === 1, `told ${told} times`);
        const { open_questions } = await calls.must("get_digest", { session_id }, a);
        referee.check(open_questions.length === 0, "still open");
      }),
    outcomes: ["200"],
    guard: WITHOUT_LOCK,
    violation: /answered (500|409 conflict)|told [2-3] times|withdrawn at [2-3]/,
  },
  {
    name: "answers of all who were asked at the same time close the question, and one that waits for all hears each",
    rounds: 150,
    run: (calls, rounds) =>
      race(rounds, async (referee) => {
        const [a, b, c, d] = (await assemble(calls, 4)) as [Team, Team, Team, Team];
        const session_id = a.ref;
        const to = [b, c, d].map(({ handle }) => handle);
        const { cursor } = await calls.must("post_message", { session_id, content: "?", kind: "question", to }, a);
        const answer = { session_id, content: "!", kind: "answer", reply_to: cursor };
        const leaving = Math.random() < 0.5;
        const answers = await Promise.all([
          call(calls, "post_message", answer, b),
          call(calls, "post_message", answer, c),
          leaving ? call(calls, "leave_session", { session_id }, d) : call(calls, "post_message", answer, d),
        ]);
        settle(referee, answers, "200");
        referee.saw(leaving ? "one leaves" : "all answer");
        const heard = await calls.must(
          "wait_for_reply",
          { session_id, message_id: String(cursor), timeout: 0, all: true },
          a,
        );
        referee.check(heard.messages.length === (leaving ? 2 : 3), `heard ${heard.messages.length} answers`);
        referee.check(heard.yet_to_answer === null, `${heard.yet_to_answer} has yet to answer`);
        const { open_questions } = await calls.must("get_digest", { session_id }, a);
        referee.check(open_questions.length === 0, "still open");
      }),
    outcomes: ["200", "one leaves", "all answer"],
    guard: [{ file: "private/notes.sql", line: "and (p.left_at is null or p.left_at > s.closed_at)", instead: "" }],
    violation: /has yet to answer|still open/,
  },
];

testRaces(races);
