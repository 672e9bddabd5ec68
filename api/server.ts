import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import express from "express";
import type { Logger } from "pino";
import { createMcp } from "../mcp/http.ts";
import { type Access, DEFAULT_POOLS, type OidcConfig } from "./config.ts";
import { commandRouter } from "./docs/command.ts";
import { guideRouter } from "./docs/guide-routes.ts";
import { createGraphQL } from "./graphql/index.ts";
import { GRAPHQL_PATH } from "./graphql/path.ts";
import { createAnswers } from "./http/answers.ts";
import { createBodies } from "./http/bodies.ts";
import { type Caller, callerOf, refuseForeignCookies } from "./http/caller.ts";
import { noteClient, type Trust, trustNobody } from "./http/client-address.ts";
import { connectionTestRouter } from "./http/connection-test.ts";
import { createDemo, demoIsOff, ownAddress } from "./http/demo.ts";
import { errorHandler, notFound, onlyPosted, sendError } from "./http/error-handler.ts";
import { inSteps, type Step } from "./http/handler.ts";
import { createHealth } from "./http/health.ts";
import { createHttpServer } from "./http/http-server.ts";
import { createLimits, DEFAULT_LIMITS, type Limits } from "./http/limits.ts";
import { createOriginCheck } from "./http/origin.ts";
import { missingPage, pageRouter } from "./http/page.ts";
import { PublicAddress } from "./http/public-address.ts";
import { securityHeaders } from "./http/security-headers.ts";
import { watchSilentConnections } from "./http/silent-connections.ts";
import { noticeCalls } from "./live/call-notices.ts";
import { Doors } from "./live/doors.ts";
import { Events } from "./live/events.ts";
import { WaitRoom } from "./live/wait.ts";
import { discreet } from "./log.ts";
import { createAsk } from "./people/ask.ts";
import { createOidc } from "./people/oidc.ts";
import { peopleRouter } from "./people/routes.ts";
import { createPools, type PoolSizes } from "./postgres/pools.ts";
import { StartError } from "./start-error.ts";
import { Admission } from "./verbs/admission.ts";
import { createCall, createLanes } from "./verbs/call.ts";
import { LiveCatalogue } from "./verbs/catalogue.ts";
import { toApiError } from "./verbs/errors.ts";
import { createRest } from "./verbs/rest.ts";
import { startWorker } from "./worker.ts";

const PUBLIC = fileURLToPath(new URL("../web/public", import.meta.url));
const DRAIN_MS = 4_500;
const API = "/api";
const MCP = "/mcp";
const AUTH = "/auth";

