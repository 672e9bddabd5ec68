import { expect, test } from "vitest";
import type { Team } from "../testing/server.ts";
import { until } from "../testing/server.ts";
import { fillFeed, rosterOf, useWorld } from "./world.ts";

const world = useWorld();

const post = async (team: Team, content: string, about: object = {}): Promise<number> => {
  const { status, body } = await world.parley.post(`/sessions/${team.ref}/messages`, { content, ...about }, team);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.cursor;
};
const ack = (team: Team, through: number) =>
  world.parley.post(`/sessions/${team.ref}/ack`, { through_cursor: through }, team);

test("a reply quotes what it answers and leads to it, and the answered message counts its replies as they come", async () => {
  const alex = await world.parley.create();
  const blue = await world.parley.join(alex);
  const asked = await post(blue, "Who owns `roundCents`?");
  for (let i = 0; i < 40; i++) await post(alex, `filler ${i}`);
  const page = await world.open(`/s/${alex.ref}`);
  await page.getByText("filler 39").waitFor();
  const replied = await post(alex, "I do.", { reply_to: asked });
  const quote = page.locator(`[data-sequence="${replied}"]`).getByRole("link", { name: /Who owns roundCents/ });
  expect(await quote.innerText()).toContain("Team Blue");
  expect(await quote.getAttribute("title")).toContain("team-blue");

  await quote.press("Enter");
  const question = page.locator(`[data-sequence="${asked}"]`);
  await question.getByRole("link", { name: "1 reply" }).waitFor();
  expect(page.url()).toContain(`#${asked}`);
  await until(() => question.evaluate((row) => row === document.activeElement), "the keyboard to come along");

  await post(blue, "Thought so.", { reply_to: asked });
  await question.getByRole("link", { name: "2 replies" }).click();
  await page.locator(`[data-sequence="${replied}"]`).getByText("I do.").waitFor();
});

test("a reply quotes a message that is far outside of what is loaded", async () => {
  const alex = await world.parley.create();
  await post(alex, "the very first words");
  await fillFeed(world, alex, 1_000);
  const replied = await post(alex, "back to the start", { reply_to: 1 });
  const page = await world.open(`/s/${alex.ref}`);
  const quote = page.locator(`[data-sequence="${replied}"]`).getByRole("link", { name: /the very first words/ });
  await quote.click();
  await page.locator('[data-sequence="1"]').getByText("the very first words").waitFor();
});

