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
import type { Hold } from "../http/actor-limits.ts";
import type { Caller } from "../http/caller.ts";
import { toApiError } from "../verbs/errors.ts";
import { asGraphQLError } from "./errors.ts";
import { findSessionStep } from "./find-session.ts";
import type { Groups, Reader } from "./groups.ts";
import { NEWS_OF_SESSION, newsTicks, SessionNewsPlugin } from "./session-news.ts";
import { ROWS_OF_SESSIONS, rowTicks, SessionRowsPlugin } from "./session-rows.ts";
import { Subscriber } from "./subscriber.ts";
import { type EventSource, LOOK_EVERY_MS, type Tick, Ticks } from "./ticks.ts";

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

  const ofSession = (kinds: string) => ({
    subscribePlan(_: Step, args: FieldArgs) {
      const $topic = lambda(findSessionStep(sessions.executor, args.getRaw("sessionId")), (id) => `${kinds} ${id}`);
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

        """Comes at once, and whenever an agent that runs in the session, its transcript or what it asks for has changed."""
        sessionAgents("The ref of the session, or its uuid." sessionId: String!): SessionChange

        """Comes at once, and whenever there is more or less in the session that waits for a person."""
        sessionInbox("The ref of the session, or its uuid." sessionId: String!): SessionChange

        """Comes at once, and whenever a machine that runs agents has come, gone or taken one."""
        runnersChanged: RunnersChange

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

      """Something is new about the machines that run agents; its fields are read now."""
      type RunnersChange {
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
          sessionAgents: ofSession("runs"),
          sessionInbox: ofSession("inbox,tasks,session"),
          runnersChanged: {
            subscribePlan: () => listen(context().get("ticks"), "runners", ($any) => $any as Step),
            plan: ($any: Step) => $any,
          },
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
      RunnersChange: { plans: { query: () => constant({}) } },
      SettingsChange: { plans: { query: () => constant({}) } },
      CallArrival: { plans: { query: () => constant({}) } },
    },
  };
}, "ParleySubscriptionsSchemaPlugin");

/** Whether a caller sees one of these sessions. */
export type SeesAny = (sessions: string[], caller: Caller) => Promise<boolean>;

interface SubscriptionOptions {
  events: EventSource;
  groups: Groups;
  seesAny: SeesAny;
  hold: Hold;
}

export const createSubscriptionsPreset = ({
  events,
  groups,
  seesAny,
  hold,
}: SubscriptionOptions): GraphileConfig.Preset => ({
  plugins: [
    SubscriptionsSchemaPlugin,
    SessionNewsPlugin,
    SessionRowsPlugin,
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
            return counted(hold, caller, () =>
              groups.subscribe(args, async (schema, reader) => {
                const ticks = {
                  subscribe: (topic: string) => ticksOf(events, topic, reader, sees),
                } as GrafastSubscriber;
                event.args = { ...args, schema, contextValue: { ...(args.contextValue as object), ticks } };
                return (await next()) as AsyncGenerator<never, void>;
              }),
            ) as ReturnType<typeof next>;
          },
        },
      },
    },
  ],
});

/** As one of its caller's subscriptions, until it ends. */
async function counted<T>(hold: Hold, caller: Caller, subscribe: () => Promise<Subscriber | T>) {
  let leave: () => void;
  try {
    leave = hold("subscriptions", caller);
  } catch (error) {
    return { errors: [asGraphQLError(toApiError(error))] };
  }
  const subscriber = await subscribe().catch((error: unknown) => {
    leave();
    throw error;
  });
  if (subscriber instanceof Subscriber) subscriber.whenOver(leave);
  else leave();
  return subscriber;
}

/** What the ticks of a stream carry, where it is more than the session. */
const VALUES: Record<string, (session: string) => (tick: Tick) => unknown> = {
  [NEWS_OF_SESSION]: newsTicks,
  [ROWS_OF_SESSIONS]: rowTicks,
};

/** Nothing for what concerns everybody: boards, and what has no session. */
const sessionOf = (topic: string) => (topic.startsWith("board ") ? undefined : topic.split(" ")[1]);

function ticksOf(
  events: EventSource,
  kindsAndSession: string,
  reader: Reader,
  sees: (sessions: string[]) => Promise<boolean>,
) {
  const [kinds = "", session = ""] = kindsAndSession.split(" ");
  const topics = kinds.split(",").map((kind) => `${kind} ${session}`.trim());
  const ticks = new Ticks<unknown>(events, session === "*" ? [...topics, "sessions"] : topics, {
    // Of sessions that the reader does not see, it hears nothing; of one that it no longer sees, nothing more.
    ...(session === "*" && {
      concerns: async (heard: string[]) => !heard.every(sessionOf) || sees(heard.map(sessionOf) as string[]),
    }),
    ...(session && session !== "*" && { over: { topic: "doors", check: async () => !(await sees([session])) } }),
    value: (VALUES[kinds] ?? (() => () => session))(session),
    gapMs: session === "*" ? LIST_GAP_MS : SESSION_GAP_MS,
    // That a call has arrived cannot be looked up; which row of a list has changed is not known.
    lookEveryMs: kinds === "calls" || kinds === ROWS_OF_SESSIONS ? undefined : LOOK_EVERY_MS,
    onTick: (news) => reader.onTick(news),
  });
  reader.follow(ticks);
  return ticks;
}
