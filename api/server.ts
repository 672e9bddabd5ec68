import type { Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import express from "express";
import type { Logger } from "pino";
import { mcpRouter } from "../mcp/http.ts";
import { createAnswers } from "./answers.ts";
import { createBodies } from "./bodies.ts";
import { createCall } from "./call.ts";
import { noticeCalls } from "./call-notices.ts";
import { LiveCatalogue } from "./catalogue.ts";
import { commandRouter } from "./command.ts";
import { asRole, createPool } from "./database.ts";
import { createDemo, demoIsOff, ownAddress } from "./demo.ts";
import { Events } from "./events.ts";
import { createGraphQL } from "./graphql/index.ts";
import { GRAPHQL_PATH } from "./graphql/path.ts";
import { guideRouter } from "./guide-routes.ts";
import { healthRouter } from "./health.ts";
import { createHttpServer } from "./http-server.ts";
import { createOriginCheck } from "./origin.ts";
import { pageRouter } from "./page.ts";
import { PublicAddress } from "./public-address.ts";
import { errorHandler, notFound, restRouter } from "./rest.ts";
import { securityHeaders } from "./security-headers.ts";
import { watchSilentConnections } from "./silent-connections.ts";
import { StartError } from "./start-error.ts";
import { WaitRoom } from "./wait.ts";
import { startWorker } from "./worker.ts";

const PUBLIC = fileURLToPath(new URL("../web/public", import.meta.url));
const DRAIN_MS = 5_000;

export interface ServerOptions {
  /** A login that may become parley_caller and parley_worker. */
  databaseUrl: string;
  host: string;
  port: number;
  /** The addresses that this server is reached at, beside its own loopback one. */
  publicOrigins?: string[];
  worker: boolean;
  demo?: boolean;
  graphiql: boolean;
  log: Logger;
}

/** Everything that serves, on one port, against a migrated database. */
export async function startServer({ publicOrigins = [], demo: offersDemo = true, ...options }: ServerOptions) {
  const { databaseUrl, host, port, worker, graphiql, log } = options;
  const callerUrl = asRole(databaseUrl, "parley_caller", { statement_timeout: "15s" });
  // Verbs look rows up by their keys: one plan fits every call, and making a new one each time costs more than running it.
  const callsUrl = asRole(databaseUrl, "parley_caller", {
    statement_timeout: "15s",
    plan_cache_mode: "force_generic_plan",
  });
  const pool = createPool(callsUrl, log, {
    max: 10,
    application_name: "parley calls",
    query_timeout: 20_000,
  });
  const events = new Events(callerUrl, pool, log);
  await events.start();
  const catalogue = new LiveCatalogue(pool, log);
  const publicAddress = new PublicAddress(pool);
  await Promise.all([catalogue.start(), publicAddress.start(events, log)]);
  const room = new WaitRoom(pool, events, log);
  const call = createCall(pool, events, room);
  const check = createOriginCheck(publicOrigins);
  const answers = createAnswers();
  let stopping = false;

  const app = express().disable("x-powered-by").set("etag", false);
  const server = createHttpServer(app);
  const silent = watchSilentConnections(server);
  const graphql = await createGraphQL({
    connectionString: callerUrl,
    events,
    log,
    graphiql,
    admit: check.admit,
    watch: answers.watchSocket,
  });
  catalogue.on("change", () => graphql.reload().catch((err) => log.error({ err }, "GraphQL keeps its old schema")));
  const report = (err: unknown) => log.error({ err }, "a call failed");

  const bodies = createBodies();
  const answering = new Set<ServerResponse>();
  app.use((_req, res, next) => {
    res.shouldKeepAlive &&= !stopping;
    answering.add(res);
    answers.watch(res);
    res.once("close", () => answering.delete(res));
    next();
  });
  app.use(securityHeaders, check.check);
  app.use(healthRouter({ pool, events, room, bodies, answers, stopping: () => stopping }));
  app.use(["/mcp", "/api"], noticeCalls(events));
  app.use(["/mcp", "/api", GRAPHQL_PATH], bodies.read);
  app.use(["/mcp", "/api/mcp"], mcpRouter({ catalogue, call, publicAddress, report }));
  app.use(guideRouter({ pool, catalogue, publicAddress }));
  app.use("/api", restRouter(catalogue, call));
  const demo = createDemo({ url: () => ownAddress(server), publicAddress, log });
  app.use("/demo", offersDemo ? demo.router : demoIsOff);
  graphql.mount(app, server);
  app.use(commandRouter(publicAddress), pageRouter(), express.static(PUBLIC, { index: false }));
  app.use(() => {
    throw notFound();
  });
  app.use(errorHandler((err, req) => log.error({ err, method: req.method, path: req.path }, "a request failed")));

  const workerPool = createPool(asRole(databaseUrl, "parley_worker"), log, {
    max: 3,
    application_name: "parley worker",
  });
  const jobs = worker ? await startWorker(workerPool, log) : undefined;
  await listen(server, host, port);

  return {
    port: (server.address() as AddressInfo).port,
    events,
    /** Answers whoever waits, lets the rest finish, then lets go of everything. */
    async stop() {
      stopping = true;
      await demo.stop();
      for (const res of answering) res.shouldKeepAlive = false;
      const closed = new Promise((resolve) => server.close(resolve));
      const idle = setInterval(() => {
        server.closeIdleConnections();
        silent.close();
      }, 50);
      const cut = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
      catalogue.stop();
      await room.close();
      await graphql.release();
      await closed;
      clearInterval(idle);
      clearTimeout(cut);
      await events.stop();
      await jobs?.stop();
      await Promise.all([pool.end(), workerPool.end()]);
    },
  };
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", ({ code, message }: NodeJS.ErrnoException) =>
      reject(
        new StartError(
          code === "EADDRINUSE"
            ? `PORT: ${port} is taken by another program. Stop it, or set PORT to a free one.`
            : `HOST and PORT: cannot listen on ${host}, port ${port} (${message}).`,
        ),
      ),
    );
    server.listen(port, host, resolve);
  });
}

export type ParleyServer = Awaited<ReturnType<typeof startServer>>;
