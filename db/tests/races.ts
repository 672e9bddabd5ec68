import type pg from "pg";
import { connected, type TestDatabase } from "../../testing/postgres.ts";
import { type Answer, type Calls, connectCallers, type Team } from "./calls.ts";

/** What a race is judged by: what must hold, and what has to have happened for the race to have been one. */
export interface Referee {
  check(holds: boolean, what: string): void;
  saw(outcome: string): void;
}

export interface Judgement {
  violations: string[];
  outcomes: string[];
}

/** Round after round, until all are run or one was not clean. */
export async function race(rounds: number, round: (referee: Referee, n: number) => Promise<void>): Promise<Judgement> {
  const violations: string[] = [];
  const outcomes = new Set<string>();
  const referee: Referee = {
    check: (holds, what) => {
      if (!holds) violations.push(what);
    },
    saw: (outcome) => outcomes.add(outcome),
  };
  for (let n = 1; n <= rounds && violations.length === 0; n++) await round(referee, n);
  return { violations, outcomes: [...outcomes].sort() };
}

export type Sql = (text: string, values?: unknown[]) => Promise<pg.QueryResultRow[]>;

/** With one connection of the owner for all rounds. */
export const raceWithOwner = (
  database: TestDatabase,
  rounds: number,
  round: (referee: Referee, sql: Sql, n: number) => Promise<void>,
) =>
  connected(database.url("parley_owner"), (client) => {
    const sql: Sql = async (text, values) => (await client.query(text, values)).rows;
    return race(rounds, (referee, n) => round(referee, sql, n));
  });

/** A session and teams that have joined it; the first is the convener. */
export async function assemble(calls: Calls, size: number): Promise<[Team, ...Team[]]> {
  const convener = await calls.create();
  return [convener, ...(await calls.seat(convener, size - 1))];
}

export interface Message {
  cursor: number;
  type: string;
  event: string | null;
  handle: string;
  by: string | null;
  doc_version: number | null;
  changes: Record<string, { from: string; to: string }> | null;
  content: { text: string };
}

/** The whole feed, as a member pages through it. */
export const feedOf = (calls: Calls, team: Team): Promise<Message[]> => newsOf(calls, team, 0, 500);

/** The end of the feed, after a cursor: of a long one no more is read than a page too much. */
export async function newsOf(calls: Calls, team: Team, after: number, limit = 20): Promise<Message[]> {
  const pages: Message[][] = [];
  let before_cursor: number | null | undefined;
  while (before_cursor !== null && (before_cursor ?? Number.POSITIVE_INFINITY) > after) {
    const page = await calls.must("get_history", { session_id: team.session_id, before_cursor, limit }, team);
    pages.unshift(page.messages);
    before_cursor = page.next_cursor;
  }
  return pages.flat().filter(({ cursor }) => cursor > after);
}

export const docOf = (calls: Calls, team: Team, version?: number) =>
  calls.must("read_session_doc", { session_id: team.session_id, version }, team);

/** Every call is answered, and in one of the ways that the race allows. */
export function settle(referee: Referee, answers: Answer[], ...allowed: string[]): Answer[] {
  for (const { status, code, body } of answers) {
    const outcome = status === 200 ? "200" : `${status} ${code}`;
    referee.check(allowed.includes(outcome), `answered ${outcome} ${JSON.stringify(body)}`);
    referee.saw(outcome);
  }
  return answers.filter(({ status }) => status === 200);
}

export const countedFrom1 = (numbers: number[]) => numbers.every((number, i) => number === i + 1);

export function shuffled<T>(items: T[]): T[] {
  return items
    .map((item) => ({ item, key: Math.random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);
}

/** Connections that are open already, so that no call of the first round is late. */
export async function connectRacers(connectionString: string, connections: number): Promise<Calls> {
  const calls = connectCallers(connectionString, connections);
  await Promise.all(Array.from({ length: connections }, () => calls.pool.query("select pg_sleep(0.05)")));
  return calls;
}

export async function inTurn<T>(times: number, work: (n: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let n = 1; n <= times; n++) results.push(await work(n));
  return results;
}
