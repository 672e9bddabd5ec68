import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import type { Request, Response } from "express";
import { Router } from "express";
import WebSocket from "ws";
import { ApiError } from "../verbs/errors.ts";
import { type Caller, callerOf } from "./caller.ts";
import { methodNotAllowed } from "./error-handler.ts";
import { originOf } from "./origin.ts";
import type { PublicAddress } from "./public-address.ts";

const ANSWER_MS = 10_000;
const WAIT_SECONDS = 30;
const BREATH_MS = 5_000;
const MOST_AT_ONCE = 3;

/** One thing that has to work between an agent and this server. */
export interface Hop {
  hop: "name" | "server" | "link" | "sockets" | "wait";
  ok: boolean;
  said: string;
  /** What to do about it. */
  todo?: string;
}

interface Options {
  publicAddress: PublicAddress;
  mayTest: (caller: Caller) => Promise<boolean>;
}

/**
 * Calls this server through the link that agents are given, as they would, and tells hop by hop how far it came. It goes to no other
 * address than the one in the settings, and only for those who may change that.
 */
export function connectionTestRouter({ publicAddress, mayTest }: Options) {
  let running = 0;
  const router = Router();
  router.post("/", async (req: Request, res: Response) => {
    if (!(await mayTest(callerOf(req))))
      throw new ApiError(
        403,
        "forbidden",
        "The connection is tested on the machine that the server runs on, or by who administers it.",
        { scope: "admin", hint: "Open the settings there, under http://localhost." },
      );
    if (running >= MOST_AT_ONCE)
      throw new ApiError(429, "rate_limited", "The connection is being tested already.", {
        retry_after_seconds: 30,
        hint: "Wait until it has ended.",
      });
    const gone = new AbortController();
    res.once("close", () => gone.abort());
    res.writeHead(200, {
      "content-type": "application/x-ndjson",
      "x-accel-buffering": "no",
      "cache-control": "no-store",
    });
    // On the way back to the page there may be the same proxy, and as little patience.
    const breath = setInterval(() => res.write("\n"), BREATH_MS);
    running++;
    try {
      for await (const hop of tryLink(publicAddress.mcpUrl(originOf(req)), { signal: gone.signal }))
        res.write(`${JSON.stringify(hop)}\n`);
    } finally {
      running--;
      clearInterval(breath);
      res.end();
    }
  });
  router.all("/", (req) => {
    throw methodNotAllowed(req, ["POST"]);
  });
  return router;
}

