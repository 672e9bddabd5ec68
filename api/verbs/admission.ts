import type { IncomingMessage } from "node:http";
import type pg from "pg";
import type { Access } from "../config.ts";
import { type Caller, callerOf, shownBy } from "../http/caller.ts";
import type { Step } from "../http/handler.ts";
import { query } from "../postgres/database.ts";
import type { Callable } from "./catalogue.ts";

export type Who = Callable["who"];

/** Asks SQL whether a caller may come in, for whatever is not called as a verb: GraphQL, MCP's lists, pages. */
export class Admission {
  #pool: pg.Pool;
  #access: Access;
  /** Many may ask the same at once. */
  #asking = new Map<string, Promise<boolean>>();

  constructor(pool: pg.Pool, access: Access) {
    this.#pool = pool;
    this.#access = access;
  }

  /** Throws the refusal. With open access everybody may read, and nothing needs to be asked. */
  async admit(who: Who, caller: Caller): Promise<void> {
    if (who === "open" || (this.#access === "open" && (who === "reader" || who === "known"))) return;
    await query(this.#pool, {
      name: "admit",
      text: "select case when parley_private.begin_call($1, $2) then parley_private.admit($3) end",
      values: [caller.teamHash, shownBy(caller), who],
    });
  }

  /** Whether the caller sees one of these sessions: whoever listens to all of them hears of no other. */
  seesAny(sessions: string[], caller: Caller): Promise<boolean> {
    const { teamHash, keyHash, cookieHash } = caller;
    const asked = JSON.stringify([teamHash, keyHash, cookieHash, sessions]);
    const known = this.#asking.get(asked);
    if (known) return known;
    const asking = query<{ seen: boolean }>(this.#pool, {
      name: "sees_any",
      text: `select case when parley_private.begin_call($1, $2)
        then exists (select from parley.sessions s where s.id = any ($3::uuid[])) end as seen`,
      values: [teamHash, shownBy(caller), sessions],
    })
      .then(([row]) => row?.seen ?? false)
      .finally(() => this.#asking.delete(asked));
    this.#asking.set(asked, asking);
    return asking;
  }

  /** For routes that everyone who may read may have. */
  readers: Step = (req: IncomingMessage, _res, next) => {
    this.admit("reader", callerOf(req)).then(() => next(), next);
  };
}
