import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connected, createTestDatabase } from "../../../testing/postgres.ts";
import type { Access } from "../../config.ts";
import { asRole } from "../../postgres/database.ts";
import type { Catalogue, Verb } from "../../verbs/catalogue.ts";
import { statementOf } from "../../verbs/statement.ts";
import { ACTORS, type Actor, createWorld, type World } from "./actors.ts";
import { expectedOf, expectedOfAnybodyKnown, expectedOfReader } from "./expected.ts";
import { type Operation, operationsOf } from "./operations.ts";
import { catalogueOf, sampleOf } from "./samples.ts";
import { beginningOf, openSocket } from "./sockets.ts";
import { byGraphQL, byMcp, byRest, callerWith, outcomeOfError, rpc } from "./surfaces.ts";

/** Everything that can be asked for, by everybody who may ask: made from the catalogue, so that a new verb is in it by itself. */
describe.each<Access>(["open", "keys"])("with %s access", { timeout: 240_000 }, (access) => {
  let world: World;
  let catalogue: Catalogue;
  let operations: Operation[];

  beforeAll(async () => {
    world = await createWorld(access);
    catalogue = await catalogueOf(world.parley.database);
    operations = await operationsOf(world, catalogue.verbs, argsOf);
  });
  afterAll(() => world?.parley.stop());

  const argsOf = (verb: Verb) => {
    const { session, closed, victimKey, invite } = world;
    const { ref } = verb.name === "resume_session" ? closed : session;
    return sampleOf(verb, { session_id: ref, key: victimKey, ...(verb.name === "accept_invite" && { invite }) });
  };
  const nameOf = ({ name }: { name: string }) => name;
  const codeOf = (outcome: string | undefined) => outcome?.replace(/^\d+ /, "");
  const expected = (verb: Verb, actor: Actor) => expectedOf(verb, actor, access);
  /** Whoever may write would change the world for the others: over the wire they are refused, or read. */
  const unchanging = (verb: Verb, actor: Actor) => {
    const outcome = expected(verb, actor);
    return outcome === "ok" && !verb.readonly ? undefined : outcome;
  };
  const isBlind = (actor: Actor) => access === "keys" && actor === "key of another session";
  const readers = (actor: Actor) => expectedOfReader(actor, access);

  test("every verb lets in whom it should, and no other", async () => {
    const url = asRole(world.parley.database.url("parley_server"), "parley_caller", { "parley.access": access });
    const client = new pg.Client(url);
    await client.connect();
    // In a transaction that is rolled back: who may conclude, leave and revoke does so, and nothing of it lasts.
    const attempt = async (verb: Verb, actor: Actor) => {
      const args = new Map(Object.entries(argsOf(verb)));
      for (const { name, type } of verb.arguments)
        if (type === "jsonb" && args.has(name)) args.set(name, JSON.stringify(args.get(name)));
      const { text, values } = statementOf(verb, args, callerWith(world.headers[actor]));
      await client.query("begin");
      const outcome = await client.query(text, values).then(() => "ok", outcomeOfError);
      await client.query("rollback");
      return outcome;
    };
    expect(catalogue.verbs.length).toBeGreaterThan(35);
    expect(await differences(catalogue.verbs, nameOf, expected, attempt, 1)).toEqual([]);
    await client.end();
  });

  test("REST refuses the same, and answers whoever may read", async () => {
    const ask = (verb: Verb, actor: Actor) => byRest(world.parley.url, verb, argsOf(verb), world.headers[actor]);
    expect(await differences(catalogue.verbs, nameOf, unchanging, ask)).toEqual([]);
  });

  test("MCP refuses the same, and lists for whoever is known", async () => {
    const { url } = world.parley;
    const ask = (verb: Verb, actor: Actor) => byMcp(url, verb, argsOf(verb), world.headers[actor]);
    const refused = (verb: Verb, actor: Actor) =>
      expected(verb, actor) === "ok" ? undefined : codeOf(expected(verb, actor));
    expect(await differences(catalogue.verbs, nameOf, refused, ask)).toEqual([]);
    const list = (method: string, actor: Actor) => rpc(url, { jsonrpc: "2.0", id: 1, method }, world.headers[actor]);
    const known = (_: string, actor: Actor) => codeOf(expectedOfAnybodyKnown(actor, access));
    expect(await differences(["tools/list", "prompts/list"], String, known, list)).toEqual([]);
    const reads = (_: string, actor: Actor) => codeOf(readers(actor));
    expect(await differences(["resources/list", "resources/templates/list"], String, reads, list)).toEqual([]);
  });

  test("every MCP resource is read by whoever may read and sees the session", async () => {
    const uris = catalogue.resources.map(({ uriTemplate }) =>
      uriTemplate.replace("{ref}", world.session.ref).replace("{board}", "board"),
    );
    expect(uris.length).toBeGreaterThan(3);
    const missing = (uri: string) => (uri.includes(world.session.ref) ? "session_not_found" : "board_not_found");
    const seen = (uri: string, actor: Actor) => (isBlind(actor) ? missing(uri) : codeOf(readers(actor)));
    const read = (uri: string, actor: Actor) =>
      rpc(world.parley.url, { jsonrpc: "2.0", id: 1, method: "resources/read", params: { uri } }, world.headers[actor]);
    expect(await differences(uris, String, seen, read)).toEqual([]);
  });

  test("every root field of GraphQL is for whom it should be", async () => {
    const asked = operations.filter(({ kind }) => kind !== "subscription");
    expect(asked.length).toBeGreaterThan(50);
    const rule = ({ kind, verb, name }: Operation, actor: Actor) => {
      if (verb) return unchanging(verb, actor);
      if (name === "listBoardRows" && isBlind(actor)) return "404 board_not_found";
      if (kind === "query" || readers(actor) !== "ok") return readers(actor);
      // What the page changes without a verb: settings, and what concerns one person alone.
      const who = name === "updateSetting" ? "key admin" : "person";
      return unchanging({ name, who, readonly: false } as Verb, actor);
    };
    const ask = ({ query }: Operation, actor: Actor) => byGraphQL(world.parley.url, query, world.headers[actor]);
    expect(await differences(asked, nameOf, rule, ask)).toEqual([]);
  });

  test("every subscription is for whoever may read and sees the session", async () => {
    const asked = operations.filter(({ kind }) => kind === "subscription");
    expect(asked.length).toBeGreaterThan(6);
    const sockets = new Map(ACTORS.map((actor) => [actor, openSocket(world.parley.url, world.headers[actor])]));
    const rule = ({ ofSession }: Operation, actor: Actor) =>
      ofSession && isBlind(actor) ? "404 session_not_found" : readers(actor);
    const ask = ({ query }: Operation, actor: Actor) => beginningOf(sockets.get(actor) as never, query);
    expect(await differences(asked, nameOf, rule, ask)).toEqual([]);
    for (const socket of sockets.values()) await socket.dispose();
  });

  test("every other route is open, or for whoever may read", async () => {
    const guide = `/s/${world.session.ref}/AGENTS.md`;
    const open = ["/livez", "/readyz", "/AGENTS.md", "/llms.txt", "/parley.sh", guide];
    const forReaders = ["/metrics", "/docs", "/api/openapi.json"];
    const ask = async (path: string, actor: Actor) => {
      const answer = await fetch(world.parley.url + path, { headers: world.headers[actor] });
      const text = await answer.text();
      return answer.status === 200 ? "ok" : `${answer.status} ${JSON.parse(text).error.code}`;
    };
    const rule = (path: string, actor: Actor) => {
      if (forReaders.includes(path)) return readers(actor);
      return path === guide && isBlind(actor) ? "404 session_not_found" : "ok";
    };
    expect(await differences([...open, ...forReaders], String, rule, ask)).toEqual([]);
  });
});

