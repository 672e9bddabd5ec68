import { createClient } from "graphql-ws";
import { expect, vi } from "vitest";
import WebSocket from "ws";
import { connected } from "../../../testing/postgres.ts";
import { startTestServer, until } from "../../../testing/server.ts";

export interface Answer {
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what each test asks for
  data?: any;
  errors?: {
    message: string;
    path?: string[];
    extensions: { code: string; status: number; details: Record<string, unknown> };
  }[];
}

export const CREATE = `mutation ($title: String!) {
  createSession(input: { title: $title, description: "", creatorTeamName: "Alex's Team" }) {
    result { sessionId ref teamId url }
  }
}`;
export const POST = `mutation ($id: String!, $text: JSON!) {
  postMessage(input: { sessionId: $id, content: $text }) { result { cursor messageId at } }
}`;

/** Hears answers until one is as expected: on a busy machine one may come first that tells of what came before. */
export const hears = (seen: () => Promise<unknown>, expected: unknown) =>
  vi.waitFor(async () => expect([await seen()]).toMatchObject([expected]), { timeout: 20_000, interval: 1 });

/** A Parley of one's own, spoken to in GraphQL as a script and as a page would. */
export async function startGraphQL() {
  const parley = await startTestServer({ graphiql: true });
  const url = `${parley.url}/graphql`;
  const socketUrl = url.replace("http", "ws");

  async function send(body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) {
    const init = { method: "POST", body, headers: { "content-type": "application/json", ...headers } };
    const response = await fetch(url, init);
    return { status: response.status, headers: response.headers, ...((await response.json()) as Answer) };
  }
  const ask = (query: string, variables: Record<string, unknown> = {}, teamId?: string) =>
    send(JSON.stringify({ query, variables }), teamId ? { "x-team-id": teamId } : {});
  const sql = (text: string, values: unknown[] = []) =>
    connected(parley.database.url("parley_owner"), (client) => client.query(text, values));
  const createSession = async (title = "A session"): Promise<Record<"sessionId" | "ref" | "teamId" | "url", string>> =>
    (await ask(CREATE, { title })).data.createSession.result;

  return {
    parley,
    url,
    socketUrl,
    send,
    ask,
    sql,
    createSession,
    stop: parley.stop,

    async sessionWithMessages(count: number) {
      const session = await createSession();
      for (let i = 1; i <= count; i++) await ask(POST, { id: session.ref, text: `message ${i}` }, session.teamId);
      return session;
    },

    /** Adds a verb as a DBA would, and waits until its field is there. */
    async addVerb(name: string, body: string) {
      await sql(`
        create function parley.${name}() returns text language plpgsql stable set search_path = ''
        as $f$ begin ${body}; return 'done'; end $f$;
        grant execute on function parley.${name} to parley_caller;
        comment on function parley.${name} is E'@verb GET /${name}\\n@who open\\nFor a test.'`);
      const fields = `{ __type(name: "Query") { fields { name } } }`;
      await until(async () => JSON.stringify((await ask(fields)).data).includes(`"${name}"`), name);
    },

    connect(connectionParams: Record<string, string> = {}) {
      const client = createClient({ url: socketUrl, webSocketImpl: WebSocket, connectionParams, retryAttempts: 0 });
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

export type GraphQLTestServer = Awaited<ReturnType<typeof startGraphQL>>;
