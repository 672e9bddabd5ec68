import type { Step } from "../http/handler.ts";
import type { Events } from "./events.ts";

const AT_MOST_EVERY_MS = 1_000;

/**
 * Tells the settings page that a call of an agent has arrived: whoever sets up a link waits for the first. Of calls that
 * come close together the last is told of too, a little late: somebody may have begun to wait in between.
 */
export function noticeCalls(events: Events): Step {
  let last = 0;
  let due = false;
  const announce = () => {
    due = false;
    last = Date.now();
    events.announce(["calls"]);
  };
  return (_req, _res, next) => {
    const rest = last + AT_MOST_EVERY_MS - Date.now();
    if (rest <= 0) announce();
    else if (!due) {
      due = true;
      setTimeout(announce, rest).unref();
    }
    next();
  };
}
