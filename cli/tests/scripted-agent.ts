import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import {
  type AgentContext,
  agent,
  methods,
  ndJsonStream,
  RequestError,
  type RequestPermissionResponse,
} from "@agentclientprotocol/sdk";

/**
 * An agent without a model: a turn does what stands after `do:` in its prompt, one thing after the other.
 * say TEXT · post TEXT · tell HANDLE TEXT · conclude TEXT · claim · done N · commit FILE · ask KIND · think · sleep · hang · crash · once-crash · flood · babble · quota · tokens N
 * Each turn is a line in the file that SCRIPTED_LOG names.
 */
interface Conversation {
  cwd: string;
  url: string;
  headers: Record<string, string>;
  cancelled: () => void;
  isCancelled: boolean;
  task?: number;
}

const { SCRIPTED_LOG, SCRIPTED_MEMORY, SCRIPTED_VERSION = "1", SCRIPTED_AUTH } = process.env;
const log = (line: object) => SCRIPTED_LOG && appendFileSync(SCRIPTED_LOG, `${JSON.stringify(line)}\n`);
const conversations = new Map<string, Conversation>();
const remembered = () => (SCRIPTED_MEMORY && existsSync(SCRIPTED_MEMORY) ? readFileSync(SCRIPTED_MEMORY, "utf8") : "");

// biome-ignore lint/suspicious/noExplicitAny: whatever the client sends
function begin(sessionId: string, { cwd, mcpServers }: any) {
  const [{ url, headers }] = mcpServers;
  const named = headers.map(({ name, value }: { name: string; value: string }) => [name, value]);
  const conversation = { cwd, url, headers: Object.fromEntries(named), cancelled: () => undefined, isCancelled: false };
  conversations.set(sessionId, conversation);
  if (SCRIPTED_MEMORY) writeFileSync(SCRIPTED_MEMORY, sessionId);
}

async function tool(at: Conversation, name: string, args: object): Promise<string> {
  const response = await fetch(at.url, {
    method: "POST",
    headers: { ...at.headers, "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
  });
  const text = await response.text();
  const { result, error } = JSON.parse(/(?:^|\n)data: (.*)/.exec(text)?.[1] ?? text);
  if (error || result.isError) throw new Error(error?.message ?? result.content[0].text);
  return result.content[0].text;
}

async function act(step: string, sessionId: string, client: AgentContext): Promise<object | undefined> {
  const at = conversations.get(sessionId) as Conversation;
  const [verb = "", ...rest] = step.trim().split(" ");
  const text = rest.join(" ");
  const update = (change: object) =>
    client.notify("session/update", { sessionId, update: change as { sessionUpdate: "agent_message_chunk" } });
  const say = (words: string) =>
    update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: words } });
  const call = async (name: string, args: object) => {
    const toolCallId = `${name}-${Math.random()}`;
    await update({
      sessionUpdate: "tool_call",
      toolCallId,
      title: `mcp__parley__${name}`,
      status: "pending",
      rawInput: args,
    });
    const content = [{ type: "content", content: { type: "text", text: await tool(at, name, args) } }];
    await update({ sessionUpdate: "tool_call_update", toolCallId, status: "completed", content });
  };
  const ended = () =>
    new Promise<void>((resolve) => {
      at.cancelled = resolve;
      if (at.isCancelled) resolve();
    });
  switch (verb) {
    case "say":
      return void (await say(text));
    case "post":
      return void (await call("post_message", { content: text }));
    case "tell":
      return void (await call("post_message", { content: rest.slice(1).join(" "), to: [rest[0]], kind: "question" }));
    case "conclude":
      return void (await call("conclude_session", { summary_section: text }));
    case "claim":
      at.task = Number(/task (\d+)/.exec(await tool(at, "claim_task", {}))?.[1]);
      return;
    case "done": {
      const task = Number(text || at.task);
      return void (await call("update_task", { task, status: "done", result: `did ${task}` }));
    }
    case "commit": {
      writeFileSync(join(at.cwd, text), "made by an agent\n");
      const git = (...args: string[]) => execFileSync("git", args, { cwd: at.cwd, stdio: "ignore" });
      git("add", text);
      git("-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-m", `adds ${text}`);
      return;
    }
    case "ask": {
      const toolCall = {
        toolCallId: `ask-${Math.random()}`,
        title: `rm -rf ${text}`,
        kind: "execute" as const,
        rawInput: { command: `rm -rf ${text}` },
      };
      const options = [
        { optionId: "yes", name: "Allow", kind: "allow_once" as const },
        { optionId: "no", name: "Reject", kind: "reject_once" as const },
      ];
      const asked = { sessionId, toolCall, options };
      const { outcome } = await client.request<RequestPermissionResponse>("session/request_permission", asked);
      return void (await say(`permission: ${outcome.outcome === "selected" ? outcome.optionId : outcome.outcome}`));
    }
    case "sleep":
      return void (await ended());
    case "hang":
      process.on("SIGTERM", () => undefined);
      return new Promise(() => setInterval(() => undefined, 1_000));
    case "crash":
      console.error("scripted to crash");
      return process.exit(7);
    case "once-crash":
      if (existsSync(join(at.cwd, text))) return;
      writeFileSync(join(at.cwd, text), "");
      return process.exit(7);
    case "flood":
      for (let i = 0; i < Number(text); i += 1) {
        await say("x".repeat(1_000));
        await update({ sessionUpdate: "tool_call", toolCallId: `flood-${i}`, title: "y".repeat(100) });
      }
      return;
    case "babble":
      process.stdout.write('no JSON\n[]\n{"jsonrpc":"2.0","id":"\\u001b]0;mine\\u0007","result":{}}\n');
      return;
    case "future":
      return void (await update({ sessionUpdate: "of_next_year", content: 1 }));
    case "tokens":
      await update({ sessionUpdate: "usage_update", used: 1, size: 2, cost: { amount: 0.25, currency: "USD" } });
      return { usage: { totalTokens: Number(text) } };
    case "quota":
      throw new Error("You have reached your usage limit");
  }
}

