import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestServer, type Team, type TestServer } from "../../../testing/server.ts";

let parley: TestServer;
beforeAll(async () => {
  parley = await startTestServer();
});
afterAll(() => parley.stop());

// Posts of several sessions share a transaction, in the order of their names; a child that ends goes from itself to its parent.
test("children end while everybody talks, in the parent and in them: nothing fails, every end is told", async () => {
  for (let round = 0; round < 15; round++) {
    const parent = await parley.create();
    const children: Team[] = [];
    for (let n = 0; n < 3; n++)
      children.push(
        (await parley.post(`/sessions/${parent.ref}/spawn`, { title: `Part ${n}`, description: "" }, parent)).body,
      );
    const talk = Array.from({ length: 10 }, () => [parent, ...children]).flat();
    const said = talk.map((team) => parley.post(`/sessions/${team.ref}/messages`, { content: "x" }, team));
    const ended = children.map((team) =>
      parley.post(`/sessions/${team.ref}/conclude`, { summary_section: "Done." }, team),
    );
    for (const { status, body } of await Promise.all(ended)) expect([status, body.status]).toEqual([200, "closed"]);
    for (const { status, body } of await Promise.all(said))
      if (status !== 200) expect([status, body.error.code]).toEqual([403, "session_closed"]);
    const { messages } = (await parley.get(`/sessions/${parent.ref}/messages?limit=100`, parent)).body;
    const told = messages.filter(({ event }: { event?: string }) => event === "child_concluded");
    expect(told.map(({ ref }: { ref: string }) => ref).sort()).toEqual(children.map(({ ref }) => ref).sort());
    expect(messages).toHaveLength(10 + 3 + 3);
  }
});
