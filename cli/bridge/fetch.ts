import type { RequestId } from "@modelcontextprotocol/client";
import { reason } from "../connection/api.ts";

/** What a client is told when the HTTP side gave no answer of its own. */
export class BridgeError extends Error {
  code: number;
  data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }

  static from(url: URL, error: unknown): BridgeError {
    if (error instanceof BridgeError) return error;
    return new BridgeError(
      -32000,
      `${url.origin} gave no answer (${reason(error)}). Try again; parley doctor looks closer.`,
    );
  }
}

type Fail = (id: RequestId, error: unknown) => void;

/**
 * The SDK's transport does not tell when a stream ends before its answer, nor can it give up one request alone.
 * Both are seen here, where the request is known.
 */
export function watchedFetch(signalOf: (id: RequestId) => AbortSignal | undefined, fail: Fail) {
  return async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    const id = init.method === "POST" ? idOf(init.body) : undefined;
    const given = id === undefined ? undefined : signalOf(id);
    const signals = [init.signal, given].filter((signal) => signal != null);
    const response = await fetch(url, { ...init, signal: AbortSignal.any(signals) });
    if (id === undefined) return response;
    if (!response.ok) throw await refusalOf(response);
    if (!response.body || !response.headers.get("content-type")?.includes("text/event-stream")) return response;
    return new Response(
      watched(response.body, (error) => fail(id, error)),
      response,
    );
  };
}

function idOf(body: unknown): RequestId | undefined {
  const message = JSON.parse(String(body)) as { id?: RequestId; method?: string };
  return message.method === undefined ? undefined : message.id;
}

async function refusalOf(response: Response): Promise<BridgeError> {
  const text = await response.text();
  try {
    const { code, message, details, data } = JSON.parse(text).error;
    return typeof code === "number"
      ? new BridgeError(code, message, data)
      : new BridgeError(-32000, [message, details?.hint].filter(Boolean).join(" "), { code, ...details });
  } catch {
    return new BridgeError(-32000, `The server answered ${response.status}, and not as Parley does.`);
  }
}

/** The same bytes, and a word when they are over. An answer among them is read first: its way there has no timers. */
function watched(body: ReadableStream<Uint8Array>, ended: (error: unknown) => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const end = (error: unknown) => setTimeout(() => ended(error), 0);
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        controller.close();
        end(new Error("the connection ended before the answer"));
      } catch (error) {
        controller.error(error);
        end(error);
      }
    },
    cancel: (why) => reader.cancel(why),
  });
}
