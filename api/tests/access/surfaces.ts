import { hashSecret } from "../../http/caller.ts";
import type { Verb } from "../../verbs/catalogue.ts";
import { toApiError } from "../../verbs/errors.ts";
import type { Headers } from "./actors.ts";
import type { Outcome } from "./expected.ts";

interface Refusal {
  error?: { code: string };
}

const outcome = (status: number, code = "?"): Outcome => (status === 200 ? "ok" : `${status} ${code}`);

export const outcomeOfError = (error: unknown): Outcome => {
  const { status, code } = toApiError(error);
  return outcome(status, code);
};

/** The headers as SQL is told them. */
export const callerWith = (headers: Headers) => ({
  teamHash: hashSecret(headers["x-team-id"]),
  keyHash: hashSecret(headers.authorization?.replace("Bearer ", "")),
  cookieHash: hashSecret(headers.cookie?.replace("parley=", "")),
  ...{ origin: "http://127.0.0.1", address: "127.0.0.1", local: true },
});

/** A verb by REST: where, and with what. */
export function requestOf({ path, method }: Verb, args: Record<string, unknown>): { at: string; init: RequestInit } {
  const rest = { ...args };
  const at = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    delete rest[name];
    return encodeURIComponent(String(args[name]));
  });
  return method === "GET"
    ? { at: `${at}?${new URLSearchParams(rest as Record<string, string>)}`, init: {} }
    : { at, init: { method, body: JSON.stringify(rest) } };
}

export async function byRest(url: string, verb: Verb, args: Record<string, unknown>, headers: Headers) {
  const { at, init } = requestOf(verb, args);
  const answer = await fetch(`${url}/api${at}`, { headers, ...init });
  return outcome(answer.status, ((await answer.json()) as Refusal).error?.code);
}

/** A verb as a tool: the status is in the words of the refusal, so that only its code is told. */
export async function byMcp(url: string, { name }: Verb, args: Record<string, unknown>, headers: Headers) {
  const { "x-team-id": team_id, ...rest } = headers;
  const body = {
    ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
    params: { name, arguments: { ...args, ...(team_id && { team_id }) } },
  };
  return rpc(url, body, rest);
}

export async function rpc(url: string, body: object, headers: Headers): Promise<string> {
  const answer = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  const said = text.startsWith("{") ? JSON.parse(text) : JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? "{}");
  if (answer.status !== 200) return said.error.code;
  if (said.error) return said.error.data?.code ?? said.error.message;
  return said.result.isError ? JSON.parse(said.result.content[0].text).error.code : "ok";
}

export async function byGraphQL(url: string, query: string, headers: Headers): Promise<Outcome> {
  const answer = await fetch(`${url}/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ query }),
  });
  const { errors } = (await answer.json()) as { errors?: { extensions: { status: number; code: string } }[] };
  const [first] = errors ?? [];
  return first ? outcome(first.extensions.status, first.extensions.code) : "ok";
}
