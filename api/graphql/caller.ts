import type pg from "pg";
import type { Logger } from "pino";
import { isFromHere, originOf } from "../http/origin.ts";
import { query } from "../postgres/database.ts";
import { hashTeamId } from "../verbs/call.ts";

type Header = string | string[] | undefined;

const one = (value: Header) => (Array.isArray(value) ? value[0] : value);

/** Who is calling, as settings of the transaction: the same ones that parley_private.begin_call sets for REST and MCP. */
export function callerSettings({ node, ws }: Partial<Grafast.RequestContext>): Record<string, string> {
  const params: Record<string, Header> = ws?.normalizedConnectionParams ?? {};
  const request = node?.req ?? ws?.request;
  const teamId = one(params["x-team-id"]) ?? one(params.teamid) ?? one(request?.headers["x-team-id"]);
  return {
    role: "parley_caller",
    statement_timeout: "5s",
    "parley.team_hash": hashTeamId(teamId),
    "parley.origin": request ? originOf(request) : "",
    "parley.local": request && isFromHere(request) ? "on" : "",
  };
}

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
