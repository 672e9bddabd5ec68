import { once } from "node:events";
import { PassThrough } from "node:stream";
import { type JSONRPCMessage, type RequestId, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { BridgeError, watchedFetch } from "./bridge-fetch.ts";
import { note } from "./output.ts";

const GRACE_MS = 1_500;

/**
 * Passes every message on, both ways. The HTTP side may fail and recover: each request that gets no answer there is
 * answered with an error, and the bridge stays. Ends with stdin.
 */
export async function bridge(url: URL, stdin = process.stdin): Promise<void> {
  const open = new Map<RequestId, AbortController>();
  // The transport would close with its input, before the answers that are on their way.
  const stdio = new StdioServerTransport(stdin.pipe(new PassThrough(), { end: false }));
  const http = new StreamableHTTPClientTransport(url, {
    fetch: watchedFetch((id) => open.get(id)?.signal, fail),
  });

  function fail(id: RequestId, error: unknown) {
    if (!open.delete(id)) return;
    const { code, message, data } = BridgeError.from(url, error);
    void stdio.send({ jsonrpc: "2.0", id, error: { code, message, ...(data !== undefined && { data }) } });
  }

  stdio.onmessage = (message) => {
    const id = requestId(message);
    if (id !== undefined) open.set(id, new AbortController());
    const cancelled = cancelledId(message);
    if (cancelled !== undefined) {
      open.get(cancelled)?.abort();
      open.delete(cancelled);
    }
    http.send(message).catch((error) => id !== undefined && fail(id, error));
  };
  http.onmessage = (message) => {
    if (!("method" in message) && !open.delete(message.id as RequestId)) return;
    const agreed = "result" in message && message.result.protocolVersion;
    if (typeof agreed === "string") http.setProtocolVersion(agreed);
    void stdio.send(message);
  };
  stdio.onerror = (error) => note(`parley mcp: ${error.message}`);

  await http.start();
  await stdio.start();
  await once(stdin, "end");
  // Answers on their way are let through; a wait is not waited for.
  const deadline = Date.now() + GRACE_MS;
  while (open.size > 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20));
  await http.close();
  await stdio.close();
}

const requestId = (message: JSONRPCMessage) => ("method" in message && "id" in message ? message.id : undefined);

const cancelledId = (message: JSONRPCMessage) =>
  "method" in message && message.method === "notifications/cancelled"
    ? (message.params?.requestId as RequestId | undefined)
    : undefined;
