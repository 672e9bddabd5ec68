import { firstSession } from "./first-session.ts";
import type { Session } from "./seat.ts";
import { secondSession } from "./second-session.ts";
import { type Refused, Stage } from "./stage.ts";

const SECONDS_BETWEEN = 4;

export interface DemoOptions {
  /** Where Parley is, e.g. http://127.0.0.1:7423. */
  url: string;
  /** 1 to watch it, about a minute; 0 as fast as it goes. */
  pace?: number;
  /** Ends it early: the teams leave. */
  signal?: AbortSignal;
  /** Gets the story line by line; first of all where to watch it. */
  onStep?: (line: string) => void;
  /** Gets the first session as soon as it exists. */
  onSession?: (session: { ref: string; url: string }) => void;
}

export interface DemoResult {
  ref: string;
  resumedRef: string;
  /** What Parley refused on the way, as the story wants it. */
  refusals: Refused[];
}

/** Scripted teams solve a task through the public API, and others pick up what they left open. */
export async function runDemo(options: DemoOptions): Promise<DemoResult> {
  const { url, pace = 1, signal, onStep = () => undefined, onSession = () => undefined } = options;
  const over = new AbortController();
  const stage = new Stage({
    url,
    pace,
    onStep,
    signal: signal ? AbortSignal.any([signal, over.signal]) : over.signal,
  });
  try {
    const first = await firstSession(stage, (session: Session) => {
      onStep(`Watch it at ${session.url}`);
      onSession(session);
    });
    await stage.pause(SECONDS_BETWEEN);
    const second = await secondSession(stage, first);
    return { ref: first.ref, resumedRef: second.ref, refusals: stage.refusals };
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    over.abort();
    const [conveners, others] = [stage.teams.filter((t) => t.convener), stage.teams.filter((t) => !t.convener)];
    await Promise.all(others.map((team) => team.goes()));
    await Promise.all(conveners.map((team) => team.goes()));
  }
}
