import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type Request, type Response, Router } from "express";
import type { Logger } from "pino";
import { ApiError, unavailable } from "../verbs/errors.ts";
import { methodNotAllowed } from "./error-handler.ts";
import { originOf } from "./origin.ts";
import type { PublicAddress } from "./public-address.ts";

/** How long a server that stops lets the scripted teams say that they leave. */
const LEAVE_MS = 1_000;

interface DemoOptions {
  /** Where this server is reached from its own machine; known once it listens. */
  url: () => string;
  publicAddress: PublicAddress;
  log: Logger;
  pace?: number;
}

/** Plays the demo in this process, for somebody who watches the page: one at a time, by the public API like anyone. */
export function createDemo({ url, publicAddress, log, pace = 1 }: DemoOptions) {
  const stopped = new AbortController();
  let running: { ref: Promise<string>; end: Promise<void> } | undefined;

  const start = () => {
    const { promise: ref, resolve, reject } = Promise.withResolvers<string>();
    const run = async () => {
      // Loaded when somebody asks for it: most servers never play it.
      const { runDemo } = await import("../../demo/index.ts");
      log.info("the demo starts");
      const { signal } = stopped;
      return runDemo({ url: url(), pace, signal, onSession: (session) => resolve(session.ref) });
    };
    const end = run()
      .then((result) => log.info({ ref: result.ref, resumed: result.resumedRef }, "the demo is over"))
      .catch((err) => {
        const early = stopped.signal.aborted;
        reject(early ? unavailable() : err);
        if (early) log.info("the demo was stopped");
        else log.warn({ err }, "the demo failed");
      })
      .finally(() => {
        running = undefined;
      });
    running = { ref, end };
    return ref;
  };

  const router = Router();
  router.post("/", async (req: Request, res: Response) => {
    if (stopped.signal.aborted) throw unavailable();
    const address = (ref: string) => `${publicAddress.base(originOf(req))}/s/${ref}`;
    if (running) {
      const ref = await running.ref;
      throw new ApiError(409, "demo_running", "The demo is already running.", {
        ref,
        url: address(ref),
        hint: `Watch it at ${address(ref)}, or start another one when it is over, in about a minute.`,
      });
    }
    const ref = await start();
    res.json({ ref, url: address(ref) });
  });
  router.all("/", (req) => {
    throw methodNotAllowed(req, ["POST"]);
  });
  return {
    router,
    /** The teams leave, if they can do so at once; whatever they hold up is cut off with the rest. */
    async stop() {
      stopped.abort(new Error("The server stops."));
      await Promise.race([running?.end, new Promise((resolve) => setTimeout(resolve, LEAVE_MS).unref())]);
    },
  };
}

export const demoIsOff = () => {
  throw new ApiError(404, "not_found", "The demo is switched off on this server.", {
    hint: "Whoever runs it can switch it on with PARLEY_DEMO=on. With access keys: PARLEY_KEY=… npm run demo.",
  });
};

/** Where a server that listens can be called by itself: an address that means "all" is none to connect to. */
export function ownAddress(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  const host = { "0.0.0.0": "127.0.0.1", "::": "::1" }[address] ?? address;
  return `http://${family === "IPv6" ? `[${host}]` : host}:${port}`;
}
