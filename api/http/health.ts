import { Router } from "express";
import type { Pool } from "pg";
import { Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";
import type { Listeners } from "../../mcp/listen.ts";
import type { Events } from "../live/events.ts";
import type { WaitRoom } from "../live/wait.ts";
import { query } from "../postgres/database.ts";
import type { Pools } from "../postgres/pools.ts";
import { survivedErrors } from "../survive.ts";
import type { createLanes } from "../verbs/call.ts";
import { version } from "../version.ts";
import { onlyRead } from "./error-handler.ts";
import type { Step } from "./handler.ts";

const LONGEST_WAIT = 30;

interface Health {
  pools: Pools;
  lanes: ReturnType<typeof createLanes>;
  events: Events;
  room: WaitRoom;
  listeners: Listeners;
  bodies: { readonly held: number };
  answers: { readonly held: number; readonly cut: number };
  limits: { readonly refused: number };
  stopping: () => boolean;
}

/** livez: the process runs. readyz: it can serve. metrics: how it has been. */
export function createHealth({ stopping, ...watched }: Health) {
  const router = Router();
  const { pools, events } = watched;
  const registry = createRegistry(watched);
  const all = Registry.merge([processMetrics, registry]);
  let asking: ReturnType<typeof checkDatabase> | undefined;
  /** Whoever asks meanwhile shares the answer: however many ask, they hold one connection. */
  const askDatabase = () =>
    (asking ??= checkDatabase(pools.service).finally(() => {
      asking = undefined;
    }));

  router.get("/livez", ({ query: { wait } }, res) => {
    const answer = () => res.json({ status: "ok", version });
    // Whether a call may wait so long is found out by waiting: proxies have a patience of their own.
    const seconds = stopping() || typeof wait !== "string" ? 0 : Math.min(Number(wait) || 0, LONGEST_WAIT);
    if (seconds <= 0) return void answer();
    const timer = setTimeout(answer, seconds * 1_000);
    res.on("close", () => clearTimeout(timer));
  });
  router.get("/readyz", async (_req, res) => {
    const checks = { ...(await askDatabase()), listener: events.connected, accepting: !stopping() };
    const ready = checks.database && checks.migrations && checks.listener && checks.accepting;
    res.status(ready ? 200 : 503).json({ status: ready ? "ok" : "unavailable", version, checks });
  });
  router.get("/metrics", async (_req, res) => {
    res.type(all.contentType).send(await all.metrics());
  });
  const count: Step = (req, res, next) => {
    res.on("finish", () => registry.requests.inc({ method: req.method ?? "", status: res.statusCode }));
    next();
  };
  return { router: onlyRead(router), count };
}

async function checkDatabase(pool: Pool) {
  try {
    const [found] = await query<{ migrations: boolean; durable: boolean }>(pool, {
      name: "health",
      text: `select to_regproc('parley_private.answer_waits') is not null as migrations,
        bool_and(setting <> 'off') as durable
      from pg_settings where name in ('fsync', 'full_page_writes', 'synchronous_commit')`,
      query_timeout: 2_000,
    });
    return { database: true, migrations: found?.migrations === true, durable: found?.durable === true };
  } catch {
    return { database: false, migrations: false, durable: false };
  }
}

class ParleyRegistry extends Registry {
  requests = new Counter({
    name: "parley_http_requests_total",
    help: "Requests answered.",
    labelNames: ["method", "status"],
    registers: [this],
  });
}

// Of the process, whatever runs in it: collecting them starts timers and observers that end with it.
const processMetrics = new Registry();
collectDefaultMetrics({ register: processMetrics });

function createRegistry(watched: Omit<Health, "stopping">): ParleyRegistry {
  const { pools, lanes, events, room, listeners, bodies, answers, limits } = watched;
  const registry = new ParleyRegistry();
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  gauge("parley_waiting_calls", "Calls that wait for messages right now.", () => room.size);
  gauge("parley_listening_streams", "MCP clients that listen to changes right now.", () => listeners.size);
  gauge("parley_listener_connected", "1 while notifications arrive.", () => Number(events.connected));
  gauge("parley_database_connections", "Connections of the calls.", () => pools.calls.totalCount);
  gauge("parley_database_queue", "Calls that wait for a connection.", () => pools.calls.waitingCount);
  gauge(
    "parley_session_calls",
    "Calls under way or waiting for their session.",
    () => lanes.writes.size + lanes.reads.size,
  );
  gauge("parley_body_bytes", "Bytes of requests that arrive or are worked on.", () => bodies.held);
  gauge("parley_answer_bytes", "Bytes of answers that wait to be taken.", () => answers.held);
  gauge("parley_answers_cut", "Answers given up because nobody took them, since the start.", () => answers.cut);
  gauge(
    "parley_limited",
    "Requests and connections refused because there were too many, since the start.",
    () => limits.refused,
  );
  registry.registerMetric(survivedErrors);
  return registry;
}
