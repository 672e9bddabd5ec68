import { createClient } from "graphql-ws";
import WebSocket from "ws";
import type { Headers } from "./actors.ts";

/** A WebSocket as the page would open it, with what its caller shows. */
export const openSocket = (url: string, headers: Headers) =>
  createClient({
    url: `${url.replace("http", "ws")}/graphql`,
    webSocketImpl: class extends WebSocket {
      constructor(address: string, protocols: string) {
        super(address, protocols, { headers: { ...headers, origin: url } });
      }
    },
    retryAttempts: 0,
  });

export type Socket = ReturnType<typeof openSocket>;

interface Refusal {
  extensions?: { status: number; code: string };
  /** Of a socket that was closed before it had answered. */
  code?: number;
}

const UNAUTHORIZED = 4401;

/** How a subscription begins: ok, or the status and the code of its refusal. */
export async function beginningOf(socket: Socket, query: string): Promise<string> {
  const answers = socket.iterate({ query });
  const refusal = await answers.next().then(
    ({ value }) => value?.errors?.[0] as Refusal | undefined,
    (errors: unknown) => [errors].flat()[0] as Refusal,
  );
  await answers.return?.();
  // Whose door is shut may be let go before it is answered.
  if (refusal?.code === UNAUTHORIZED) return "401 unauthorized";
  return refusal ? `${refusal.extensions?.status} ${refusal.extensions?.code}` : "ok";
}
