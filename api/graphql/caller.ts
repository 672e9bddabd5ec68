import type pg from "pg";
import type { Logger } from "pino";
import { bearer, type Caller, callerOf, hashSecret, NOBODY, shownBy } from "../http/caller.ts";
import { query } from "../postgres/database.ts";

type Header = string | string[] | undefined;

/** A parameter of a connection may be anything that JSON holds: what is no text shows nothing. */
function one(value: Header): string | undefined {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === "string" ? first : undefined;
}

declare global {
  namespace Grafast {
    interface Context {
      caller: Caller;
    }
  }
}

/** Over a WebSocket, what headers would say may be said by the parameters of the connection. */
export function callerIn({ node, ws }: Partial<Grafast.RequestContext>): Caller {
  const params: Record<string, Header> = ws?.normalizedConnectionParams ?? {};
  const request = node?.req ?? ws?.request;
  if (!request) return NOBODY;
  const caller = callerOf(request, one(params["x-team-id"]) ?? one(params.teamid) ?? one(request.headers["x-team-id"]));
  return {
    ...caller,
    keyHash: hashSecret(bearer(one(params.authorization)) ?? one(params["x-mcp-token"])) || caller.keyHash,
  };
}

/** Who is calling, as settings of the transaction: the same ones that parley_private.begin_call sets for REST and MCP. */
export const settingsOf = (caller: Caller): Record<string, string> => ({
  role: "parley_caller",
  statement_timeout: "5s",
  "parley.team_hash": caller.teamHash,
  "parley.shown": shownBy(caller),
});

/** Every call of a team is a sign of life. Nobody waits for it: an operation that only reads stays one. */
export function noteCall(pool: pg.Pool, log: Logger, teamHash: string | undefined): void {
  if (!teamHash) return;
  query(pool, {
    name: "note_call",
    text: "select parley_private.note_call($1)",
    values: [teamHash],
    query_timeout: 5_000,
  }).catch((err) => log.warn({ err }, "the call of a team was not noted"));
}
