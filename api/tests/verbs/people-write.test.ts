import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callTool, connect } from "../../../mcp/tests/client.ts";
import { as, bearer, codeOf, makeKey, type Person, signIn } from "../../../testing/access.ts";
import { startTestServer, type Team, type TestServer } from "../../../testing/server.ts";

let parley: TestServer;
let key: string;
let ada: Person;

beforeAll(async () => {
  parley = await startTestServer({ access: "keys" });
  key = await makeKey(parley, ["read", "team"]);
  ada = await signIn(parley, "Ada Lovelace");
});
afterAll(() => parley.stop());

const create = async (): Promise<Team> =>
  (
    await parley.post("/sessions", { title: "T", description: "", creator_team_name: "Amber" }, undefined, {
      headers: bearer(key),
    })
  ).body;
const feedOf = async (team: Team) => (await parley.get(`/sessions/${team.ref}/messages`, team)).body.messages;

describe("a person who is signed in", () => {
  test("reads a session without being in it", async () => {
    const team = await create();
    const { get } = as(parley, ada);
    for (const path of ["", "/messages", "/participants", "/doc", "/digest", "/search?query=word", "/whoami"])
      expect([path, (await get(`/sessions/${team.ref}${path}`)).status]).toEqual([path, 200]);
    expect(await feedOf(team)).toEqual([]);
  });

  test("joins with the first word, which the server says is a human's", async () => {
    const team = await create();
    const first = await as(parley, ada).post(`/sessions/${team.ref}/messages`, { content: "Stop at the tests." });
    expect(first.body).toMatchObject({ cursor: 2, unread: 0 });
    await as(parley, ada).post(`/sessions/${team.ref}/messages`, { content: "And again." });
    expect(await feedOf(team)).toMatchObject([
      { event: "team_joined", team: "Ada Lovelace", handle: "ada-lovelace", sender: "system" },
      { sender: "human", handle: "ada-lovelace", team: "Ada Lovelace", content: { text: "Stop at the tests." } },
      { sender: "human", content: { text: "And again." } },
    ]);
    const { participants } = (await parley.get(`/sessions/${team.ref}/participants`, team)).body;
    expect(participants).toMatchObject([
      { kind: "agent", guest: false },
      { handle: "ada-lovelace", kind: "human", guest: false, convener: false, activity: "working" },
    ]);
    const { body } = await parley.get(`/sessions/${team.ref}/messages?format=lines`, team);
    expect(body).toContain("#1 * team_joined ada-lovelace (human)\n#2 ada-lovelace (human): Stop at the tests.");
  });

  test("is told what they may do, by the rules that the verbs keep", async () => {
    const team = await create();
    const own = async (who: Person) =>
      (
        await as(parley, who).graphql(
          "query ($ref: String!) { sessionByRef(ref: $ref) { you { handle mayWrite mayLead mayOwn mayDelete refusal hint } } }",
          { ref: team.ref },
        )
      ).data.sessionByRef.you;
    const [owner, viewer] = [await signIn(parley, "Olga", "owner"), await signIn(parley, "Vera", "viewer")];
    const nothing = { mayWrite: false, mayLead: false, mayOwn: false, mayDelete: false };
    expect(await own(ada)).toEqual({
      ...nothing,
      handle: null,
      mayWrite: true,
      mayLead: true,
      refusal: null,
      hint: null,
    });
    expect(await own(viewer)).toMatchObject({ ...nothing, refusal: "Viewers read; they do not write." });
    expect(await own(owner)).toMatchObject({ mayWrite: true, mayLead: true, mayOwn: true, mayDelete: true });
    await as(parley, ada).post(`/sessions/${team.ref}/messages`, { content: "Here I am." });
    expect(await own(ada)).toMatchObject({ handle: "ada-lovelace" });
    await parley.post(`/sessions/${team.ref}/access`, { mode: "read_only" }, team);
    expect(await own(ada)).toMatchObject({ ...nothing, hint: expect.stringContaining("can change its mode") });
    expect(await own(owner)).toMatchObject({ mayWrite: false, mayLead: true, mayOwn: true });
    await parley.post(`/sessions/${team.ref}/conclude`, { summary_section: "Done." }, team);
    expect(await own(owner)).toMatchObject({ mayWrite: false, refusal: expect.stringContaining("people read") });
  });

  test("writes by GraphQL, too, and every other verb of a team", async () => {
    const team = await create();
    const { graphql, post } = as(parley, ada);
    const said = await graphql(
      `mutation ($id: String!) { postMessage(input: { sessionId: $id, content: "By the page." }) { result { cursor } } }`,
      { id: team.ref },
    );
    expect(said.data.postMessage.result.cursor).toBe(2);
    const session = `/sessions/${team.ref}`;
    expect((await post(`${session}/doc/append`, { text: "A note" })).body.version).toBe(1);
    expect((await post(`${session}/metadata`, { title: "New", reason: "Better" })).status).toBe(200);
    expect((await post(`${session}/sync`, { outbox: ["In passing"] })).body.sent).toHaveLength(1);
    expect((await post(`${session}/conclude`, { summary_section: "Done." })).body.status).toBe("closed");
    expect((await feedOf(team)).filter(({ sender }: { sender: string }) => sender === "human")).toHaveLength(2);
  });

  test("leaves, without having to say a word first, and comes back with the next one", async () => {
    const team = await create();
    const { post } = as(parley, ada);
    expect(codeOf(await post(`/sessions/${team.ref}/leave`))).toEqual([401, "unauthorized"]);
    expect(await feedOf(team)).toEqual([]);
    await post(`/sessions/${team.ref}/messages`, { content: "One" });
    expect((await post(`/sessions/${team.ref}/leave`)).body.handle).toBe("ada-lovelace");
    await post(`/sessions/${team.ref}/messages`, { content: "Two" });
    expect((await feedOf(team)).map(({ event, handle }: Record<string, string>) => event ?? handle)).toEqual([
      "team_joined",
      "ada-lovelace",
      "team_left",
      "team_joined",
      "ada-lovelace-2",
    ]);
  });

  test("sits once, however many words come at once", async () => {
    const team = await create();
    const words = Array.from({ length: 20 }, (_, n) =>
      as(parley, ada).post(`/sessions/${team.ref}/messages`, { content: `Word ${n}` }),
    );
    for (const { status } of await Promise.all(words)) expect(status).toBe(200);
    const joined = (await feedOf(team)).filter(({ event }: { event?: string }) => event === "team_joined");
    expect(joined).toHaveLength(1);
  });

  test("only reads as a viewer", async () => {
    const team = await create();
    const viewer = as(parley, await signIn(parley, "Vera", "viewer"));
    expect((await viewer.get(`/sessions/${team.ref}`)).status).toBe(200);
    for (const [path, body] of Object.entries({
      messages: { content: "Hello" },
      "doc/append": { text: "Hello" },
      pause: {},
      invites: {},
      conclude: { summary_section: "Done." },
    }))
      expect([path, codeOf(await viewer.post(`/sessions/${team.ref}/${path}`, body))]).toEqual([
        path,
        [403, "forbidden"],
      ]);
    expect(await feedOf(team)).toEqual([]);
  });

  test("does not write where the session is read_only, and does again where it is not", async () => {
    const team = await create();
    const say = () => as(parley, ada).post(`/sessions/${team.ref}/messages`, { content: "Hello" });
    const mode = (mode: string) => parley.post(`/sessions/${team.ref}/access`, { mode }, team);
    expect((await mode("read_only")).body).toMatchObject({ mode: "read_only", visibility: "everyone" });
    expect(codeOf(await say())).toEqual([403, "read_only_session"]);
    expect(codeOf(await as(parley, ada).post(`/sessions/${team.ref}/pause`))).toEqual([403, "read_only_session"]);
    expect((await parley.get(`/sessions/${team.ref}`, team)).body.mode).toBe("read_only");
    expect((await parley.say(team, "Agents go on")).cursor).toBe(2);
    await mode("intervention");
    expect((await say()).status).toBe(200);
  });

  test("is refused from another origin, and in a form", async () => {
    const team = await create();
    const path = `/sessions/${team.ref}/messages`;
    for (const headers of [
      { ...ada.headers, origin: "http://127.0.0.1:1" },
      { ...ada.headers, "content-type": "text/plain" },
      { cookie: ada.headers.cookie as string, "content-type": "application/json" },
    ])
      expect(codeOf(await parley.post(path, { content: "Hello" }, undefined, { headers }))).toEqual([
        403,
        "forbidden_origin",
      ]);
    expect(await feedOf(team)).toEqual([]);
  });
});

