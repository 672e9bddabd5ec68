import { createInterface } from "node:readline";
import {
  deserializeMessage,
  type JSONRPCMessage,
  type RequestId,
  StreamableHTTPClientTransport,
  serializeMessage,
} from "@modelcontextprotocol/client";
import { note } from "../output.ts";
import { BridgeError, watchedFetch } from "./fetch.ts";

const GRACE_MS = 1_500;

/** What tells the client of its own accord. */
export interface Channel {
  /** The same message; the answer to initialize says that there is a channel. */
  announced(message: JSONRPCMessage): JSONRPCMessage;
  watch(push: (message: JSONRPCMessage) => void, signal: AbortSignal): Promise<void>;
}

/**
 * Passes every message on, both ways and in every version: the transport makes the headers that a message of 2026
 * wants from the message. The HTTP side may fail and recover: each request that gets no answer there is answered with
 * an error, and the bridge stays. Ends with stdin.
 */
export async function bridge(
  url: URL,
  headers: Record<string, string> = {},
  channel?: Channel,
  stdin = process.stdin,
): Promise<void> {
  const open = new Map<RequestId, AbortController>();
  const http = new StreamableHTTPClientTransport(url, {
    requestInit: { headers },
    fetch: watchedFetch((id) => open.get(id)?.signal, fail),
  });
  const toClient = (message: JSONRPCMessage) => void process.stdout.write(serializeMessage(message));

  function fail(id: RequestId, error: unknown) {
    if (!open.delete(id)) return;
    const { code, message, data } = BridgeError.from(url, error);
    toClient({ jsonrpc: "2.0", id, error: { code, message, ...(data !== undefined && { data }) } });
  }

  function toServer(message: JSONRPCMessage) {
    const id = requestId(message);
    if (id !== undefined) open.set(id, new AbortController());
    const cancelled = cancelledId(message);
    if (cancelled !== undefined) {
      open.get(cancelled)?.abort();
      open.delete(cancelled);
    }
    http.send(message).catch((error) => id !== undefined && fail(id, error));
  }
  http.onmessage = (message) => {
    if (!("method" in message) && !open.delete(message.id as RequestId)) return;
    const agreed = "result" in message && message.result.protocolVersion;
    if (typeof agreed === "string") http.setProtocolVersion(agreed);
    toClient(channel?.announced(message) ?? message);
  };

  await http.start();
  const over = new AbortController();
  void channel?.watch(toClient, over.signal);
  for await (const line of createInterface({ input: stdin })) {
    try {
      if (line.trim()) toServer(deserializeMessage(line));
    } catch (error) {
      note(`parley mcp: ${(error as Error).message}`);
    }
  }
  over.abort();
  // Answers on their way are let through; a wait is not waited for.
  const deadline = Date.now() + GRACE_MS;
  while (open.size > 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20));
  await http.close();
}

const requestId = (message: JSONRPCMessage) => ("method" in message && "id" in message ? message.id : undefined);

const cancelledId = (message: JSONRPCMessage) =>
  "method" in message && message.method === "notifications/cancelled"
    ? (message.params?.requestId as RequestId | undefined)
    : undefined;
