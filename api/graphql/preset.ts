import "./quiet.ts";
import { PgSimplifyInflectionPreset } from "@graphile/simplify-inflection";
import type pg from "pg";
import type { Logger } from "pino";
import { makePgService } from "postgraphile/adaptors/pg";
import { PostGraphileAmberPreset } from "postgraphile/presets/amber";
import { BODY_LIMIT } from "../http/bodies.ts";
import type { Lanes } from "../verbs/lanes.ts";
import { callerSettings, noteCall } from "./caller.ts";
import { CommentsPlugin } from "./comments.ts";
import { createMaskError } from "./errors.ts";
import type { Groups } from "./groups.ts";
import { HttpPlugin } from "./http.ts";
import { NamesPlugin } from "./names.ts";
import { createOperationsPlugin } from "./operations.ts";
import { PagesPlugin } from "./pages.ts";
import { GRAPHQL_PATH } from "./path.ts";
import { createSubscriptionsPreset } from "./subscriptions.ts";
import type { EventSource } from "./ticks.ts";
import { SocketPlugin } from "./websocket.ts";

export interface PresetOptions {
  pool: pg.Pool;
  events: EventSource;
  log: Logger;
  graphiql: boolean;
  groups: Groups;
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
  writes,
}: PresetOptions): GraphileConfig.Preset => ({
  extends: [PostGraphileAmberPreset, PgSimplifyInflectionPreset, createSubscriptionsPreset(events, groups)],
  plugins: [NamesPlugin, CommentsPlugin, PagesPlugin, createOperationsPlugin(writes), HttpPlugin, SocketPlugin],
  disablePlugins: ["NodePlugin", "QueryQueryPlugin"],
  pgServices: [makePgService({ pool, schemas: ["parley"], pubsub: false })],
  gather: { pgStrictFunctions: true },
  schema: { defaultBehavior: "-insert -update -delete", pgForbidSetofFunctionsToReturnNull: true },
  grafast: {
    context: (request) => {
      const pgSettings = callerSettings(request);
      noteCall(pool, log, pgSettings["parley.team_hash"]);
      return { pgSettings };
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