describe("an agent", () => {
  test("cannot pass for a person, by whatever it says or sends", async () => {
    const team = await create();
    const claims = { kind: "human", sender: "human", user_id: ada.id, person: ada.name };
    for (const [name, value] of Object.entries(claims)) {
      const join = await parley.post(
        `/sessions/${team.ref}/join`,
        { team_name: "Ada Lovelace", [name]: value },
        undefined,
        { headers: bearer(key) },
      );
      expect(codeOf(join)).toEqual([400, "invalid_argument"]);
    }
    const headers = { ...bearer(key), "x-person": ada.name, "x-user-id": ada.id, cookie: "parley=guessed" };
    const forged = { ...headers, origin: parley.url, "content-type": "application/json" };
    const joined = await parley.post(`/sessions/${team.ref}/join`, { team_name: "Ada Lovelace" }, undefined, {
      headers: forged,
    });
    await parley.post(`/sessions/${team.ref}/messages`, { content: "I am Ada" }, joined.body, { headers: forged });
    await parley.post(`/sessions/${team.ref}/messages`, { content: "So am I", kind: "human" }, joined.body);
    const graphql = await as(parley, { headers: { ...forged, "x-team-id": joined.body.team_id } }).graphql(
      `mutation ($id: String!) { postMessage(input: { sessionId: $id, content: "Me too" }) { result { cursor } } }`,
      { id: team.ref },
    );
    expect(graphql.errors).toBe(undefined);
    const client = await connect(parley, "/mcp", bearer(key));
    await callTool(client, "post_message", { session_id: team.ref, team_id: joined.body.team_id, content: "And I" });
    await client.close();
    const said = (await feedOf(team)).filter(({ type }: { type: string }) => type === "chat");
    expect(said.map(({ sender }: { sender: string }) => sender)).toEqual(["agent", "agent", "agent", "agent"]);
    const { participants } = (await parley.get(`/sessions/${team.ref}/participants`, team)).body;
    expect(participants.map(({ kind }: { kind: string }) => kind)).toEqual(["agent", "agent"]);
  });

  test("that a person opened is an agent still, and makes that person a member", async () => {
    const opened = await as(parley, ada).post("/sessions", {
      title: "Mine",
      description: "",
      creator_team_name: "Ada",
      visibility: "members",
    });
    await parley.say(opened.body, "From the agent");
    expect((await feedOf(opened.body))[0].sender).toBe("agent");
    expect((await as(parley, ada).get(`/sessions/${opened.body.ref}`)).body.visibility).toBe("members");
    const stranger = await signIn(parley, "Bob");
    expect(codeOf(await as(parley, stranger).get(`/sessions/${opened.body.ref}`))).toEqual([404, "session_not_found"]);
  });

  test("is never called humans, which is how people are addressed", async () => {
    const team = await create();
    const join = await parley.post(`/sessions/${team.ref}/join`, { team_name: "Humans" }, undefined, {
      headers: bearer(key),
    });
    expect(join.body.handle).toBe("team-humans");
  });
});
