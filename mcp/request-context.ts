import type { Notification } from "@modelcontextprotocol/server";
import { type Caller, hashSecret } from "../api/http/caller.ts";
import type { Call } from "../api/verbs/call.ts";
import type { LiveCatalogue } from "../api/verbs/catalogue.ts";
import { invalidArgument } from "../api/verbs/errors.ts";
import type { Form } from "../api/verbs/statement.ts";

/** What a handler knows about the request that it answers. */
export interface RequestContext {
  catalogue: LiveCatalogue;
  call: Call;
  report: (error: unknown) => void;
  caller: Caller;
  /** Where the server says that it is. */
  base: string;
  /** As the header gave it; a tool may be given another one as an argument. */
  teamId: string | undefined;
  /** Those that are listed; empty for all. */
  toolsets: string[];
  /** The session that the link is bound to: tools that are told of none are called in it. */
  session: string | undefined;
  /** What tools answer with unless a call says otherwise: lines for a model, or the JSON of REST for a program. */
  form: Form;
}

/** What a handler may do while it answers. */
export interface Extra {
  /** Aborted when the client has gone. */
  signal: AbortSignal;
  sendNotification: (notification: Notification) => Promise<void>;
}

export function formOf(given: unknown, otherwise: Form = "lines"): Form {
  if (given === undefined || given === null) return otherwise;
  if (given === "lines" || given === "json") return given;
  throw invalidArgument("format", "format must be lines or json.", "Leave it out for lines.");
}

export function sessionOf(given: unknown): string | undefined {
  if (given === undefined || (typeof given === "string" && given.trim() !== "")) return given;
  throw invalidArgument("session", "session must be the ref of one session.", "Leave it out to name it in every call.");
}

export const callerOf = ({ caller }: RequestContext, teamId?: string): Caller =>
  teamId === undefined ? caller : { ...caller, teamHash: hashSecret(teamId) };
