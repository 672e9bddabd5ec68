import type { CallToolRequest, CallToolResult, Tool } from "@modelcontextprotocol/server";
import { type Argument, type Catalogue, isForAgents, type Verb } from "../api/verbs/catalogue.ts";
import { ApiError, invalidArgument, toApiError } from "../api/verbs/errors.ts";
import { openSchema } from "../api/verbs/json-schema.ts";
import { callerOf, type Extra, formOf, type RequestContext } from "./request-context.ts";

export const PROGRESS_MS = 10_000;

/** Headers of an MCP client are fixed before it joins, so the credential travels as an argument. */
const TEAM_ID: Argument = {
  name: "team_id",
  type: "text",
  declared: "text",
  optional: false,
  default: undefined,
  clamped: false,
  description: "",
  labels: undefined,
  schema: undefined,
  unlisted: false,
};

/** What an agent at work has no use for is listed only when asked for. */
export const isListed = (verb: Verb, toolsets: string[]) =>
  toolsets.length === 0 ? isForAgents(verb) : toolsets.includes(verb.toolset);

/** Every client reads the whole list into its context: what the protocol assumes anyway is not said again. */
function toTool(verb: Verb, known: boolean, bound: boolean): Tool {
  const told = verb.arguments.filter(({ name, unlisted }) => !unlisted && !(bound && name === "session_id"));
  const args = verb.who === "team" && !known ? [...told, TEAM_ID] : told;
  return {
    name: verb.name,
    description: verb.description,
    inputSchema: openSchema(args) as Tool["inputSchema"],
    annotations: verb.readonly ? { readOnlyHint: true } : isForAgents(verb) ? { destructiveHint: false } : {},
  };
}

const lists = new WeakMap<Catalogue, Map<string, Tool[]>>();

/** Made once for each choice of toolsets of a catalogue, with team_id and session_id for those whose link does not tell them. */
export function listTools(_params: unknown, { catalogue: { current }, toolsets, teamId, session }: RequestContext) {
  const known = lists.get(current) ?? new Map<string, Tool[]>();
  lists.set(current, known);
  const [byHeader, bound] = [Boolean(teamId), session !== undefined];
  const key = `${byHeader}:${bound}:${toolsets}`;
  let tools = known.get(key);
  if (!tools) {
    const listed = current.verbs.filter((verb) => isListed(verb, toolsets));
    tools = listed.map((verb) => toTool(verb, byHeader, bound));
    known.set(key, tools);
  }
  return { tools };
}

/** ?toolset=core,reading or repeated: what is listed. Any tool can be called, whatever the list says. */
export function toolsetsOf({ verbs }: Catalogue, given: unknown): string[] {
  const asked = [given ?? []].flat().flatMap((names) => String(names).split(","));
  const known = [...new Set(verbs.map((verb) => verb.toolset))];
  if (asked.some((name) => !known.includes(name))) {
    throw invalidArgument("toolset", "There is no such toolset.", `Leave it out, or use one of: ${known.join(", ")}.`);
  }
  return known.filter((name) => asked.includes(name));
}

export async function callTool(
  params: CallToolRequest["params"],
  context: RequestContext,
  extra: Extra,
): Promise<CallToolResult> {
  const progress = sendProgress(params._meta?.progressToken, extra);
  try {
    const verb = context.catalogue.current.byName.get(params.name);
    if (!verb)
      throw new ApiError(404, "not_found", `There is no tool ${params.name.slice(0, 100)}.`, {
        hint: "tools/list names them all.",
      });
    const { team_id: teamId, ...given } =
      (verb.who === "team" ? params.arguments : { ...params.arguments, team_id: undefined }) ?? {};
    const { form, args } = takeForm(verb, inSession(verb, given, context), context);
    if (teamId !== undefined && teamId !== null && typeof teamId !== "string")
      throw invalidArgument(
        "team_id",
        "team_id must be a string.",
        "It is what came with creating or joining the session: pt_…",
      );
    const { signal } = extra;
    return text(await context.call(verb, args, callerOf(context, teamId ?? undefined), { signal, form }));
  } catch (error) {
    const refusal = toApiError(error);
    if (refusal.status >= 500) context.report(error);
    return { ...text(JSON.stringify(refusal.body)), isError: true };
  } finally {
    clearInterval(progress);
  }
}

/** A link that is bound to a session names it for whoever does not. */
const inSession = (verb: Verb, given: Record<string, unknown>, { session }: RequestContext) =>
  session !== undefined && verb.arguments.some(({ name }) => name === "session_id")
    ? { ...given, session_id: given.session_id ?? session }
    : given;

/** A call may ask for another form than its connection, unless format means something to the verb. */
function takeForm(verb: Verb, given: Record<string, unknown>, context: RequestContext) {
  if (verb.arguments.some(({ name }) => name === "format")) return { form: context.form, args: given };
  const { format, ...args } = given;
  return { form: formOf(format, context.form), args };
}

/** To whoever asked for it: clients give up on a call that is silent for long. */
function sendProgress(progressToken: string | number | undefined, { sendNotification }: Extra) {
  if (progressToken === undefined) return undefined;
  let progress = 0;
  return setInterval(() => {
    progress += PROGRESS_MS / 1_000;
    const params = { progressToken, progress, message: "waiting" };
    sendNotification({ method: "notifications/progress", params }).catch(() => undefined);
  }, PROGRESS_MS);
}

const text = (said: string): CallToolResult => ({ content: [{ type: "text", text: said }] });