/** Only what is new: the session's past, which the first prompt tells, holds scripts that were done. */
function scriptOf(prompt: string): string[] {
  const news = /(?:What you are asked to do|New in the session|is yours|asks you|was cut off)[\s\S]*/.exec(prompt)?.[0];
  const mine = (news ?? "").replace(/^#\d+ [^:\n]* → (?!you).*$/gm, "");
  const steps = [...mine.matchAll(/do: ([^\n]*)/g)].flatMap(([, line = ""]) => line.split(";"));
  // As a model would: what it had posted, it does not post again.
  const posted = /You had posted:[\s\S]*?\n\n/.exec(prompt)?.[0] ?? "";
  return steps.filter((step) => step && !(posted && (posted.includes(step.replace("post ", "")) || step === "sleep")));
}

agent({ name: "scripted" })
  .onRequest(methods.agent.initialize, () => ({
    protocolVersion: Number(SCRIPTED_VERSION),
    agentInfo: { name: "scripted", title: "Scripted", version: "1" },
    agentCapabilities: { loadSession: Boolean(SCRIPTED_MEMORY), mcpCapabilities: { http: true } },
  }))
  .onRequest(methods.agent.session.new, ({ params }) => {
    if (SCRIPTED_AUTH) throw RequestError.authRequired();
    const sessionId = `conversation-${process.pid}`;
    begin(sessionId, params);
    return { sessionId };
  })
  .onRequest(methods.agent.session.load, ({ params }) => {
    if (remembered() !== params.sessionId) throw new Error("no such conversation");
    begin(params.sessionId, params);
    return {};
  })
  .onNotification(methods.agent.session.cancel, ({ params }) => {
    const at = conversations.get(params.sessionId);
    if (at) at.isCancelled = true;
    at?.cancelled();
  })
  .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
    const at = conversations.get(params.sessionId) as Conversation;
    at.isCancelled = false;
    const [block] = params.prompt;
    const prompt = block?.type === "text" ? block.text : "";
    log({ at: Date.now(), pid: process.pid, prompt });
    const extra = {};
    for (const step of scriptOf(prompt)) {
      Object.assign(extra, await act(step, params.sessionId, client));
      if (at.isCancelled) return { stopReason: "cancelled" as const };
    }
    return { stopReason: "end_turn" as const, ...extra };
  })
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin) as ReadableStream));

process.stdin.on("end", () => process.exit(0));
