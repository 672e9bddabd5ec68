import { firstSession } from "./first-session.ts";
import type { Seat, Session } from "./seat.ts";
import { secondSession } from "./second-session.ts";
import { type Refused, Stage } from "./stage.ts";

const SECONDS_BETWEEN = 4;
const ANSWERED_WITHIN_MS = 500;

export interface DemoOptions {
  /** Where Parley is, e.g. http://127.0.0.1:7423. */
  url: string;
  /** What opens its doors, as headers: an access key. */
  headers?: Record<string, string>;
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
  const { url, headers = {}, pace = 1, onStep = () => undefined, onSession = () => undefined } = options;
  const { signal = new AbortController().signal } = options;
  const over = new AbortController();
  const stage = new Stage({ url, headers, pace, signal, over: over.signal, onStep });
  try {
    const first = await firstSession(stage, (session: Session) => {
      onStep(`Watch it at ${session.url}`);
      onSession(session);
    });
    await stage.pause(SECONDS_BETWEEN);
    const second = await secondSession(stage, first);
    return { ref: first.ref, resumedRef: second.ref, refusals: stage.refusals };
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    await everybodyGoes(stage.teams);
    // Their going has answered the waits; this ends those of a server that does not answer any more.
    setTimeout(() => over.abort(), ANSWERED_WITHIN_MS).unref();
    await Promise.all(stage.teams.map((team) => team.closes()));
  }
}

async function everybodyGoes(teams: Seat[]) {
  await Promise.all(teams.filter((team) => !team.convener).map((team) => team.goes()));
  await Promise.all(teams.filter((team) => team.convener).map((team) => team.goes()));
}