test("kinds and addressees are said in words, and a plain message says nothing of the like", async () => {
  const alex = await world.parley.create();
  await world.parley.join(alex);
  const [question, decision, own, plain] = [
    await post(alex, "Which port?", { kind: "question", to: ["team-blue"] }),
    await post(alex, "Port 7423.", { kind: "decision" }),
    await post(alex, "An idea", { kind: "a-word-of-our-own" }),
    await post(alex, "nothing special"),
  ];
  const page = await world.open(`/s/${alex.ref}`);
  const row = (sequence: number) => page.locator(`[data-sequence="${sequence}"]`);
  const words = async (sequence: number) => (await row(sequence).innerText()).split(/\s+/).join(" ");
  await row(question).getByText("open").waitFor();
  expect(await words(question)).toMatch(/ question → to Team Blue open Which port\? 0\/1$/);
  // Another kind begins with the name of its team, and the time.
  expect(await words(decision)).toMatch(/Alex's Team [\d:]+( [AP]M)? decision Port 7423\. 0\/1$/);
  expect(await words(own)).toMatch(/Alex's Team [\d:]+( [AP]M)? a-word-of-our-own An idea 0\/1$/);
  expect(await words(plain)).toMatch(/Alex's Team [\d:]+( [AP]M)? nothing special 0\/1$/);
  expect(await row(decision).getAttribute("aria-label")).toBe(`Message ${decision} of Alex's Team, decision`);
});

test("a question is open until another team replies, also when the reply is far away", async () => {
  const alex = await world.parley.create();
  const blue = await world.parley.join(alex);
  const far = await post(alex, "Answered much later?", { kind: "question" });
  const near = await post(alex, "Not answered yet?", { kind: "question" });
  await fillFeed(world, alex, 600);
  await post(blue, "Yes.", { reply_to: far });
  const page = await world.open(`/s/${alex.ref}#${far}`);
  const open = (sequence: number) => page.locator(`[data-sequence="${sequence}"]`).getByText("open", { exact: true });
  await open(near).waitFor();
  expect(await open(far).count()).toBe(0);

  await post(alex, "Nobody?", { reply_to: near });
  await page.locator(`[data-sequence="${near}"]`).getByText("1 reply").waitFor();
  expect(await open(near).count()).toBe(1);
  await post(blue, "I looked: no.", { reply_to: near });
  await open(near).waitFor({ state: "detached" });
});

test("who has read a message is seen the moment a team says so, without reading the feed again", async () => {
  const alex = await world.parley.create();
  const blue = await world.parley.join(alex);
  await world.parley.join(alex, "Team Green");
  const said = await post(alex, "please read");
  const page = await world.open(`/s/${alex.ref}`);
  const row = page.locator(`[data-sequence="${said}"]`);
  await row.getByRole("button", { name: "read by nobody yet" }).waitFor();
  const reads: string[] = [];
  page.on("request", (request) => {
    if (request.postData()?.includes("FeedPage")) reads.push(request.url());
  });
  await ack(blue, said);
  await row.getByRole("button", { name: "read by Team Blue" }).waitFor();
  expect(reads).toEqual([]);

  await (await rosterOf(page)).getByText(`up to #${said}, everything`).first().waitFor();
});

test("the menu of a message tells read, received and neither apart, and shows what was added for programs", async () => {
  const alex = await world.parley.create();
  const [blue, green] = [await world.parley.join(alex), await world.parley.join(alex, "Team Green")];
  await world.parley.join(alex, "Team Red");
  const said = await post(alex, "how far did it get?", { metadata: { ticket: 42 } });
  await world.parley.join(alex, "Team Late");
  await ack(blue, said);
  const page = await world.open(`/s/${alex.ref}`);
  const row = page.locator(`[data-sequence="${said}"]`);
  await row.getByRole("button", { name: "read by Team Blue" }).waitFor();
  // A wait that presents a cursor has received; nothing announces that.
  await world.parley.wait(green, { since_cursor: said, timeout: 0 });
  await page.keyboard.press("j");
  await row.focus();
  await row.getByRole("button", { name: "read by Team Blue" }).press("Enter");
  const details = page.getByRole("dialog");
  await details.getByText('"ticket": 42').waitFor();
  const receipts = await details.getByRole("list", { name: "Receipts" }).getByRole("listitem").allInnerTexts();
  expect(receipts.map((line) => line.split("\n"))).toEqual([
    ["Team Blue", "read"],
    ["Team Green", "received"],
    ["Team Late", "joined later"],
    ["Team Red", "not yet"],
  ]);
  await ack(green, said);
  await details.getByRole("listitem").filter({ hasText: "Team Green" }).getByText("read", { exact: true }).waitFor();
  await page.keyboard.press("Escape");
  await details.waitFor({ state: "hidden" });
});

test("messages of one kind are found by keyboard, by link, and as they come", async () => {
  const alex = await world.parley.create();
  await post(alex, "We take the blue one.", { kind: "decision" });
  await post(alex, "Just a remark.");
  await post(alex, "Far from it.");
  const page = await world.open(`/s/${alex.ref}`);
  await page.getByText("Far from it.").waitFor();
  await page.keyboard.press("/");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.type("dec");
  await page.getByText("1 hit", { exact: true }).waitFor();
  const shown = () => page.locator("[data-sequence]").evaluateAll((rows) => rows.map((row) => row.dataset.sequence));
  await until(async () => (await shown()).join() === "1,2", "the hit and its neighbour");
  await page.locator('[data-sequence="1"]').getByText("We take the blue one.").waitFor();
  expect(new URL(page.url()).searchParams.get("kind")).toBe("decision");

  await post(alex, "And the red one.", { kind: "decision" });
  await page.getByText("2 hits").waitFor();
  const shared = await world.open(new URL(page.url()).pathname + new URL(page.url()).search);
  await shared.getByText("2 hits").waitFor();
  await page.keyboard.press("Escape");
  await page.waitForURL((url) => url.search === "");
});
