import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Writable } from "node:stream";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { metric, startOwnPostgres } from "../faults.ts";
import { asPerson, auth, makeLink } from "../people.ts";
import { connected } from "../postgres.ts";
import { startTestServer, type Team, type TestServer, until } from "../server.ts";

// A PostgreSQL that writes down everything: what it never gets, it cannot write down.
const TALKATIVE = {
  fsync: "off",
  log_statement: "all",
  log_min_messages: "debug1",
  log_min_error_statement: "debug5",
  log_min_duration_statement: "0",
  log_parameter_max_length: "-1",
  log_parameter_max_length_on_error: "-1",
  log_error_verbosity: "verbose",
};
const SPOKEN = "canary-words-that-may-be-kept";

let postgres: Awaited<ReturnType<typeof startOwnPostgres>>;
let parley: TestServer;
/** The same database behind doors that ask for keys. */
let guarded: TestServer;
let logged = "";
const secrets: string[] = [];
/** Of a confused agent, who puts it into arguments: those reach a PostgreSQL that logs parameters. */
const misplaced: string[] = [];
/** Every answer but those that issue a credential. */
const answers: string[] = [];

beforeAll(async () => {
  postgres = await startOwnPostgres(TALKATIVE);
  const destination = new Writable({
    write(line, _encoding, done) {
      logged += line;
      done();
    },
  });
  const log = pino({ level: "trace" }, destination);
  parley = await startTestServer({ database: postgres.database, worker: true, graphiql: true, log });
  guarded = await startTestServer({ database: postgres.database, access: "keys", log });
  await converse();
  await passDoors();
});
afterAll(async () => {
  await guarded?.stop();
  await parley?.stop();
  await postgres?.stop();
});

test("no credential is found in an answer that does not issue it", () => {
  expect(answers.length).toBeGreaterThan(50);
  expect(answers.join("\n")).toContain(SPOKEN);
  expectNone(answers.join("\n"), [...secrets, ...misplaced]);
});

test("no credential is found in the server's log, not even at trace level", () => {
  expect(logged).toContain("Something broke on purpose");
  expectNone(logged, [...secrets, ...misplaced]);
});

test("no credential is found in the log of a PostgreSQL that logs everything", () => {
  const written = readFileSync(join(postgres.dataDir, "postgres.log"), "utf8");
  expect(written).toContain(SPOKEN);
  expectNone(written);
});

test("no credential is found in a dump of all tables", async () => {
  const dump = await connected(postgres.database.url(), async (client) => {
    const { rows: tables } = await client.query<{ name: string }>(
      `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind in ('r', 'm') and n.nspname <> 'pg_toast' or c.relkind = 'v' and n.nspname !~ '^(pg_|information_)'`,
    );
    let text = "";
    for (const { name } of tables) {
      const { rows } = await client.query<{ row: string }>(`select t::text as row from ${name} t`);
      text += `${name}\n${rows.map(({ row }) => row).join("\n")}\n`;
    }
    return text;
  });
  expect(dump).toContain(SPOKEN);
  expect(dump).toContain("parley_private.credentials");
  expectNone(dump);
});

test("no credential is found in the files of the database", async () => {
  await connected(postgres.database.url(), (client) => client.query("checkpoint"));
  const files = readdirSync(postgres.dataDir, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath, file.name));
  const found = (needle: string) => files.filter((file) => readFileSync(file).includes(needle));
  expect(found(SPOKEN).length).toBeGreaterThan(0);
  for (const secret of secrets) expect(found(secret.slice(3))).toEqual([]);
});

function expectNone(text: string, unwanted = secrets) {
  for (const secret of unwanted) {
    const at = text.indexOf(secret.slice(3));
    expect(at < 0 ? "" : text.slice(Math.max(at - 200, 0), at + 60)).toBe("");
  }
}

async function send(path: string, init: RequestInit = {}, server = parley): Promise<string> {
  const response = await fetch(server.url + path, init);
  const text = await response.text();
  answers.push(`${response.status} ${JSON.stringify([...response.headers])} ${text}`);
  return text;
}

const get = (path: string, team?: string) => send(path, { headers: team ? { "x-team-id": team } : {} });
const post = (path: string, body: unknown, team?: string, headers: Record<string, string> = {}) =>
  send(path, {
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
    headers: { "content-type": "application/json", ...(team && { "x-team-id": team }), ...headers },
  });
