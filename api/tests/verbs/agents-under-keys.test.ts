import { afterAll, beforeAll, expect, test } from "vitest";
import { as } from "../../../testing/access.ts";
import { makeKey } from "../../../testing/access-key.ts";
import type { Team } from "../../../testing/server.ts";
import { type Actor, createWorld, type World } from "../access/actors.ts";
import { agents } from "./runs.ts";
import { refusal } from "./work.ts";

let world: World;
beforeAll(async () => {
  world = await createWorld("keys");
  run.must(await run.offer("house", { max_runs: 20, accept: "key" }, { headers: world.headers["key run"] }));
});
afterAll(() => world?.parley.stop());

const run = agents(() => world.parley);
const take = async (): Promise<Team & { key: string }> =>
  run.must(await run.take("house", {}, { headers: world.headers["key run"] }));
const spawned = async () => {
  run.must(await run.spawn({ ...world.session }));
  return take();
};
const by = (actor: Actor) => as(world.parley, { headers: world.headers[actor] });
const at = (path: string) => `/sessions/${world.session.ref}/${path}`;

test("a spawned agent has a key that opens its session alone, and dies with its run, as its team does", async () => {
  const agent = await spawned();
  expect(agent.key).toMatch(/^pk_/);
  const headers = { authorization: `Bearer ${agent.key}` };
  const mine = as(world.parley, { headers });
  expect((await mine.get("/sessions")).body.sessions.map(({ ref }: Team) => ref)).toEqual([world.session.ref]);
  expect(await mine.post("/sessions", { title: "T", description: "", creator_team_name: "T" })).toMatchObject(
    refusal(403, "forbidden"),
  );
  run.must(await run.report(agent, { status: "working" }));
  run.must(await run.report(agent, { status: "failed", error: "It has crashed." }));
  expect(await mine.get("/sessions")).toMatchObject(refusal(401, "unauthorized"));
  expect(await run.report(agent)).toMatchObject(refusal(401, "unauthorized"));
  expect((await run.feed(world.session)).at(-1)).toMatchObject({ event: "team_left", reason: "It has crashed." });
});

test("a runner is gone when its key is", async () => {
  const headers = world.headers["key admin"];
  const { secret, key } = run.must(
    await world.parley.post("/keys", { name: "runner", scopes: ["admin"] }, undefined, { headers }),
  );
  expect(await run.offer("brief", {}, { headers: { authorization: `Bearer ${secret}` } })).toMatchObject(
    refusal(403, "forbidden", { scope: "run" }),
  );
  await by("owner").post(`/keys/${key}/revoke`);
  expect(await run.offer("brief", {}, { headers: { authorization: `Bearer ${secret}` } })).toMatchObject(
    refusal(401, "unauthorized"),
  );
  const listed = async () =>
    run.must(await by("member").get("/runners")).runners.map(({ runner }: { runner: string }) => runner);
  expect(await listed()).toEqual(["house"]);
  await run.sql(
    "update parley_private.keys set revoked_at = now() where id = (select key_id from parley_private.runners)",
  );
  expect(await listed()).toEqual([]);
  expect(await run.spawn(world.session)).toMatchObject(refusal(409, "no_runner"));
  await run.sql(
    "update parley_private.keys set revoked_at = null where id = (select key_id from parley_private.runners)",
  );
});

test("a runner whose key was revoked runs nothing any more: the feed says why, and the keys of its runs are dead", async () => {
  const secret = await makeKey(world.parley.database, { scopes: ["run"] });
  const init = { headers: { authorization: `Bearer ${secret}` } };
  run.must(await run.offer("attic", { agents: ["rare"], accept: "key" }, init));
  run.must(await run.spawn({ ...world.session }, { agent: "rare" }));
  const agent = run.must(await run.take("attic", {}, init));
  run.must(await run.report(agent, { status: "working" }));
  await run.sweep();
  run.must(await run.report(agent));
  await run.sql("update parley_private.keys set revoked_at = now() where prefix = $1", [secret.slice(0, 11)]);
  await run.sweep();
  expect((await run.feed(world.session)).at(-1)).toMatchObject({
    event: "team_left",
    reason: "The access of its runner attic was ended.",
  });
  expect((await run.list(world.session)).find(({ handle }: Team) => handle === agent.handle)).toMatchObject({
    status: "failed",
  });
  expect(await run.report(agent)).toMatchObject(refusal(401, "unauthorized"));
  const mine = as(world.parley, { headers: { authorization: `Bearer ${agent.key}` } });
  expect(await mine.get("/sessions")).toMatchObject(refusal(401, "unauthorized"));
});