/** Nearly every call is as plain as this, and needs none of what Express would look up for it. */
const isPlainCall = ({ method, url = "" }: IncomingMessage) =>
  (url === MCP && method === "POST") || /^\/api\/(?!mcp|openapi)[\w./%~-]*(\?[^#\s]*)?$/.test(url);
const pathOf = (url = "") => url.split("?", 1)[0] as string;

export interface ServerOptions {
  /** A login that may become parley_caller and parley_worker. */
  databaseUrl: string;
  /** Whether the doors ask for keys. */
  access?: Access;
  host: string;
  port: number;
  /** The addresses that this server is reached at, beside its own loopback one. */
  publicOrigins?: string[];
  /** Where people may sign in beside here. */
  oidc?: OidcConfig | undefined;
  /** Whose word is taken for whom a request comes from. */
  trustProxy?: Trust;
  limits?: Limits;
  worker: boolean;
  demo?: boolean;
  graphiql: boolean;
  pools?: PoolSizes;
  log: Logger;
}

/** Everything that serves, on one port, against a migrated database. */
export async function startServer({
  access = "open",
  publicOrigins = [],
  demo: offersDemo = true,
  ...options
}: ServerOptions) {
  const { databaseUrl, host, port, worker, graphiql, trustProxy = trustNobody } = options;
  const log = discreet(options.log);
  const pools = createPools(databaseUrl, { access, sizes: options.pools ?? DEFAULT_POOLS, log });
  const events = new Events(pools.listenerUrl, pools.service, log);
  await events.start();
  const catalogue = new LiveCatalogue(pools.service, log);
  const publicAddress = new PublicAddress(pools.service);
  await Promise.all([catalogue.start(), publicAddress.start(events, log)]);
  const room = new WaitRoom(pools.waits, events, log);
  const lanes = createLanes(pools.calls.options.max);
  const limits = createLimits(options.limits ?? DEFAULT_LIMITS, (address) => trustProxy(address, 0));
  const { hold } = limits;
  const call = createCall(pools.calls, events, room, lanes, hold);
  const admission = new Admission(pools.service, access);
  const doors = new Doors(pools.service, events, log);
  const check = createOriginCheck(publicOrigins);
  const answers = createAnswers();
  let stopping = false;

  const app = express().disable("x-powered-by").set("etag", false);
  // An address in which Express finds no path reaches none of the handlers below; an answer that has begun is broken off.
  const unanswered = (res: ServerResponse) => () => (res.headersSent ? res.destroy() : sendError(res, notFound()));
  const server = createHttpServer((req, res) =>
    isPlainCall(req) ? answerCall(req, res) : (app as unknown as Step)(req, res, unanswered(res)),
  );
  const silent = watchSilentConnections(server);
  limits.watchConnections(server);
  const graphql = await createGraphQL({
    pool: pools.graphql,
    admission,
    catalogue,
    writes: lanes.writes,
    events,
    log,
    graphiql,
    admit(req) {
      noteClient(req, trustProxy);
      limits.admitSocket(req);
      check.admit(req);
      req.socket.once("close", hold("sockets", callerOf(req)));
    },
    hold,
    doors,
    watch(client, req) {
      limits.watchSocket(client, req);
      answers.watchSocket(client);
    },
  });
  catalogue.on("change", () => graphql.reload().catch((err) => log.error({ err }, "GraphQL keeps its old schema")));
  const report = (err: unknown) => log.error({ err }, "a call failed");

  const mcp = createMcp({ catalogue, call, admission, events, doors, hold, publicAddress, report });
  const bodies = createBodies();
  const answering = new Set<ServerResponse>();
  const arrive: Step = (req, res, next) => {
    noteClient(req, trustProxy);
    res.shouldKeepAlive &&= !stopping;
    answering.add(res);
    answers.watch(res);
    res.on("close", () => answering.delete(res));
    next();
  };
  const { listeners } = mcp;
  const health = createHealth({
    pools,
    lanes,
    events,
    room,
    listeners,
    bodies,
    answers,
    limits,
    stopping: () => stopping,
  });
  const notice = noticeCalls(events);
  const rest = createRest(catalogue, call);
  const failed = (err: unknown, method: string | undefined, path: string) =>
    log.error({ err, method, path }, "a request failed");
  const answerCall = inSteps(
    [arrive, securityHeaders, limits.step, check.check, health.count, notice, bodies.read],
    (req, res) =>
      req.url === MCP ? mcp.answer(req, res) : rest(req, res, pathOf(req.url).slice(API.length), req.url as string),
    (error, req, res) => {
      const answer = toApiError(error);
      if (answer.status >= 500) failed(error, req.method, pathOf(req.url));
      if (res.headersSent) res.destroy();
      else sendError(res, answer);
    },
  );

  app.use(arrive, securityHeaders, limits.step, check.check);
  app.use(["/metrics", "/docs", "/demo", "/graphiql", `${API}/openapi.json`], admission.readers);
  app.use(health.router, health.count);
  app.use([MCP, API], notice);
  app.use(GRAPHQL_PATH, onlyPosted, refuseForeignCookies);
  app.use([MCP, API, AUTH, GRAPHQL_PATH], bodies.read);
  app.use([MCP, `${API}/mcp`], mcp.router);
  const ask = createAsk(pools.calls, events);
  const oidc = options.oidc && createOidc({ config: options.oidc, ask, log });
  app.use(AUTH, peopleRouter({ ask, oidc }));
  app.use(guideRouter({ pool: pools.calls, access, catalogue, publicAddress }));
  app.use(API, (req, res) => rest(req, res, req.path, req.originalUrl));
  const mayTest = (caller: Caller) => ask<boolean>("may_administer", [], caller);
  app.use("/connection-test", connectionTestRouter({ publicAddress, mayTest }));
  const demo = createDemo({ url: () => ownAddress(server), publicAddress, log });
  app.use("/demo", offersDemo && access === "open" ? demo.router : demoIsOff);
  graphql.mount(app, server);
  app.use(commandRouter(publicAddress), pageRouter(), express.static(PUBLIC, { index: false, redirect: false }));
  app.use(missingPage(), () => {
    throw notFound();
  });
  app.use(errorHandler((err, req) => failed(err, req.method, req.path)));

  const jobs = worker ? await startWorker(pools.worker, log, { events }) : undefined;
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
      doors.stop();
      await Promise.all([jobs?.stop(), room.close(), mcp.listeners.close(), graphql.release(), closed]);
      clearInterval(idle);
      clearTimeout(cut);
      await events.stop();
      await pools.close();
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
