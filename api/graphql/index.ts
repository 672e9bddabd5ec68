import "./quiet.ts";
import type { IncomingMessage, Server } from "node:http";
import { type Express, type RequestHandler, Router } from "express";
import type { ExecutionArgs } from "graphql";
import type pg from "pg";
import type { Logger } from "pino";
import { grafserv } from "postgraphile/grafserv/express/v4";
import type { WebSocket } from "ws";
import type { Hold } from "../http/actor-limits.ts";
import { onlyRead } from "../http/error-handler.ts";
import type { Doors } from "../live/doors.ts";
import type { Admission } from "../verbs/admission.ts";
import type { LiveCatalogue } from "../verbs/catalogue.ts";
import type { Lanes } from "../verbs/lanes.ts";
import { createMaskError } from "./errors.ts";
import { Groups } from "./groups.ts";
import { createPreset } from "./preset.ts";
import { schemaOf } from "./schema.ts";
import type { SeesAny } from "./subscriptions.ts";
import type { EventSource } from "./ticks.ts";
import { whoMayAsk } from "./verbs-asked.ts";
import { serveWebSockets } from "./websocket.ts";

export interface GraphQLOptions {
  /** Runs as parley_caller. */
  pool: pg.Pool;
  events: EventSource;
  log: Logger;
  graphiql: boolean;
  admission: Admission;
  catalogue: LiveCatalogue;
  /** Where mutations of one session queue. */
  writes: Lanes;
  /** Throws where a WebSocket may not be opened. */
  admit: (req: IncomingMessage) => void;
  /** Throws where somebody has too many sockets or subscriptions. */
  hold: Hold;
  /** Tells when what a socket has shown opens no doors any more. */
  doors: Doors;
  /** Told of every WebSocket that was opened. */
  watch: (client: WebSocket, req: IncomingMessage) => void;
}

export type GraphQLServer = Awaited<ReturnType<typeof createGraphQL>>;

// GraphiQL's page starts itself from scripts in its HTML; everything else comes from this server.
const allowInlineScripts: RequestHandler = (_req, res, next) => {
  const policy = "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'";
  res.setHeader(
    "content-security-policy",
    `${policy}; font-src 'self' data:; img-src 'self' data:; frame-ancestors 'none'`,
  );
  next();
};

export async function createGraphQL({ pool, events, log, graphiql, writes, ...doors }: GraphQLOptions) {
  const { admission, catalogue, hold } = doors;
  const groups = new Groups(createMaskError(log));
  const mayAsk = async ({ document, schema, contextValue }: ExecutionArgs) => {
    const { caller } = contextValue as Grafast.Context;
    for (const who of whoMayAsk(document, schema, catalogue.current)) await admission.admit(who, caller);
  };
  const seesAny: SeesAny = (sessions, caller) => admission.seesAny(sessions, caller);
  const preset = createPreset({ pool, events, log, graphiql, groups, admit: mayAsk, seesAny, hold, writes });
  const schema = await schemaOf(preset, pool);
  groups.use(schema);
  const serv = grafserv({ preset, schema });
  await serv.ready();
  const releases: (() => Promise<void>)[] = [() => serv.release()];
  let reloading: Promise<void> | undefined;

  return {
    mount(app: Express, server: Server): void {
      if (graphiql) app.use(onlyRead(Router().get("/graphiql", allowInlineScripts)));
      app.use(serv.createHandler() as unknown as RequestHandler);
      releases.push(
        serveWebSockets(serv, server, { ...doors, report: (err) => log.error({ err }, "a WebSocket failed") }),
      );
    },

    /** The functions have changed: new operations see them, and so do subscriptions that still fit. */
    reload(): Promise<void> {
      const build = async () => {
        const schema = await schemaOf(preset, pool);
        serv.setSchema(schema);
        groups.use(schema);
      };
      // After one that is under way: it may have looked before the change.
      reloading = (reloading ?? Promise.resolve()).catch(() => undefined).then(build);
      return reloading;
    },

    async release(): Promise<void> {
      for (const release of releases.splice(0).reverse()) await release();
    },
  };
}