const graphql = (query: string, variables = {}, team?: string) => post("/graphql", { query, variables }, team);
const tool = (name: string, args: object) =>
  post("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } });

function keep(team: Team): Team {
  expect(team.team_id).toMatch(/^pt_[\w-]{43}$/);
  secrets.push(team.team_id);
  return team;
}

/** Issues over every door, and takes the credential out of the answer. */
async function issueOverOtherDoors(ref: string) {
  const joined = await fetch(`${parley.url}/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      query: `mutation { joinSession(input: { sessionId: "${ref}", teamName: "Over GraphQL" }) { result { teamId ref handle } } }`,
    }),
  });
  const teamId = /"teamId":"(.*?)"/.exec(await joined.text())?.[1] as string;
  const called = await fetch(`${parley.url}/mcp`, {
    method: "POST",
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "join_session", arguments: { session_id: ref, team_name: "Over MCP" } },
    }),
  });
  const mcpTeam = /team_id (pt_[\w-]{43})/.exec(await called.text())?.[1] as string;
  const inLines = await fetch(`${parley.url}/api/sessions/${ref}/join?format=lines`, {
    method: "POST",
    body: JSON.stringify({ team_name: "In lines" }),
  });
  const lineTeam = /team_id (pt_[\w-]{43})/.exec(await inLines.text())?.[1] as string;
  for (const team_id of [teamId, mcpTeam, lineTeam]) keep({ team_id } as Team);
  return { graphqlTeam: teamId, mcpTeam };
}

/** All verbs over all doors, what goes well and what goes wrong. */
async function converse() {
  const alex = keep(await parley.create());
  const blue = keep(await parley.join(alex));
  const stranger = keep(await parley.create("Someone else"));
  const { graphqlTeam, mcpTeam } = await issueOverOtherDoors(alex.ref);
  const at = `/api/sessions/${alex.ref}`;

  const wait = get(`${at}/messages/wait?since_cursor=4`, blue.team_id);
  await until(async () => (await metric(parley.url, "parley_waiting_calls")) === 1, "the wait to be held");
  await post(`${at}/messages`, { content: SPOKEN }, alex.team_id);
  await wait;
  for (const team of [alex.team_id, stranger.team_id, undefined]) await everyVerb(at, team);
  await overMcp(alex.ref, mcpTeam);
  await overMcp(alex.ref, stranger.team_id);
  await overGraphQL(alex, graphqlTeam);
  await byInvitation(alex);
  await inTheWrongPlace(await parley.join(alex, "Confused"));
  await breakSomething(at, alex.team_id);

  await post(`${at}/leave`, {}, blue.team_id);
  await get(`${at}/participants`, blue.team_id);
  await post(`${at}/conclude`, { summary_section: "Done." }, alex.team_id);
  await post(`${at}/messages`, { content: "too late" }, alex.team_id);
  for (const path of [
    "/",
    "/docs",
    "/metrics",
    "/readyz",
    "/AGENTS.md",
    `/s/${alex.ref}/AGENTS.md`,
    "/api/openapi.json",
  ]) {
    await get(path, alex.team_id);
  }
}

/** Invitations, by all ways in which one is shown. */
async function byInvitation({ ref, team_id }: Team) {
  const issue = async (path = "", body: object = {}) => {
    const init = { method: "POST", headers: { "x-team-id": team_id }, body: JSON.stringify({ uses: 2, ...body }) };
    const [invite] =
      /pi_[\w-]{43}/.exec(await (await fetch(`${parley.url}/api/sessions/${ref}/invites${path}`, init)).text()) ?? [];
    secrets.push(invite as string);
    return invite as string;
  };
  const join = async (headers: Record<string, string>, args: object) => {
    const [rest, called] = [
      await fetch(`${parley.url}/api/sessions/${ref}/join`, {
        method: "POST",
        headers,
        body: JSON.stringify({ team_name: "Guest", ...args }),
      }),
      await fetch(`${parley.url}/mcp`, {
        method: "POST",
        headers,
        body: JSON.stringify({
          ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
          params: { name: "join_session", arguments: { session_id: ref, team_name: "Guest", ...args } },
        }),
      }),
    ];
    for (const answer of [rest, called]) {
      const [joined] = /pt_[\w-]{43}/.exec(await answer.text()) ?? [];
      if (joined) secrets.push(joined);
    }
  };
  for (const path of ["", "?format=lines"]) await join({}, { invite: await issue(path) });
  await join({ authorization: `Bearer ${await issue()}` }, {});
  // Used up, unknown, and in the wrong place: refused, and not repeated.
  const used = secrets.findLast((secret) => secret.startsWith("pi_")) as string;
  for (const invite of [used, used.toLowerCase()])
    await post(`/api/sessions/${ref}/join`, { team_name: "Late", invite });
  await post("/api/invites/accept", { invite: used });
  await post(`/api/sessions/${ref}/join`, { team_name: "Late", invite: [used] });
  await get(`/api/sessions/${ref}`, undefined);
  await post(`/api/sessions/${ref}/invites/revoke`, {}, team_id);
}

async function everyVerb(at: string, team: string | undefined) {
  await get(at, team);
  await get(`${at}/participants`, team);
  await get(`${at}/messages?limit=500`, team);
  await get(`${at}/messages?limit=0`, team);
  await get(`${at}/messages/wait?timeout=0`, team);
  await get(`${at}/messages/wait?since_cursor=999`, team);
  await get(`${at}/doc`, team);
  await post(`${at}/messages`, { content: { text: SPOKEN } }, team);
  await post(`${at}/messages`, { content: 5, type: "system" }, team);
  await post(`${at}/messages`, "{not json", team);
  await post(`${at}/messages`, `{"content": "\\u0000"}`, team);
  await post(`${at}/doc`, { content: "# Notes", expected_version: 99 }, team);
  await post(`${at}/doc/append`, { text: SPOKEN }, team);
  await post(`${at}/metadata`, { title: "Another title", reason: "A better name" }, team);
  await post(`${at}/metadata`, { title: "No reason" }, team);
  await post(`${at}/join`, { team_name: "" }, team);
  await get("/api/sessions/no-such-session-1", team);
  await send(`${at}/doc`, { method: "DELETE", headers: team ? { "x-team-id": team } : {} });
  await send(at, { headers: { ...(team && { "x-team-id": team }), origin: "https://elsewhere.example" } });
}

async function overMcp(session_id: string, team_id: string) {
  for (const [name, args] of [
    ["list_participants", {}],
    ["get_session", {}],
    ["wait_for_messages", { timeout: 0 }],
    ["post_message", { content: SPOKEN }],
    ["post_message", { content: SPOKEN, colour: "red" }],
    ["get_history", { limit: -1 }],
    ["read_session_doc", { version: 4_000 }],
    ["append_to_session_doc", { text: SPOKEN }],
    ["conclude_session", {}],
    ["no_such_tool", {}],
  ] as const) {
    await tool(name, { session_id, team_id, ...args });
  }
}

async function overGraphQL({ ref, session_id }: Team, team: string) {
  const all = `{
    sessions { nodes { id ref title description status sessionDoc
      messages { nodes { id sequence type content postedBy { handle teamName } } }
      participants { nodes { id handle teamName kind convener cursor ackedCursor joinedAt leftAt lastSeenAt status listening } }
      sessionDocHistories { nodes { version content writtenBy { handle } } } } }
    settings { nodes { name value defaultValue description } }
  }`;
  await graphql(all);
  await graphql(
    `query ($id: String!) { listParticipants(sessionId: $id) { participants { handle you } } }`,
    { id: ref },
    team,
  );
  await graphql(
    `mutation ($id: String!) { postMessage(input: { sessionId: $id, content: "${SPOKEN}" }) { result { cursor } } }`,
    { id: session_id },
    team,
  );
  await graphql(
    `mutation ($id: String!) { updateSessionDoc(input: { sessionId: $id, content: "x", expectedVersion: 99 }) { result { version } } }`,
    { id: ref },
    team,
  );
  await graphql("{ participants { nodes { credentialHash teamId } } }", {}, team);
  await graphql("{ not graphql", {}, team);
  await graphql("{ __schema { types { name fields { name } } } }", {}, team);
}

/** A confused agent puts its credential where it does not belong: it is refused, and not repeated. */
async function inTheWrongPlace({ ref, team_id }: Team) {
  misplaced.push(team_id);
  await get(`/api/sessions/${ref}/participants?team_id=${team_id}`);
  await get(`/api/sessions/${team_id}`, team_id);
  await get(`/api/sessions/${ref}/messages/wait?since_cursor=${team_id}`, team_id);
  await post(`/api/sessions/${ref}/messages`, { content: "x", team_id }, team_id);
  await post(`/api/sessions/${ref}/messages`, { content: "x", type: team_id }, team_id);
  await post(`/api/sessions/${ref}/messages`, { content: "x" }, undefined, { authorization: `Bearer ${team_id}` });
  await tool("list_participants", { session_id: team_id, team_id });
  await tool("get_history", { session_id: ref, team_id, limit: team_id });
  await graphql("query ($id: String!) { getSession(sessionId: $id) { title } }", { id: team_id }, team_id);
}

/** A bug in a verb: the log gets the details, and they must not hold the credential. */
async function breakSomething(at: string, team: string) {
  const sql = (text: string) => connected(postgres.database.url(), async (client) => (await client.query(text)).rows);
  const [{ healthy }] = await sql("select pg_get_functiondef('parley.get_session'::regproc) as healthy");
  await sql(`create or replace function parley.get_session(session_id text) returns parley.session_details
    language plpgsql stable set search_path = '' as $$ begin assert false, 'Something broke on purpose'; end $$`);
  await get(at, team);
  await tool("get_session", { session_id: at.split("/").at(-1), team_id: team });
  await graphql("query ($id: String!) { getSession(sessionId: $id) { title } }", { id: at.split("/").at(-1) }, team);
  await sql(healthy);
}

/** Links, cookies and keys: made over every door that makes them, shown at every door, and put where they do not belong. */
async function passDoors() {
  type Headers = Record<string, string>;
  const init = (headers: Headers, body?: object) => ({
    headers: { "content-type": "application/json", ...headers },
    ...(body && { method: "POST", body: JSON.stringify(body) }),
  });
  const ask = (path: string, headers: Headers, body?: object) => send(path, init(headers, body), guarded);
  /** An answer that issues something; what it is. */
  const issued = async (path: string, headers: Headers, body: object, secret: RegExp) =>
    hide(secret.exec(await (await fetch(guarded.url + path, init(headers, body))).text())?.[0]);
  const hide = (secret: string | undefined, among = secrets) => {
    expect(secret).toMatch(/[\w-]{43}$/);
    among.push(secret as string);
    return secret as string;
  };
  const signIn = async (token: string) => {
    const { setCookie } = await auth(guarded, "/sign-in", { token });
    hide(/=([^;]+)/.exec(setCookie)?.[1]);
    return asPerson(guarded, setCookie);
  };
  const LINK = /pl_[\w-]{43}/;
  const KEY = /pk_\w{8}_[\w-]{43}/;
  const INVITE = `mutation { invitePerson(input: { name: "Edith" }) { result { link } } }`;

  const ada = await signIn(hide(await makeLink(guarded, "Ada", "owner")));
  const used = await issued("/api/people", ada, { name: "Grace" }, LINK);
  const unused = await issued("/graphql", ada, { query: INVITE }, LINK);
  const key = await issued("/api/keys", ada, { name: "CI", scopes: ["read", "team", "admin"] }, KEY);
  const grace = await signIn(used);
  const shown: Headers[] = [ada, grace, { authorization: `Bearer ${key}` }, { "x-mcp-token": key }];
  for (const headers of shown) {
    for (const path of ["/auth/me", "/api/people", "/api/audit", "/api/keys", "/api/sessions", "/metrics"])
      await ask(path, headers);
    const query =
      "{ listPeople { people { name browsers { by } } } listKeys { keys { key } } listAudit { entries { details } } }";
    await ask("/graphql", headers, { query });
    const params = { name: "list_people", arguments: {} };
    await ask("/mcp", headers, { jsonrpc: "2.0", id: 1, method: "tools/call", params });
    await ask("/auth/sign-in", headers, { token: used });
    await ask("/auth/link", headers, { token: unused });
    await ask(`/sign-in?token=${unused}`, headers);
    await ask("/auth/me", { ...headers, origin: "https://elsewhere.example" });
  }
  await inTheWrongField(hide(await makeLink(guarded, "Lost", "member"), misplaced), ask, ada);
  await ask(`/api/keys/${key.slice(0, 11)}/revoke`, ada, {});
  await ask("/auth/sign-out-everywhere", ada, {});
  for (const headers of shown) await ask("/api/people", headers);
}

async function inTheWrongField(
  secret: string,
  ask: (path: string, headers: Record<string, string>, body?: object) => Promise<string>,
  headers: Record<string, string>,
) {
  await ask(`/api/sessions/${secret}`, headers);
  await ask(`/api/people?token=${secret}`, headers);
  await ask(`/api/keys/${secret}/revoke`, headers, {});
  await ask(`/api/people/${secret}/remove`, headers, {});
  await ask("/api/people", headers, { role: secret });
  await ask("/auth/name", headers, { name: 5, token: secret });
  await ask("/auth/link", headers, { token: { secret } });
}
