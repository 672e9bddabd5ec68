import { randomUUID } from "node:crypto";
import { listOfCodec, TYPES } from "postgraphile/@dataplan/pg";
import { context, get, listen, type Step } from "postgraphile/grafast";
import { extendSchema, gql } from "postgraphile/utils";
import type { Tick } from "./ticks.ts";

/** What a line of the list shows: each is a topic. */
export const ROWS_OF_SESSIONS = "session,feed,roster,doc,inbox,tasks,board";

// Of more than these, the list itself is read anew.
const MOST_ROWS = 30;

const UUIDS = listOfCodec(TYPES.uuid);

interface RowsTick {
  series: string;
  frame: number;
  whole: boolean;
  ids: string[];
}

/** For one stream: which sessions each of its ticks tells of. */
export function rowTicks(): (tick: Tick) => RowsTick {
  const series = randomUUID();
  let frame = 0;
  return ({ news, heard, looked, behind }) => {
    // A board is named by its slug: which of its sessions has moved is not told.
    const ids = [...new Set(heard.map((topic) => (/^board /.test(topic) ? "" : (topic.split(" ")[1] ?? ""))))];
    // Who has just come reads the list; for the others nothing moves on by that.
    const whole = !news || looked || ids.includes("") || ids.length > MOST_ROWS;
    if (news) frame++;
    return { series, frame: frame + (!news && behind ? 1 : 0), whole, ids: whole ? [] : ids };
  };
}

/** The list brings the rows that have changed, not itself. */
export const SessionRowsPlugin = extendSchema((build) => {
  const rows = build.pgResources.session_rows_of;
  if (!rows) throw new Error("there is no function parley.session_rows_of");
  return {
    typeDefs: gql`
      extend type Subscription {
        """
        The lines of a list of sessions that have changed since the frame before, at most twice a second. Comes at once, to say that
        the list is to be read; frames of a series are counted: who has missed one reads it anew.
        """
        sessionRows: SessionRowsNews
      }

      """What is new in a list of sessions since the frame before."""
      type SessionRowsNews {
        """Frames count within it; a server that starts anew begins another."""
        series: String!
        """1, 2, 3 …; one that was seen may come once more."""
        frame: Int!
        """Whether the list has to be read anew: then no rows come."""
        whole: Boolean!
        """As they are now."""
        rows: [SessionRow!]!
      }
    `,
    objects: {
      Subscription: {
        plans: {
          sessionRows: {
            subscribePlan: () => listen(context().get("ticks"), `${ROWS_OF_SESSIONS} *`, ($tick) => $tick as Step),
            plan: ($tick: Step) => $tick,
          },
        },
      },
      SessionRowsNews: {
        plans: {
          series: ($tick: Step) => get($tick, "series"),
          frame: ($tick: Step) => get($tick, "frame"),
          whole: ($tick: Step) => get($tick, "whole"),
          rows: ($tick: Step) => rows.execute([{ step: get($tick, "ids"), pgCodec: UUIDS }]),
        },
      },
    },
  };
}, "ParleySessionRowsPlugin");
