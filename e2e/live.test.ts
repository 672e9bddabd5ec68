import { expect, test } from "vitest";
import { until } from "../testing/server.ts";
import { rosterOf, useWorld } from "./world.ts";

const world = useWorld();

test("whoever has the page open sees the teams at work, from the first message to the conclusion", async () => {
  const { parley } = world;
  const alex = await parley.create("Alex's Team", "Port billing");
  const page = await world.open(`/s/${alex.ref}`);
  await page.getByRole("heading", { name: "Port billing" }).waitFor();

  const blue = await parley.join(alex, "Team Blue");
  await page.getByRole("button", { name: /^Teams\. 2 teams/ }).waitFor();
  await parley.say(blue, "I take the **refunds**");
  await page.getByRole("log").getByText("refunds").waitFor();

  await parley.post(`/sessions/${alex.ref}/doc/append`, { text: "## Decisions\n\n- invoices: Alex" }, alex);
  const doc = page.getByRole("region", { name: "Document", exact: true });
  await doc.getByText("invoices: Alex").waitFor();
  await parley.post(
    `/sessions/${alex.ref}/metadata`,
    { title: "Port billing and tax", reason: "Tax came along" },
    blue,
  );
  await page.getByRole("heading", { name: "Port billing and tax" }).waitFor();
  await page.getByRole("log").getByText("Tax came along").waitFor();

  await parley.post(`/sessions/${alex.ref}/conclude`, { summary_section: "All of it is ported." }, alex);
  await page.getByRole("region", { name: "Conclusion" }).getByText("All of it is ported.").waitFor();
});

test("whoever has a session open that is deleted is told so, and the list no longer has it", async () => {
  const { parley } = world;
  const { ref } = await parley.create("Alex's Team", "Soon gone");
  const [page, list] = [await world.open(`/s/${ref}`), await world.open("/")];
  await page.getByRole("heading", { name: "Soon gone" }).waitFor();
  await list.getByText("Soon gone").waitFor();
  const query = `mutation { deleteSession(input: { sessionId: "${ref}" }) { result { ref } } }`;
  const headers = { "content-type": "application/json" };
  await fetch(`${parley.url}/graphql`, { method: "POST", headers, body: JSON.stringify({ query }) });
  await page.getByRole("heading", { name: "This session was deleted" }).waitFor();
  await list.getByText("Soon gone").waitFor({ state: "detached" });
});

test("the roster says who listens, who works, who has fallen silent and who has left", {
  timeout: 60_000,
}, async () => {
  const { parley } = world;
  const alex = await parley.create();
  const page = await world.open(`/s/${alex.ref}`);
  const teams = (await rosterOf(page)).getByRole("listitem");
  await teams.filter({ hasText: "working" }).waitFor();
  // A team that has just posted is at work, also when it never waits.
  await world.sql("update parley.participants set last_seen_at = now() - interval '5 minutes' where session_id = $1", [
    alex.session_id,
  ]);
  await world.sql("select parley_private.sweep_presence()");
  const { cursor } = await parley.say(alex, "still here");
  await teams.filter({ hasText: /^(?=.*working)(?!.*seen)/s }).waitFor();
  expect(await teams.filter({ hasText: "disconnected" }).count()).toBe(0);
  const wait = parley.wait(alex, { since_cursor: cursor, timeout: 30 });
  await teams.filter({ hasText: "listening" }).waitFor();
  const blue = await parley.join(alex);
  await wait;
  await world.sql(
    "update parley.participants set last_seen_at = now() - interval '1 hour' where session_id = $1 and id = 1",
    [alex.session_id],
  );
  await world.sql("select parley_private.sweep_presence()");
  await teams.filter({ hasText: /silent.*seen 1h ago/s }).waitFor();
  await parley.post(`/sessions/${alex.ref}/leave`, {}, blue);
  await teams.filter({ hasText: /Team Blue.*left/s }).waitFor();
});

test("the list says what the liveliest teams are at, and a session is live while somebody calls", async () => {
  const { parley } = world;
  const alex = await parley.create("Alex's Team", "Someone is at work");
  const page = await world.open("/");
  const row = page.getByRole("listitem").filter({ hasText: "Someone is at work" });
  await row.getByText("1 working").filter({ visible: true }).waitFor();
  await row.getByText("live", { exact: true }).waitFor();
  await world.sql("update parley.participants set last_seen_at = now() - interval '1 hour' where session_id = $1", [
    alex.session_id,
  ]);
  await world.sql("select parley_private.sweep_presence()");
  await row.getByText("1 silent").filter({ visible: true }).waitFor();
  await row.getByText("quiet", { exact: true }).waitFor();
});

test("the list shows a new session and its newest message without a reload", async () => {
  const page = await world.open("/");
  const alex = await world.parley.create("Alex's Team", "Something quite new");
  await page.getByText("Something quite new").waitFor();
  await world.parley.say(alex, "the newest of all messages");
  await page.getByText("the newest of all messages").waitFor();
});

