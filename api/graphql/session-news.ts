import { randomUUID } from "node:crypto";
import { type PgClient, sideEffectWithPgClient, TYPES } from "postgraphile/@dataplan/pg";
import { constant, context, type FieldArgs, get, lambda, listen, type Step } from "postgraphile/grafast";
import { sql } from "postgraphile/pg-sql2";
import { extendSchema, gql } from "postgraphile/utils";
import { findSessionStep } from "./find-session.ts";
import type { Tick } from "./ticks.ts";

/** What is told of a session: each is a topic, and a part of the news. */
export const NEWS_OF_SESSION = "feed,roster,doc,session,lineage,tasks";

const MOST_ROWS = 100;
// Nothing is announced when a wait begins, or when time alone makes a team silent.
const ROSTER_EVERY_MS = 5_000;

/** How far a stream of news has come: the next one begins there. */
interface Told {
  readonly series: string;
  frame: number;
  cursor: number | undefined;
  docVersion: number | undefined;
  rosterAt: number;
}

interface NewsTick {
  session: string;
  tick: Tick;
  told: Told;
}

/** For one stream: what its ticks carry. */
export function newsTicks(session: string): (tick: Tick) => NewsTick {
  const told: Told = {
    series: randomUUID(),
    frame: 0,
    cursor: undefined,
    docVersion: undefined,
    rosterAt: 0,
  };
  return (tick) => ({ session, tick, told });
}

interface Position {
  last_sequence: number;
  doc_version: number;
  start_at: number | null;
  removed: number | null;
  inserted: string | null;
}

/**
 * Where the session is, and what of it is new since the news before. Read before the rest, so that what comes meanwhile is
 * told twice rather than never. Who has just come is told how things are; for the others nothing moves on by that.
 */
async function moveOn(client: PgClient, { session, tick, told }: NewsTick) {
  const { rows } = await client.query<Position>({
    text: "select * from parley_private.session_position($1, $2)",
    values: [session, told.docVersion ?? null],
  });
  const now = rows[0];
  const heard = (kind: string) => tick.heard.some((topic) => topic.startsWith(`${kind} `));
  const whole = !tick.news || tick.looked || told.cursor === undefined;
  const roster = whole || heard("roster") || heard("tasks") || Date.now() - told.rosterAt > ROSTER_EVERY_MS;
  const news = {
    session,
    series: told.series,
    frame: tick.news ? told.frame + 1 : told.frame + (tick.behind ? 1 : 0),
    whole,
    after: told.cursor ?? now?.last_sequence ?? 0,
    afterVersion: told.docVersion ?? now?.doc_version ?? 0,
    roster: roster ? session : null,
    lineage: whole || heard("lineage") ? session : null,
    tasks: whole || heard("tasks") ? session : null,
    docSplice:
      now?.inserted == null
        ? null
        : {
            fromVersion: told.docVersion,
            toVersion: now.doc_version,
            startAt: now.start_at,
            removed: now.removed,
            inserted: now.inserted,
          },
  };
  if (tick.news) {
    told.frame++;
    if (roster) told.rosterAt = Date.now();
  }
  if (tick.news || told.cursor === undefined) {
    told.cursor = now?.last_sequence ?? told.cursor;
    told.docVersion = now?.doc_version ?? told.docVersion;
  }
  return news;
}

/** One stream for a page: what changed, and how things are where that is little. */
export const SessionNewsPlugin = extendSchema((build) => {
  const { sessions, messages, session_doc_history: versions } = build.pgResources;
  if (!sessions || !messages || !versions) throw new Error("there are no tables of sessions, messages and documents");
  /** The rows of the session whose number comes after the one that was told last. */
  const counted = (rows: typeof messages, $news: Step, number: string, told: string) => {
    const $rows = rows.find({ session_id: get($news, "session") });
    const $after = $rows.placeholder(get($news, told) as Step<number>, TYPES.int);
    const fragment = sql`${$rows.alias}.${sql.identifier(number)}`;
    $rows.where(sql`${fragment} > ${$after}`);
    $rows.orderBy({ fragment, codec: TYPES.int, direction: "ASC" });
    $rows.setOrderIsUnique();
    $rows.setFirst(constant(MOST_ROWS));
    return $rows;
  };
  const part = (name: string) => ($news: Step) => sessions.get({ id: get($news, name) });

  return {
    typeDefs: gql`
      extend type Subscription {
        """
        What is new in a session, whatever it is. Comes at once, whole, and then with what has changed since the frame before.
        Frames of a series are counted: who has missed one reads anew what it shows.
        """
        sessionNews("The ref of the session, or its uuid." sessionId: String!): SessionNews
      }

      """What is new in a session since the frame before."""
      type SessionNews {
        """Frames count within it; a server that starts anew begins another."""
        series: String!
        """1, 2, 3 …; one that was seen may come once more."""
        frame: Int!
        """Whether roster, lineage and tasks are told as they are, also when nothing of them has changed."""
        whole: Boolean!
        """Now; null when it is there no more."""
        session: Session
        """The messages that are new come after this cursor."""
        after: Int!
        """Oldest first, at most 100; what is missing up to lastSequence is there to be read."""
        messages: [Message!]!
        """The session, when its roster may have changed."""
        roster: Session
        """The session, when others may have come from it."""
        lineage: Session
        """The session, when its tasks or held paths may have changed."""
        tasks: Session
        """The versions that are new, at most 100."""
        docEdits: [SessionDocHistory!]!
        """What makes the newest document of the one before; null when nothing was written, or too much."""
        docSplice: DocSplice
      }

      """From startAt on, removed bytes give way to inserted ones: of the document as UTF-8."""
      type DocSplice {
        """The version that it is done to."""
        fromVersion: Int!
        """The version that it makes."""
        toVersion: Int!
        """How many bytes stay before it."""
        startAt: Int!
        """How many bytes go."""
        removed: Int!
        """The bytes that come in their place, as base64."""
        inserted: String!
      }
    `,
    objects: {
      Subscription: {
        plans: {
          sessionNews: {
            subscribePlan(_: Step, args: FieldArgs) {
              const $id = findSessionStep(sessions.executor, args.getRaw("sessionId"));
              const $topic = lambda($id, (id) => `${NEWS_OF_SESSION} ${id}`);
              return listen(context().get("ticks"), $topic, ($tick) => $tick as Step);
            },
            plan: ($tick: Step) => sideEffectWithPgClient(sessions.executor, $tick as Step<NewsTick>, moveOn),
          },
        },
      },
      SessionNews: {
        plans: {
          session: part("session"),
          roster: part("roster"),
          lineage: part("lineage"),
          tasks: part("tasks"),
          messages: ($news: Step) => counted(messages, $news, "sequence", "after"),
          docEdits: ($news: Step) => counted(versions, $news, "version", "afterVersion"),
        },
      },
    },
  };
}, "ParleySessionNewsPlugin");