/** Asks for every pair, a few at a time, and tells where the answer is not the one that was said; undefined: not asked. */
async function differences<Item>(
  items: Item[],
  nameOf: (item: Item) => string,
  expected: (item: Item, actor: Actor) => string | undefined,
  ask: (item: Item, actor: Actor) => Promise<string>,
  atOnce = 6,
): Promise<string[]> {
  const pairs = items.flatMap((item) => ACTORS.map((actor) => ({ item, actor, said: expected(item, actor) })));
  const asked = pairs.filter(({ said }) => said !== undefined);
  const found: string[] = [];
  const work = async () => {
    for (let pair = asked.pop(); pair; pair = asked.pop()) {
      const answered = await ask(pair.item, pair.actor);
      if (answered !== pair.said) found.push(`${nameOf(pair.item)} by ${pair.actor}: ${answered}, not ${pair.said}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return found.sort();
}

test("a verb that is added is in the matrix by itself, and fails if nobody has said what it takes and what it should do", async () => {
  const database = await createTestDatabase();
  try {
    const add = (name: string, args: string, who: string) =>
      connected(database.url("parley_owner"), (client) =>
        client.query(`
          create function parley.${name}(${args}) returns text language sql stable set search_path = '' as $f$ select 'told' $f$;
          grant execute on function parley.${name} to parley_caller;
          comment on function parley.${name} is E'@verb GET /${name}\\n@who ${who}\\n@readonly\\nFor a test.'`),
      );
    await add("told_to_all", "", "open");
    await add("told_to_teams", "colour text", "team");
    const { byName } = await catalogueOf(database);
    expect(() => expectedOf(byName.get("told_to_all") as Verb, "nobody", "keys")).toThrow("nobody has said");
    expect(() => sampleOf(byName.get("told_to_teams") as Verb, {})).toThrow("say in samples.ts");
    expect(expectedOf(byName.get("told_to_teams") as Verb, "nobody", "keys")).toBe("401 unauthorized");
  } finally {
    await database.drop();
  }
});
