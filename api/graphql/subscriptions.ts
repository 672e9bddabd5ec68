import { loadOneWithPgClient } from "postgraphile/@dataplan/pg";
import {
  constant,
  context,
  type FieldArgs,
  type GrafastSubscriber,
  lambda,
  listen,
  type Step,
} from "postgraphile/grafast";
import { extendSchema, gql } from "postgraphile/utils";
import type { Caller } from "../http/caller.ts";
import type { Groups, Reader } from "./groups.ts";
import { type EventSource, LOOK_EVERY_MS, Ticks } from "./ticks.ts";

// Between two reads for the same subscribers. Posts may come by the hundred per second; eyes can't follow.
export const SESSION_GAP_MS = 50;
const LIST_GAP_MS = 500;

declare global {
  namespace Grafast {
    interface Context {
      ticks: GrafastSubscriber;
    }
  }
}

/** A subscription only says that there is something new; its fields read the state as it is then. */
const SubscriptionsSchemaPlugin = extendSchema((build) => {
  const { sessions } = build.pgResources;
  if (!sessions) throw new Error("there is no table parley.sessions");

  const findSession = ($ref: Step<string>) =>
    loadOneWithPgClient(sessions.executor, $ref, (client, refs) =>
      refs.map(async (ref) => {
        const text = "select (parley_private.find_session($1)).id";
        const { rows } = await client.query<{ id: string }>({ text, values: [ref] });
        return rows[0]?.id;
      }),
    );
  const ofSession = (kinds: string) => ({
    subscribePlan(_: Step, args: FieldArgs) {
      const $topic = lambda(findSession(args.getRaw("sessionId")), (id) => `${kinds} ${id}`);
      return listen(context().get("ticks"), $topic, ($id) => $id as Step);
    },
    plan: ($id: Step) => $id,
  });

  return {
    typeDefs: gql`
      extend type Subscription {
        """Comes at once, and whenever something was posted to the feed of the session."""
        sessionFeed("The ref of the session, or its uuid." sessionId: String!): SessionChange

        """Comes at once, and whenever a team came, left, fell silent or woke up."""
        sessionRoster("The ref of the session, or its uuid." sessionId: String!): SessionChange

        """Comes at once, and whenever the document, title, description or status of the session has changed, or one that comes from it."""
        sessionDoc("The ref of the session, or its uuid." sessionId: String!): SessionChange

        """Comes at once, and whenever a task, or what is held of the paths, has changed."""
        sessionTasks("The ref of the session, or its uuid." sessionId: String!): SessionChange

        """Comes at once, and whenever there is something new in any session, at most twice a second."""
        sessionList: SessionListChange

        """Comes at once, and whenever a board, or something in a session on any, has changed, at most twice a second."""
        boardList: BoardListChange
        """Comes at once, and whenever there is more or less that waits for a person."""
        inboxChanged: InboxChange

        """Comes at once, and whenever a setting has changed."""
        settingsChanged: SettingsChange

        """Comes at once, and whenever a call of an agent has arrived, at most once a second."""
        callArrived: CallArrival
      }

      """Something is new in a session; its fields are read now."""
      type SessionChange {
        session: Session
      }

      """A call has arrived over REST or MCP."""
      type CallArrival {
        query: Query!
      }

      """Something is new in the inbox of people; its fields are read now."""
      type InboxChange {
        query: Query!
      }

      """A setting has changed; its fields are read now."""
      type SettingsChange {
        query: Query!
      }

      """Something is new on the boards; its fields are read now."""
      type BoardListChange {
        query: Query!
      }

      """Something is new in the list of sessions; its fields are read now."""
      type SessionListChange {
        query: Query!
      }
    `,
    objects: {
      Subscription: {
        plans: {
          sessionFeed: ofSession("feed"),
          sessionRoster: ofSession("roster"),
          sessionDoc: ofSession("doc,session,lineage"),
          sessionTasks: ofSession("tasks"),
          sessionList: {
            subscribePlan: () => listen(context().get("ticks"), "session,feed,roster,doc *", ($any) => $any as Step),
            plan: ($any: Step) => $any,
          },
          boardList: {
            subscribePlan: () => listen(context().get("ticks"), "board,session,feed,roster *", ($any) => $any as Step),
            plan: ($any: Step) => $any,
          },
          inboxChanged: {
            subscribePlan: () => listen(context().get("ticks"), "inbox,session *", ($any) => $any as Step),
            plan: ($any: Step) => $any,
          },
          settingsChanged: {
            subscribePlan: () => listen(context().get("ticks"), "settings", ($any) => $any as Step),
            plan: ($any: Step) => $any,
          },
          callArrived: {
            subscribePlan: () => listen(context().get("ticks"), "calls", ($any) => $any as Step),
            plan: ($any: Step) => $any,
          },
        },
      },
      SessionChange: { plans: { session: ($id: Step) => sessions.get({ id: $id }) } },
      SessionListChange: { plans: { query: () => constant({}) } },
      BoardListChange: { plans: { query: () => constant({}) } },
      InboxChange: { plans: { query: () => constant({}) } },
      SettingsChange: { plans: { query: () => constant({}) } },
      CallArrival: { plans: { query: () => constant({}) } },
    },
  };
}, "ParleySubscriptionsSchemaPlugin");

/** Whether a caller sees one of these sessions. */
export type SeesAny = (sessions: string[], caller: Caller) => Promise<boolean>;

export const createSubscriptionsPreset = (
  events: EventSource,
  groups: Groups,
  seesAny: SeesAny,
): GraphileConfig.Preset => ({
  plugins: [
    SubscriptionsSchemaPlugin,
    {
      name: "ParleySubscriptionsPlugin",
      // Everyone is checked before it joins others.
      after: ["ParleyOperationsPlugin"],
      grafast: {
        middleware: {
          subscribe(next, event) {
            // The group outlives the client that was the first to ask.
            const { requestContext: _, ...args } = event.args;
            const { caller } = args.contextValue as Grafast.Context;
            const sees = (sessions: string[]) => seesAny(sessions, caller);
            return groups.subscribe(args, async (schema, reader) => {
              const ticks = { subscribe: (topic: string) => ticksOf(events, topic, reader, sees) } as GrafastSubscriber;
              event.args = { ...args, schema, contextValue: { ...(args.contextValue as object), ticks } };
              return (await next()) as AsyncGenerator<never, void>;
            }) as ReturnType<typeof next>;
          },
        },
      },
    },
  ],
});

const sessionOf = (topic: string) => topic.split(" ")[1];

function ticksOf(
  events: EventSource,
  kindsAndSession: string,
  reader: Reader,
  sees: (sessions: string[]) => Promise<boolean>,
) {
  const [kinds = "", session = ""] = kindsAndSession.split(" ");
  const topics = kinds.split(",").map((kind) => `${kind} ${session}`.trim());
  const ticks = new Ticks(events, session === "*" ? [...topics, "sessions"] : topics, {
    // Of sessions that the reader does not see, it hears nothing; of one that it no longer sees, nothing more.
    ...(session === "*" && {
      concerns: async (heard: string[]) => !heard.every(sessionOf) || sees(heard.map(sessionOf) as string[]),
    }),
    ...(session && session !== "*" && { over: { topic: "doors", check: async () => !(await sees([session])) } }),
    value: session,
    gapMs: session === "*" ? LIST_GAP_MS : SESSION_GAP_MS,
    // That a call has arrived cannot be looked up.
    lookEveryMs: kinds === "calls" ? undefined : LOOK_EVERY_MS,
    onTick: (news) => reader.onTick(news),
  });
  reader.follow(ticks);
  return ticks;
}