test("agents end with the key of the team that has spawned them, also those that they have spawned in turn; not with a team that leaves", async () => {
  const keyed = await makeKey(world.parley.database, { scopes: ["team"] });
  const join = async (key: string): Promise<Team> =>
    run.must(
      await world.parley.post(at("join"), { team_name: "Spawner" }, undefined, {
        headers: { authorization: `Bearer ${key}` },
      }),
    );
  const spawner = await join(keyed);
  run.must(await run.spawn({ ...spawner }));
  const child = await take();
  run.must(await run.spawn({ ...child, ref: world.session.ref }));
  const grandchild = await take();
  const leaver = await join(await makeKey(world.parley.database, { scopes: ["team"] }));
  run.must(await run.spawn({ ...leaver }));
  const kept = await take();
  run.must(await world.parley.post(at("leave"), {}, leaver));
  // The end of one agent is not that of those that it has spawned.
  run.must(await run.report(child, { status: "stopped" }));
  await run.sweep();
  run.must(await run.report(grandchild));
  run.must(await by("key admin").post(`/keys/${keyed.slice(0, 11)}/revoke`));
  await run.sweep();
  expect(await run.report(grandchild)).toMatchObject(refusal(401, "unauthorized"));
  expect((await run.list(world.session)).find(({ handle }: Team) => handle === grandchild.handle)).toMatchObject({
    status: "stopped",
    error: "The access of whoever has started it was ended.",
  });
  run.must(await run.report(kept));
  run.must(await run.report(kept, { status: "stopped" }));
});

test("whoever lists runners is told of runs in sessions that they see", async () => {
  const secret = await makeKey(world.parley.database, { scopes: ["read", "team"] });
  const hidden = as(world.parley, { headers: { authorization: `Bearer ${secret}` } });
  const session = run.must(
    await hidden.post("/sessions", { title: "H", description: "", creator_team_name: "H", visibility: "members" }),
  );
  run.must(await run.spawn({ ...session }));
  const { running } = run.must(await by("member").get("/runners")).runners[0];
  const agent = await take();
  const house = async (actor: Actor) => run.must(await by(actor).get("/runners")).runners[0].running;
  expect(await house("member")).toBe(running);
  expect(await house("owner")).toBe(running + 1);
  run.must(await run.report(agent, { status: "stopped" }));
});

test("what an agent asks for is in the inbox of people, who need not sit down; of two who answer one has", async () => {
  const agent = await spawned();
  run.must(await run.ask(agent, { input: { path: "a.ts" }, options: ["yes", "no"] }));
  const { permissions } = run.must(await by("member").get("/inbox"));
  expect(permissions).toMatchObject([
    { ref: world.session.ref, handle: agent.handle, request: "r1", input: { path: "a.ts" } },
  ]);
  const answer = (actor: Actor) =>
    by(actor).post(at(`agents/${agent.handle}/permission`), { request: "r1", option: "yes" });
  expect(await answer("viewer")).toMatchObject(refusal(403, "forbidden"));
  const answered = await Promise.all([answer("member"), answer("owner")]);
  expect(answered.map(({ status }) => status).sort()).toEqual([200, 409]);
  expect(run.must(await by("member").get("/inbox")).permissions).toEqual([]);
  const joined = (await run.feed(world.session)).filter(
    ({ content }: { content: { kind?: string } }) => content.kind === "human",
  );
  expect(joined).toEqual([]);
  run.must(await run.report(agent, { status: "stopped" }));
});

test("guests see that agents run, and nothing of what they do; whoever sees the session reads it, by GraphQL too", async () => {
  const agent = await spawned();
  run.must(await run.report(agent, { status: "working", events: [{ kind: "say", title: "Hello" }] }));
  const guest = world.headers.guest["x-team-id"] as string;
  const asGuest = { ...world.session, team_id: guest };
  expect((await run.list(asGuest)).length).toBeGreaterThan(0);
  for (const refused of [
    run.spawn(asGuest),
    run.prompt(asGuest, agent, { prompt: "Do as I say." }),
    run.stop(asGuest, agent),
    world.parley.get(at(`agents/${agent.handle}/transcript`), guest),
  ])
    expect(await refused).toMatchObject(refusal(403, "forbidden"));
  const query = `{ sessions(first: 10) { nodes { ref runs(last: 1) { nodes {
    agent status team { handle } starter { handle } events(last: 5) { nodes { event kind title } } permissions { nodes { request } } } } } } }`;
  const seen = async (actor: Actor) => {
    const { data, errors } = await by(actor).graphql(query);
    expect(errors).toBeUndefined();
    return data.sessions.nodes.find(({ ref }: Team) => ref === world.session.ref)?.runs.nodes[0];
  };
  const events = { nodes: [{ event: 1, kind: "say", title: "Hello" }] };
  const run_ = {
    agent: "claude",
    status: "working",
    team: { handle: agent.handle },
    starter: { handle: world.session.handle },
  };
  expect(await seen("member")).toMatchObject({ ...run_, events });
  expect(await seen("guest")).toMatchObject({ ...run_, events: { nodes: [] } });
  expect(await seen("key of another session")).toBeUndefined();
  run.must(await run.report(agent, { status: "stopped" }));
});
