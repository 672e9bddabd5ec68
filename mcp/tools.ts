import type { CallToolRequest, CallToolResult, Tool } from "@modelcontextprotocol/server";
import type { Argument, Catalogue, Verb } from "../api/verbs/catalogue.ts";
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
};

/** What an agent at work has no use for: listed only when asked for. */
const ASIDE = ["admin", "runner"];

export const isListed = ({ toolset, who }: Verb, toolsets: string[]) =>
  toolsets.length === 0 ? !ASIDE.includes(toolset) && who !== "person" : toolsets.includes(toolset);

/** Every client reads the whole list into its context: what the protocol assumes anyway is not said again. */
function toTool(verb: Verb, known: boolean, short: boolean): Tool {
  const listed = verb.arguments.filter(({ unlisted }) => !(short && unlisted));
  const args = verb.who === "team" && !known ? [...listed, TEAM_ID] : listed;
  return {
    name: verb.name,
    description: verb.description,
    inputSchema: openSchema(args) as Tool["inputSchema"],
    annotations: verb.readonly ? { readOnlyHint: true } : { destructiveHint: false },
  };
}

const lists = new WeakMap<Catalogue, Map<string, Tool[]>>();

/** Made once for each choice of toolsets of a catalogue, with team_id for those whose header does not tell it. */
export function listTools(_params: unknown, { catalogue: { current }, toolsets, teamId }: RequestContext) {
  const known = lists.get(current) ?? new Map<string, Tool[]>();
  lists.set(current, known);
  const byHeader = Boolean(teamId);
  const key = `${byHeader}:${toolsets}`;
  let tools = known.get(key);
  if (!tools) {
    const listed = current.verbs.filter((verb) => isListed(verb, toolsets));
    const short = toolsets.length === 1 && toolsets[0] === "core";
    tools = listed.map((verb) => toTool(verb, byHeader, short));
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
    const { form, args } = takeForm(verb, given, context);
    if (teamId !== undefined && teamId !== null && typeof teamId !== "string")
      throw invalidArgument("team_id", "team_id must be a string.");
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
