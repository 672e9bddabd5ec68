import { afterAll, beforeAll, expect, test } from "vitest";
import { connected, createTestDatabase, type TestDatabase } from "../../testing/postgres.ts";
import type { Calls } from "./calls.ts";
import { connectRacers, type Judgement } from "./races.ts";
import { readSource } from "./sources.ts";

const CONNECTIONS = 12;
/** Hundreds of rounds each, on a machine that may be busy with other things. */
const PATIENCE = { timeout: 240_000 };

export interface Race {
  name: string;
  rounds: number;
  run(calls: Calls, rounds: number, database: TestDatabase): Promise<Judgement>;
  /** Answers that must have been seen: a race in which nobody lost was none. */
  outcomes: string[];
  /** Without these lines of the sources the race is lost, and its checks have to say so. */
  guard: { file: string; line: string; instead: string }[];
  violation: RegExp;
}

/** Every post goes the long way: the plain one locks by counting. */
export const THE_LONG_WAY = {
  file: "functions/post_message.sql",
  line: "if type = 'chat' and",
  instead: "if false and",
};

export const WITHOUT_LOCK = [
  { file: "private/seat.sql", line: "\n  for no key update of s;", instead: ";" },
  THE_LONG_WAY,
];

/** The cursor as a column that counts by itself: what a reader skips then is what the lock is for. */
export const COUNTED_BY_A_SEQUENCE = [
  ...WITHOUT_LOCK,
  {
    file: "private/append_message.sql",
    line: `update parley.sessions s set last_sequence = s.last_sequence + 1, last_message_at = v_now,
    active_minute = parley_private.minute_of(v_now), talk = coalesce(carried.talk, s.talk)
  where s.id = append_message.session_id
  returning s.last_sequence into v_sequence;`,
    instead: "v_sequence := nextval('parley_private.identity');",
  },
  {
    file: "private/append_message.sql",
    line: "returning * into v_message;",
    instead: `returning * into v_message;
  update parley.sessions s set last_sequence = greatest(s.last_sequence, v_sequence) where s.id = append_message.session_id;`,
  },
];

/** Each race twice: as it is, and in a database whose guard was taken away, to show that its checks would notice. */
export function testRaces(races: Race[]): void {
  let database: TestDatabase;
  let calls: Calls;

  beforeAll(async () => {
    database = await createTestDatabase();
    calls = await connectRacers(database.url("parley_caller"), CONNECTIONS);
  });

  afterAll(async () => {
    await calls?.end();
    await database?.drop();
  });

  test.each(races)("$name", PATIENCE, async ({ rounds, run, outcomes }) => {
    const judgement = await run(calls, rounds, database);
    expect(judgement.violations).toEqual([]);
    expect(judgement.outcomes).toEqual(expect.arrayContaining(outcomes));
  });

  test.each(races)(
    "a database without the guard is caught: $name",
    PATIENCE,
    async ({ rounds, run, guard, violation }) => {
      const broken = await createTestDatabase();
      try {
        await breakGuard(broken, guard);
        const brokenCalls = await connectRacers(broken.url("parley_caller"), CONNECTIONS);
        try {
          expect(await firstViolation(() => run(brokenCalls, rounds, broken))).toMatch(violation);
        } finally {
          await brokenCalls.end();
        }
      } finally {
        await broken.drop();
      }

      async function firstViolation(attempt: () => Promise<Judgement>): Promise<string | undefined> {
        // Another violation may have come first, and ended the try.
        for (let tries = 0; tries < 50; tries++) {
          const found = (await attempt()).violations.find((text) => violation.test(text));
          if (found) return found;
        }
      }
    },
  );
}

async function breakGuard(broken: TestDatabase, guard: Race["guard"]): Promise<void> {
  const sources = new Map<string, string>();
  for (const { file, line, instead } of guard) {
    const source = sources.get(file) ?? readSource(file);
    expect(source).toContain(line);
    sources.set(file, source.replaceAll(line, instead));
  }
  await connected(broken.url(), async (client) => {
    // Without its guards a database may block itself; no need to wait a second each time.
    await client.query(
      "do $$ begin execute format('alter database %I set deadlock_timeout = 20', current_database()); end $$",
    );
  });
  await connected(broken.url("parley_owner"), async (client) => {
    await client.query("create sequence parley_private.identity");
    for (const source of sources.values()) await client.query(source);
  });
}
