import { createClient } from "graphql-ws";
import WebSocket from "ws";

export interface Answer {
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what each test asks for
  data?: any;
  errors?: {
    message: string;
    path?: string[];
    extensions: { code: string; status: number; details: Record<string, unknown> };
  }[];
}

/** GraphQL as a script and as a page would speak it. */
export function graphqlClient(server: string) {
  const url = `${server}/graphql`;

  async function send(body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) {
    const init = { method: "POST", body, headers: { "content-type": "application/json", ...headers } };
    const response = await fetch(url, init);
    return { status: response.status, headers: response.headers, ...((await response.json()) as Answer) };
  }

  return {
    url,
    socketUrl: url.replace("http", "ws"),
    send,
    ask: (query: string, variables: Record<string, unknown> = {}, teamId?: string) =>
      send(JSON.stringify({ query, variables }), teamId ? { "x-team-id": teamId } : {}),

    connect(connectionParams: Record<string, string> = {}) {
      const socket = { url: url.replace("http", "ws"), webSocketImpl: WebSocket, connectionParams, retryAttempts: 0 };
      const client = createClient(socket);
      return {
        close: () => client.dispose(),
        subscribe(query: string, variables: Record<string, unknown> = {}) {
          const answers = client.iterate({ query, variables });
          return {
            next: async () => (await answers.next()).value as unknown as Answer,
            stop: () => answers.return?.(),
          };
        },
      };
    },
  };
}
