import type { IncomingMessage, ServerResponse } from "node:http";

/** A request as every handler here knows it; Express adds to it what it likes. */
export type Incoming = IncomingMessage & { body?: unknown };

export type Step = (req: Incoming, res: ServerResponse, next: (error?: unknown) => void) => void;

/** One step after the other, then the answer, as Express would do it without looking for its way. */
export function inSteps(
  steps: Step[],
  answer: (req: Incoming, res: ServerResponse) => Promise<void>,
  refuse: (error: unknown, req: Incoming, res: ServerResponse) => void,
) {
  return (req: Incoming, res: ServerResponse): void => {
    const go = (at: number, error?: unknown): void => {
      const step = steps[at];
      try {
        if (error) refuse(error, req, res);
        else if (step) step(req, res, (failed) => go(at + 1, failed));
        else answer(req, res).catch((failed) => refuse(failed, req, res));
      } catch (failed) {
        refuse(failed, req, res);
      }
    };
    go(0);
  };
}
