import "./quiet.ts";
import { PgSimplifyInflectionPreset } from "@graphile/simplify-inflection";
import type pg from "pg";
import type { Logger } from "pino";
import { PostGraphileAmberPreset } from "postgraphile/presets/amber";
import type { Hold } from "../http/actor-limits.ts";
import { BODY_LIMIT } from "../http/bodies.ts";
import type { Lanes } from "../verbs/lanes.ts";
import { createPgService } from "./adaptor.ts";
import { callerIn, noteCall, settingsOf } from "./caller.ts";
import { CommentsPlugin } from "./comments.ts";
import { createMaskError } from "./errors.ts";
import type { Groups } from "./groups.ts";
import { HttpPlugin } from "./http.ts";
import { NamesPlugin } from "./names.ts";
import { type Admit, createOperationsPlugin } from "./operations.ts";
import { PagesPlugin } from "./pages.ts";
import { GRAPHQL_PATH } from "./path.ts";
import { createSubscriptionsPreset, type SeesAny } from "./subscriptions.ts";
import type { EventSource } from "./ticks.ts";
import { SocketPlugin } from "./websocket.ts";

export interface PresetOptions {
  pool: pg.Pool;
  events: EventSource;
  log: Logger;
  graphiql: boolean;
  groups: Groups;
  admit?: Admit;
  seesAny?: SeesAny;
  hold?: Hold;
  /** Where mutations of one session queue. */
  writes?: Lanes;
}

/** The schema parley as GraphQL: tables to read, verbs to call, ticks to subscribe to. */
export const createPreset = ({
  pool,
  events,
  log,
  graphiql,
  groups,
  admit = async () => {},
  seesAny = async () => true,
  hold = () => () => undefined,
  writes,
}: PresetOptions): GraphileConfig.Preset => ({
  extends: [
    PostGraphileAmberPreset,
    PgSimplifyInflectionPreset,
    createSubscriptionsPreset({ events, groups, seesAny, hold }),
  ],
  plugins: [
    NamesPlugin,
    CommentsPlugin,
    PagesPlugin,
    createOperationsPlugin(admit, writes, pool.options.max),
    HttpPlugin,
    SocketPlugin,
  ],
  disablePlugins: ["NodePlugin", "QueryQueryPlugin"],
  pgServices: [createPgService({ pool, schemas: ["parley"], pubsub: false })],
  gather: { pgStrictFunctions: true },
  schema: { defaultBehavior: "-insert -update -delete", pgForbidSetofFunctionsToReturnNull: true },
  grafast: {
    context: (request) => {
      const caller = callerIn(request);
      noteCall(pool, log, caller.teamHash);
      return { caller, pgSettings: settingsOf(caller) };
    },
    explain: false,
  },
  grafserv: {
    graphqlPath: GRAPHQL_PATH,
    graphiql,
    graphiqlPath: "/graphiql",
    graphiqlOnGraphQLGET: false,
    graphqlOverGET: false,
    websockets: true,
    maxRequestLength: BODY_LIMIT,
    maskError: createMaskError(log),
  },
});
