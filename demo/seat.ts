import { setTimeout as sleep } from "node:timers/promises";
import { type Answer, type Door, type OpenDoor, Refusal } from "./door.ts";
import { Ear } from "./ear.ts";
import type { Stage } from "./stage.ts";

const CALL_WITHIN_MS = 15_000;
const LEAVE_WITHIN_MS = 2_000;
const WAIT_SECONDS = 30;
/** These ask to come again in a moment; whatever else is refused is a matter of the script. */
const COME_AGAIN = ["rate_limited", "unavailable"];

export interface Session {
  ref: string;
  url: string;
  lastCursor: number;
  closed: boolean;
}

/** The place of a team in a session: its door, its secret, its ear. */
export class Seat {
  name: string;
  handle = "";
  convener = false;
  protected stage: Stage;
  protected ear: Ear | undefined;
  #door: Door;
  #session: Session | undefined;
  #teamId: string | undefined;

  constructor(stage: Stage, name: string, open: OpenDoor) {
    this.name = name;
    this.stage = stage;
    this.#door = open(stage.url, stage.headers);
    stage.teams.push(this);
  }

  protected get door() {
    return this.#door.name;
  }

  protected get session(): Session {
    if (!this.#session) throw new Error(`${this.name} is in no session.`);
    return this.#session;
  }

  protected convenes(created: Answer): Session {
    this.convener = true;
    const session = { ref: created.ref, url: created.url, lastCursor: 0, closed: false };
    this.enters(session, created);
    return session;
  }

  protected enters(session: Session, { team_id, handle, cursor }: Answer) {
    this.#session = session;
    this.#teamId = team_id;
    this.handle = handle;
    this.ear = new Ear(cursor, (since_cursor) => this.wait("wait_for_messages", { since_cursor, include_self: true }));
  }

  /** A call that may change something is not cut off by the end of the run: half a join would leave a ghost. */
  protected async call(verb: string, args: Record<string, unknown> = {}, withinMs = CALL_WITHIN_MS): Promise<Answer> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#send(verb, args, AbortSignal.timeout(withinMs));
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        this.stage.refusals.push({ team: this.name, verb, code: error.code });
        if (tries === 5 || !COME_AGAIN.includes(error.code)) throw error;
        await sleep((error.details.retry_after_seconds ?? 1) * 1_000, undefined, { signal: this.stage.signal });
      }
    }
  }

  protected wait(verb: string, args: Record<string, unknown>): Promise<Answer> {
    return this.#send(verb, { ...args, timeout: WAIT_SECONDS }, this.stage.over);
  }

  #send(verb: string, args: Record<string, unknown>, signal: AbortSignal): Promise<Answer> {
    const where = this.#teamId ? { session_id: this.session.ref } : {};
    return this.#door.call(verb, { ...where, ...args }, { teamId: this.#teamId, signal });
  }

  /** All that was said so far has come by the waits in flight. */
  protected async hearsAll(): Promise<void> {
    const heard = new AbortController();
    const late = sleep(CALL_WITHIN_MS, undefined, { signal: heard.signal }).then(
      () => Promise.reject(new Error(`${this.name} did not hear what was said.`)),
      () => undefined,
    );
    await Promise.race([this.ear?.hears(this.session.lastCursor), late]).finally(() => heard.abort());
  }

  protected async standsUp(withinMs?: number): Promise<void> {
    this.ear?.stop();
    await this.call("leave_session", {}, withinMs);
    this.#teamId = undefined;
  }

  /** However the run ended: nobody is left in an open session, and the convener, who goes last, closes it. */
  async goes(): Promise<void> {
    this.ear?.stop();
    if (!this.#teamId || this.session.closed) return;
    const summary_section = "The demo was stopped here, before its end.";
    try {
      if (this.convener) await this.call("conclude_session", { summary_section }, LEAVE_WITHIN_MS);
      await this.standsUp(LEAVE_WITHIN_MS);
    } catch {
      // The server is away: the leases of the teams expire by themselves.
    }
  }

  async closes(): Promise<void> {
    await this.ear?.done;
    await this.#door.close().catch(() => undefined);
  }
}
