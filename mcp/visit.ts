import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import type { ServerNotification, ServerRequest } from "@modelcontextprotocol/sdk/types.js";
import { type Call, type Caller, hashTeamId } from "../api/call.ts";
import type { LiveCatalogue } from "../api/catalogue.ts";

/** What a handler knows about the request that it answers. */
export interface Visit {
  catalogue: LiveCatalogue;
  call: Call;
  report: (error: unknown) => void;
  origin: string;
  /** As the header gave it; a tool may be given another one as an argument. */
  teamId: string | undefined;
  /** Those that are listed; empty for all. */
  toolsets: string[];
}

export type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

export const callerOf = ({ teamId, origin }: Visit, given?: string): Caller => ({
  teamHash: hashTeamId(given ?? teamId),
  origin,
});