/** Hop by hop; after the first that fails there is nothing to be learned from the rest. */
export async function* tryLink(
  mcpUrl: string,
  {
    signal = new AbortController().signal,
    waitSeconds = WAIT_SECONDS,
  }: { signal?: AbortSignal; waitSeconds?: number } = {},
): AsyncGenerator<Hop> {
  const base = mcpUrl.replace(/(\/api)?(\/mcp)?\/*$/, "");
  const hops = [
    () => findName(base),
    () => reachServer(base, signal),
    () => callLink(mcpUrl, signal),
    () => openSocket(base, signal),
    () => wait(base, waitSeconds, signal),
  ];
  for (const hop of hops) {
    const result = await hop();
    if (signal.aborted) return;
    yield result;
    if (!result.ok) return;
  }
}

async function findName(base: string): Promise<Hop> {
  const host = new URL(base).hostname.replace(/^\[|\]$/g, "");
  if (isIP(host)) return { hop: "name", ok: true, said: `${host} is an address.` };
  try {
    const { address } = await lookup(host);
    return { hop: "name", ok: true, said: `${host} is ${address}.` };
  } catch {
    const todo = "Check how it is spelled, and that the name server knows it.";
    return { hop: "name", ok: false, said: `Nobody knows the name ${host}.`, todo };
  }
}

async function reachServer(base: string, signal: AbortSignal): Promise<Hop> {
  const hop = "server";
  const answer = await ask(`${base}/livez`, { signal });
  if (answer.failed) return { hop, ok: false, ...answer.failed };
  const { status, body } = answer;
  if (status === 200 && typeof body?.version === "string")
    return { hop, ok: true, said: `Parley ${body.version} answers.` };
  if (body?.error?.code === "forbidden_origin") {
    const todo = `Start the server with PUBLIC_URL=${new URL(base).origin}.`;
    return { hop, ok: false, said: "The server is reached, and does not take this address for its own.", todo };
  }
  if ([502, 503, 504].includes(status)) {
    const said = `A proxy answers with ${status}: it does not reach this server.`;
    return { hop, ok: false, said, todo: "Check which address and port it passes requests on to." };
  }
  return {
    hop,
    ok: false,
    said: `Something else answers there, with ${status}.`,
    todo: "Check the link, and its path.",
  };
}

async function callLink(mcpUrl: string, signal: AbortSignal): Promise<Hop> {
  const hop = "link";
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
  const answer = await ask(mcpUrl, { method: "POST", body, headers: { "content-type": "application/json" }, signal });
  if (answer.failed) return { hop, ok: false, ...answer.failed };
  const { status, body: said } = answer;
  if (said?.result) return { hop, ok: true, said: "MCP answers." };
  if (status === 401 && said?.error) return { hop, ok: true, said: "MCP answers, and asks for a key." };
  const todo = `Let it be ${new URL(mcpUrl).origin}/mcp.`;
  return { hop, ok: false, said: `The server answers, but MCP does not at this link (${status}).`, todo };
}

/** The page hears by WebSockets what happens. */
async function openSocket(base: string, signal: AbortSignal): Promise<Hop> {
  const hop = "sockets";
  const socket = new WebSocket(`${base.replace(/^http/, "ws")}/graphql`, "graphql-transport-ws", {
    origin: new URL(base).origin,
    handshakeTimeout: ANSWER_MS,
  });
  signal.addEventListener("abort", () => socket.terminate(), { once: true });
  const opened = await new Promise<string | undefined>((resolve) => {
    socket.once("open", () => resolve(undefined));
    socket.once("unexpected-response", (_req, res) => resolve(`the answer was ${res.statusCode}`));
    socket.on("error", ({ message }) => resolve(message));
  });
  socket.terminate();
  return opened === undefined
    ? { hop, ok: true, said: "WebSockets come through." }
    : {
        ...{ hop, ok: false, said: `WebSockets do not come through: ${opened}.` },
        todo: "Let the proxy pass on the headers Upgrade and Connection: the page lives on them.",
      };
}

async function wait(base: string, seconds: number, signal: AbortSignal): Promise<Hop> {
  const hop = "wait";
  const started = performance.now();
  const answer = await ask(`${base}/livez?wait=${seconds}`, { signal }, seconds * 1_000 + ANSWER_MS);
  const took = Math.round((performance.now() - started) / 1_000);
  if (!answer.failed && answer.status === 200 && took >= seconds - 1)
    return { hop, ok: true, said: `A call may wait for ${seconds} seconds.` };
  return {
    ...{ hop, ok: false, said: `A call that waits was cut off after ${took} seconds.` },
    todo: "Let the proxy give requests 60 seconds: agents wait for 30.",
  };
}

interface Failed {
  said: string;
  todo: string;
}
interface Answered {
  failed?: Failed;
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: whatever answers there
  body: any;
}

async function ask(url: string, init: RequestInit, withinMs = ANSWER_MS): Promise<Answered> {
  try {
    const signal = AbortSignal.any([AbortSignal.timeout(withinMs), ...(init.signal ? [init.signal] : [])]);
    const response = await fetch(url, { ...init, redirect: "manual", signal });
    const text = (await response.text()).slice(0, 10_000);
    return { status: response.status, body: text.startsWith("{") ? JSON.parse(text) : undefined };
  } catch (error) {
    return { status: 0, body: undefined, failed: failureOf(error as Error, new URL(url)) };
  }
}

function failureOf({ name, cause, message }: Error, { host }: URL): Failed {
  const { code = "", message: reason = message } = (cause ?? {}) as { code?: string; message?: string };
  if (code === "ECONNREFUSED")
    return { said: `Nothing listens at ${host}.`, todo: "Start the proxy, or check the port." };
  if (/CERT|SIGNED|TLS|SSL|ALTNAME/.test(code))
    return { said: `The certificate of ${host} is not accepted: ${reason}.`, todo: "Give the proxy a valid one." };
  if (name === "TimeoutError" || /TIMEDOUT|TIMEOUT/.test(code))
    return { said: `Nothing answers at ${host} in time.`, todo: "Look for a firewall on the way." };
  return { said: `The connection to ${host} fails: ${reason}.`, todo: "Look into the log of the proxy." };
}
