import type { Step } from "../http/handler.ts";
import type { Events } from "./events.ts";

const AT_MOST_EVERY_MS = 1_000;

/** Tells the settings page that a call of an agent has arrived: whoever sets up a link waits for the first. */
export function noticeCalls(events: Events): Step {
  let last = 0;
  return (_req, _res, next) => {
    const now = Date.now();
    if (now - last >= AT_MOST_EVERY_MS) {
      last = now;
      events.announce(["calls"]);
    }
    next();
  };
}
