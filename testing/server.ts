import { pino } from "pino";
import { type ServerOptions, startServer } from "../api/server.ts";
import { createTestDatabase, type TestDatabase } from "./postgres.ts";

export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers as their readers do
  body: any;
}

export interface Team {
  ref: string;
  session_id: string;
  team_id: string;
  handle: string;
  cursor: number;
}

/** A Parley of one's own: a real database, a real port, nothing shared with other tests. */
export async function startTestServer(options: Partial<ServerOptions> & { database?: TestDatabase } = {}) {
  const { database = await createTestDatabase(), ...rest } = options;
  const server = await startServer({
    databaseUrl: database.url("parley_server"),
    host: "127.0.0.1",
    port: 0,
    worker: false,
    graphiql: false,
    log: pino({ level: process.env.LOG_LEVEL ?? "fatal" }),
    ...rest,
  });
  const url = `http://127.0.0.1:${server.port}`;
  return {
    url,
    database,
    server,
    ...client(url),
    /** Stops the server; the database goes too, unless it was handed in. */
    async stop() {
      await server.stop();
      if (!options.database) await database.drop();
    },
  };
}

export type TestServer = Awaited<ReturnType<typeof startTestServer>>;

/** REST as curl would speak it. */
export function client(url: string) {
  const request = async (path: string, init: RequestInit & { team?: Team | string } = {}): Promise<Answer> => {
    const { team, ...rest } = init;
    const teamId = typeof team === "string" ? team : team?.team_id;
    const headers = { ...(teamId && { "x-team-id": teamId }), ...(rest.headers as Record<string, string>) };
    const response = await fetch(`${url}/api${path}`, { ...rest, headers });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text.startsWith("{") ? JSON.parse(text) : text };
  };
  const get = (path: string, team?: Team | string, init: RequestInit = {}) =>
    request(path, { ...init, ...(team && { team }) });
  const post = (path: string, body: unknown, team?: Team | string, init: RequestInit = {}) =>
    request(path, {
      ...init,
      method: "POST",
      body: typeof body === "string" ? body : JSON.stringify(body),
      ...(team && { team }),
    });

  const succeed = (answer: Answer) => {
    if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  return {
    request,
    get,
    post,
    create: async (name = "Alex's Team", title = "A session"): Promise<Team> =>
      succeed(await post("/sessions", { title, description: "What it is for", creator_team_name: name })),
    join: async (session: Team, name = "Team Blue"): Promise<Team> =>
      succeed(await post(`/sessions/${session.ref}/join`, { team_name: name })),
    say: async (team: Team, text: string) =>
      succeed(await post(`/sessions/${team.ref}/messages`, { content: text }, team)),
    wait: (team: Team, query: Record<string, string | number> = {}, init: RequestInit = {}) =>
      get(`/sessions/${team.ref}/messages/wait?${new URLSearchParams(query as Record<string, string>)}`, team, init),
  };
}

/** Looks again and again until the probe answers with something true: no test sleeps and hopes. */
export async function until<T>(probe: () => Promise<T> | T, what: string, withinMs = 20_000): Promise<NonNullable<T>> {
  const deadline = Date.now() + withinMs;
  // Ever more rarely: who looks all the time takes the processor from what is looked for.
  for (let pause = 5; Date.now() < deadline; pause = Math.min(pause * 1.25, 50)) {
    const found = await probe();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
  throw new Error(`waited ${withinMs} ms in vain for ${what}`);
}
