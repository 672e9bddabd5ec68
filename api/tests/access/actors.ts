import { as, bearer, codeOf, makeKey, signIn } from "../../../testing/access.ts";
import { startTestServer, type Team, type TestServer } from "../../../testing/server.ts";
import type { Access } from "../../config.ts";

export const ACTORS = [
  ...(["nobody", "expired key", "revoked key", "removed team", "team whose key died"] as const),
  ...(["key read", "key team", "key run", "key admin", "key of the session", "key of another session"] as const),
  ...(["viewer", "member", "owner"] as const),
  ...(["convener", "team", "guest", "team of another session", "invitation"] as const),
];
export type Actor = (typeof ACTORS)[number];
export type Headers = Record<string, string>;

export interface World {
  parley: TestServer;
  access: Access;
  headers: Record<Actor, Headers>;
  session: Team;
  closed: Team;
  /** A key and an invitation to be revoked and accepted. */
  victimKey: string;
  invite: string;
}

/** One server with everybody who may come to its doors, and a session in which all of them could have something to do. */
export async function createWorld(access: Access): Promise<World> {
  const parley = await startTestServer({ access });
  const house = await makeKey(parley, ["read", "team", "run", "admin"]);
  const admin = as(parley, { headers: bearer(house) });
  const create = async () =>
    must(await admin.post("/sessions", { title: "T", description: "", creator_team_name: "Convener" }));
  const session = await create();
  const join = async (team_name: string, key = house, more = {}): Promise<Team> => {
    const headers = key ? bearer(key) : {};
    return must(await parley.post(`/sessions/${session.ref}/join`, { team_name, ...more }, undefined, { headers }));
  };
  const post = async (path: string, body: object) =>
    must(await parley.post(`/sessions/${session.ref}${path}`, body, session));

  must(await admin.post("/boards", { name: "Board" }));
  await post("/place", { board: "board" });
  const team = await join("Team");
  // Message 2 is an ask, 3 a question of the convener.
  await post("/ask", { question: "Which?" });
  await post("/messages", { content: "Who?", kind: "question" });
  const { invite } = (await post("/invites", { uses: 1000 })) as unknown as { invite: string };
  const guest = await join("Guest", "", { invite });
  await join("Victim");
  const removed = await join("Removed");
  await post("/remove", { handle: removed.handle });
  const dying = await makeKey(parley, ["team"]);
  const dead = await join("Dead", dying);
  const revoked = await makeKey(parley, ["read"]);
  for (const key of [dying, revoked]) must(await admin.post(`/keys/${key.slice(0, 11)}/revoke`));
  const [other, closed] = [await create(), await create()];
  must(await parley.post(`/sessions/${closed.ref}/conclude`, { summary_section: "Done." }, closed));

  const keyed = async (scopes: string[], ref?: string, expires?: string) =>
    bearer(await makeKey(parley, scopes, ref ?? null, expires));
  const seated = ({ team_id }: Team) => ({ "x-team-id": team_id });
  return {
    ...{ parley, access, session, closed, invite },
    victimKey: (await makeKey(parley, ["read"])).slice(0, 11),
    headers: {
      nobody: {},
      "expired key": await keyed(["read", "team"], undefined, "-1 minute"),
      "revoked key": bearer(revoked),
      "removed team": seated(removed),
      "team whose key died": seated(dead),
      "key read": await keyed(["read"]),
      "key team": await keyed(["team"]),
      "key run": await keyed(["run"]),
      "key admin": await keyed(["admin"]),
      "key of the session": await keyed(["read", "team"], session.ref),
      "key of another session": await keyed(["read", "team"], other.ref),
      viewer: (await signIn(parley, "Vera", "viewer")).headers,
      member: (await signIn(parley, "Mia", "member")).headers,
      owner: (await signIn(parley, "Olga", "owner")).headers,
      convener: seated(session),
      team: seated(team),
      guest: seated(guest),
      "team of another session": seated(other),
      invitation: bearer(invite),
    },
  };
}

function must(answer: Awaited<ReturnType<TestServer["get"]>>): Team {
  if (answer.status !== 200) throw new Error(`${codeOf(answer)} ${answer.body.error.message}`);
  return answer.body;
}