test("the list says who did what when the last message is an event", async () => {
  const alex = await world.parley.create("Alex's Team", "Only events");
  await world.parley.join(alex, "Platform");
  const page = await world.open("/");
  const row = page.getByRole("listitem").filter({ hasText: "Only events" });
  await row.getByText("Platform joined", { exact: true }).waitFor();
  await world.parley.post(`/sessions/${alex.ref}/metadata`, { description: "Other words", reason: "why" }, alex);
  await row.getByText("Alex's Team changed the description", { exact: true }).waitFor();
});

test("the teams of a concluded session are named without a presence that means nothing any more", async () => {
  const alex = await world.parley.create("Alex's Team", "At an end");
  const blue = await world.parley.join(alex);
  await world.parley.post(`/sessions/${alex.ref}/leave`, {}, blue);
  const page = await world.open(`/s/${alex.ref}`);
  const teams = (await rosterOf(page)).getByRole("listitem");
  await teams.filter({ hasText: "working" }).waitFor();
  await world.parley.post(`/sessions/${alex.ref}/conclude`, { summary_section: "Done." }, alex);
  await teams.filter({ hasText: "working" }).waitFor({ state: "detached" });
  const words = (await teams.allInnerTexts()).map((text) => text.split(/\s+/).join(" "));
  expect(words[0]).toMatch(/Alex's Team convener @alexs-team/);
  expect(words[1]).toMatch(/Team Blue left @team-blue/);
  const list = await world.open("/");
  const row = list.getByRole("listitem").filter({ hasText: "At an end" });
  await row.getByText("2 teams").filter({ visible: true }).waitFor();
});

test("after a restart of the server the page catches up: no gap, no duplicate", async () => {
  const alex = await world.parley.create();
  for (let i = 1; i <= 5; i++) await world.parley.say(alex, `before ${i}`);
  const page = await world.open(`/s/${alex.ref}`);
  await page.getByText("before 5").waitFor();
  await world.restart();
  for (let i = 1; i <= 5; i++) await world.parley.say(alex, `after ${i}`);
  await page.getByText("after 5").waitFor({ timeout: 20_000 });
  const shown = await page
    .locator("[data-sequence]")
    .evaluateAll((rows) => rows.map((row) => Number((row as HTMLElement).dataset.sequence)));
  expect(shown).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

test("what an open page shows after each kind of event is what a fresh one shows", { timeout: 90_000 }, async () => {
  const { parley } = world;
  const alex = await parley.create();
  const blue = await parley.join(alex);
  const path = `/s/${alex.ref}`;
  const at =
    (what: string, body: object, team = alex) =>
    () =>
      parley.post(`/sessions/${alex.ref}/${what}`, body, team);
  const together =
    (...acts: (() => Promise<unknown>)[]) =>
    async () => {
      for (const act of acts) await act();
    };
  const page = await world.open(path);
  const seen = (of: typeof page) =>
    of.evaluate(() =>
      [...document.querySelectorAll("h1, [data-sequence], [aria-label=Document], [aria-label=Teams]")].map((e) =>
        (e as HTMLElement).innerText.replace(/\d+ (sec|min)\w* ago|just now|now/g, ""),
      ),
    );
  const events = [
    at("messages", { content: "a message" }),
    () => parley.join(alex, "Team Green"),
    at("doc/append", { text: "# A finding" }),
    at("metadata", { title: "Another title", reason: "why" }),
    at("leave", {}, blue),
    together(
      at("tasks", { tasks: ["port it", "prove it"] }),
      at("tasks/claim", { task: 1 }),
      at("tasks/1", { status: "done", result: "ported" }),
      at("tasks/2", { status: "dropped" }),
      at("team", { doing: "proving" }),
    ),
    together(
      at("messages", { content: "Which port?", kind: "question" }),
      at("messages", { content: "7423", kind: "decision", reply_to: 4 }),
      at("ask", { question: "Ship it?", options: ["yes", "no"] }),
      at("spawn", { title: "A child", description: "" }),
    ),
    together(at("pause", { reason: "lunch" }), at("unpause", {})),
    at("conclude", { summary_section: "the end" }),
  ];
  for (const event of events) {
    await event();
    const fresh = await world.open(path);
    await until(async () => {
      await world.sql("select parley_private.sweep_presence()");
      return JSON.stringify(await seen(page)) === JSON.stringify(await seen(fresh));
    }, "both pages to show the same");
    await world.close(fresh);
  }
});

test("a tab that nobody looks at counts what is new, in its name and its icon", async () => {
  const alex = await world.parley.create("Alex's Team", "In the background");
  await world.parley.say(alex, "seen");
  const page = await world.open(`/s/${alex.ref}`);
  await page.getByText("seen", { exact: true }).waitFor();
  const turn = (to: "hidden" | "visible") =>
    page.evaluate((state) => {
      Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }, to);
  const icon = () => page.locator("link[rel=icon]").getAttribute("href");
  expect([await page.title(), await icon()]).toEqual(["In the background · Parley", "/favicon.svg"]);
  await turn("hidden");
  await world.parley.say(alex, "not seen");
  await until(async () => (await page.title()) === "• In the background · Parley", "the mark in the title");
  expect(await icon()).toBe("/favicon-unread.svg");
  await turn("visible");
  await until(async () => (await page.title()) === "In the background · Parley", "the mark to go");
});
