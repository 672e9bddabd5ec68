import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * A model without a model: speaks Anthropic's API on loopback. Where the newest prompt says `do: post TEXT`, it calls
 * Parley's post_message with the text, and ends with "Posted."; with `do: finish N` it finishes that task; else it says
 * "Nothing to do."
 */
export async function startScriptedModel() {
  const server = createServer(async (request, response) => {
    const body = JSON.parse((await textOf(request)) || "{}");
    if (request.url?.includes("count_tokens")) return response.end('{"input_tokens":10}');
    if (!request.url?.startsWith("/v1/messages")) return response.writeHead(404).end("{}");
    const answer = answerTo(body);
    if (body.stream) stream(response, answer);
    else response.end(JSON.stringify({ ...message(), content: [block(answer)], stop_reason: stopOf(answer) }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop: () => server.close() };
}

interface Answer {
  kind: "tool" | "text";
  text: string;
  tool?: string;
  input?: object;
}

// biome-ignore lint/suspicious/noExplicitAny: requests of another's API
function answerTo({ messages = [], tools = [] }: any): Answer {
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const named = (tool: string) => tools.find(({ name }: any) => name.endsWith(tool))?.name;
  // What came after its last words; not all of it is of the user.
  const since = messages.findLastIndex(({ role }: { role: string }) => role === "assistant");
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const parts: any[] = messages
    .slice(since + 1)
    // biome-ignore lint/suspicious/noExplicitAny: as above
    .flatMap(({ content }: any) => (typeof content === "string" ? [{ type: "text", text: content }] : content));
  if (parts.some(({ type }) => type === "tool_result")) return { kind: "text", text: "Posted." };
  const said = parts.map(({ text = "" }) => text).join("\n");
  const [, verb, wanted = ""] = [...said.matchAll(/do: (post|finish) ([^\n<]*)/g)].at(-1) ?? [];
  const tool = named(verb === "finish" ? "update_task" : "post_message");
  if (!verb || !tool) return { kind: "text", text: "Nothing to do." };
  const task = { task: Number(wanted), status: "done", result: "Finished." };
  return { kind: "tool", text: "", tool, input: verb === "finish" ? task : { content: wanted.trim() } };
}

const message = () => ({
  id: `msg_${Math.random().toString(36).slice(2)}`,
  type: "message",
  role: "assistant",
  model: "scripted",
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: { input_tokens: 10, output_tokens: 5 },
});

const stopOf = ({ kind }: Answer) => (kind === "tool" ? "tool_use" : "end_turn");

const block = ({ kind, text, tool, input }: Answer) =>
  kind === "tool"
    ? { type: "tool_use", id: `toolu_${Math.random().toString(36).slice(2)}`, name: tool, input }
    : { type: "text", text };

function stream(response: ServerResponse, answer: Answer) {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (type: string, data: object) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  const whole = block(answer);
  send("message_start", { message: message() });
  const start = answer.kind === "tool" ? { ...whole, input: {} } : { type: "text", text: "" };
  const delta =
    answer.kind === "tool"
      ? { type: "input_json_delta", partial_json: JSON.stringify(answer.input) }
      : { type: "text_delta", text: answer.text };
  send("content_block_start", { index: 0, content_block: start });
  send("content_block_delta", { index: 0, delta });
  send("content_block_stop", { index: 0 });
  send("message_delta", { delta: { stop_reason: stopOf(answer), stop_sequence: null }, usage: { output_tokens: 5 } });
  send("message_stop", {});
  response.end();
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}
