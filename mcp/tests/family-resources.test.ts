import type { Client } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestServer, type Team, type TestServer, until } from "../../testing/server.ts";
import { connectModern } from "./client.ts";

let parley: TestServer;
let client: Client;
beforeAll(async () => {
  parley = await startTestServer();
  client = await connectModern(parley);
});
afterAll(async () => {
  await client.close();
  await parley.stop();
});

const read = async (uri: string) =>
  JSON.parse(((await client.readResource({ uri })).contents[0] as { text: string }).text);
const spawn = async (team: Team): Promise<Team> =>
  (await parley.post(`/sessions/${team.ref}/spawn`, { title: "Child", description: "" }, team)).body;

test("the lineage of a session is a resource, and whoever listens hears of it however far down it changes", async () => {
  const root = await parley.create();
  const child = await spawn(root);
  const uri = `parley://sessions/${root.ref}/lineage`;
  expect(await read(uri)).toEqual({
    ref: root.ref,
    title: "A session",
    status: "active",
    ancestors: [],
    descendants: [{ ref: child.ref, title: "Child", status: "active", relation: "spawned", of: root.ref }],
    has_more: false,
  });
  expect(await read(`parley://sessions/${child.ref}`)).toMatchObject({ ref: child.ref, spawned_from: root.ref });

  const heard: string[] = [];
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => void heard.push(params.uri));
  const stream = await client.listen({ resourceSubscriptions: [uri] });
  const grandchild = await spawn(child);
  await until(() => heard.length > 0, "the grandchild to be told");
  expect((await read(uri)).descendants).toHaveLength(2);
  const before = heard.length;
  await parley.post(`/sessions/${grandchild.ref}/conclude`, { summary_section: "Done." }, grandchild);
  await until(() => heard.length > before, "its end to be told");
  expect((await read(uri)).descendants[1]).toMatchObject({ ref: grandchild.ref, status: "closed" });
  await stream.close();
});

test("a board is a resource, completed by its slug, and whoever listens hears of moves and ends", async () => {
  const { board } = (await parley.post("/boards", { name: "Q3 Billing" })).body;
  const team = await parley.create();
  const uri = `parley://boards/${board}`;
  expect(await read(uri)).toMatchObject({
    board: "q3-billing",
    zones: ["Planning", "In progress", "Done"],
    sessions: [],
  });

  const heard: string[] = [];
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => void heard.push(params.uri));
  const stream = await client.listen({ resourceSubscriptions: [uri, "parley://boards/Q3-BILLING"] });
  await parley.post(`/sessions/${team.ref}/place`, { board }, team);
  await until(() => heard.length > 1, "the move to be told under both names");
  expect((await read(uri)).sessions).toMatchObject([{ ref: team.ref, zone: "Planning", status: "active" }]);
  const before = heard.length;
  await parley.post(`/sessions/${team.ref}/conclude`, { summary_section: "Done." }, team);
  await until(() => heard.length > before, "the end to be told");
  expect((await read(uri)).sessions).toMatchObject([{ status: "closed" }]);
  await stream.close();

  const ref = { type: "ref/resource", uri: "parley://boards/{board}" } as const;
  const { completion } = await client.complete({ ref, argument: { name: "board", value: "bill" } });
  expect(completion).toMatchObject({ values: ["q3-billing"], total: 1, hasMore: false });
  await expect(read("parley://boards/no-such")).rejects.toThrow(/No board has this slug/);
  await expect(client.listen({ resourceSubscriptions: ["parley://boards/no-such"] })).rejects.toThrow(/No board/);
});
