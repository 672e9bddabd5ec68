import type { CompleteRequest, CompleteResult } from "@modelcontextprotocol/server";
import { invalidParams } from "./errors.ts";
import { findPrompt } from "./prompts.ts";
import { callerOf, type RequestContext } from "./request-context.ts";

type Params = CompleteRequest["params"];

const NOTHING = { values: [], total: 0, hasMore: false };

/** What an argument may become: whoever completes it is a function of the catalogue. */
export async function complete({ ref, argument }: Params, context: RequestContext): Promise<CompleteResult> {
  const narrowed =
    ref.type === "ref/prompt" ? ofPrompt(ref.name, argument.name) : ofTemplate(ref.uri, argument.name, context);
  const completer = context.catalogue.current.completers.get(argument.name);
  if (!completer || !narrowed) return { completion: NOTHING };
  const answer = await context.call(completer, { ...narrowed, value: argument.value }, callerOf(context));
  return { completion: JSON.parse(answer) };
}

function ofPrompt(name: string, argument: string): Record<string, string> | undefined {
  const prompt = findPrompt(name);
  if (!prompt.arguments.some((known) => known.name === argument)) throw unknownArgument(`The prompt ${name}`, argument);
  return prompt.completes.get(argument);
}

function ofTemplate(uri: string, argument: string, { catalogue }: RequestContext): Record<string, string> {
  const resource = catalogue.current.resources.find(({ uriTemplate }) => uriTemplate === uri);
  if (!resource) throw invalidParams("There is no such resource template; resources/templates/list names them all.");
  if (!uri.includes(`{${argument}}`)) throw unknownArgument("This template", argument);
  return {};
}

const unknownArgument = (owner: string, name: string) =>
  invalidParams(`${owner} has no argument ${JSON.stringify(name.slice(0, 100))}.`);
