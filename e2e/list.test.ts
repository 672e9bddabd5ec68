import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { type Team, until } from "../testing/server.ts";
import { barriersOf } from "./barriers.ts";
import { useWorld } from "./world.ts";

const world = useWorld();

const post = (team: Team, what: string, body: object) => world.parley.post(`/sessions/${team.ref}/${what}`, body, team);
const titles = (page: Page) => page.locator("[data-session-link]").allInnerTexts();

test("the list begins with what needs somebody, and it is answered there, by keyboard alone", async () => {
  const { parley } = world;
  await post(await parley.create("Alex's Team", "At an end"), "conclude", {
    summary_section: "Both are ported. More below.",
  });
  const asks = await parley.create("Alex's Team", "Asks people");
  await post(asks, "ask", { question: "Ship it on Friday?", options: ["Ship it", "Wait"] });
  await parley.create("Alex's Team", "Going on");
  const page = await world.open("/", { viewport: { width: 1440, height: 900 } });
  const inbox = page.getByRole("region", { name: "Needs you" });
  await inbox.getByText("Ship it on Friday?").waitFor();
  expect(await titles(page)).toEqual(["Asks people", "Going on", "At an end"]);
  expect(await page.title()).toBe("(1) Parley");
  await page.getByRole("listitem").filter({ hasText: "At an end" }).getByText("Both are ported.").waitFor();
  expect(await barriersOf(page, "list")).toEqual([]);

  await inbox.getByRole("button", { name: "Ship it", exact: true }).press("Enter");
  // Who they are is asked when they answer, and the keyboard is there already.
  const name = inbox.getByLabel("Your name");
  await name.waitFor();
  await until(() => name.evaluate((input) => input === document.activeElement), "the keyboard to come along");
  await page.keyboard.type("Ada");
  await page.keyboard.press("Enter");
  await inbox.waitFor({ state: "detached" });
  await until(async () => (await page.title()) === "Parley", "the number to go");
  const { body } = await parley.get(`/sessions/${asks.ref}/messages`, asks);
  expect(body.messages.at(-1)).toMatchObject({ sender: "human", content: { text: "Ship it" } });
  await page.goto(`${parley.url}/inbox`);
  await page.waitForURL(`${parley.url}/`);
});

test("a change draws the row that has changed and asks for nothing, and no row moves under the pointer", async () => {
  const { parley } = world;
  const old = await parley.create("Alex's Team", "The older one");
  await world.sql("update parley.sessions set updated_at = now() - interval '1 hour' where id = $1", [old.session_id]);
  const newer = await parley.create("Alex's Team", "The newer one");
  const later = "update parley.sessions set updated_at = now() - interval '30 minutes' where id = $1";
  await world.sql(later, [newer.session_id]);
  const page = await world.open("/");
  await page.getByText("The newer one").waitFor();
  await page.waitForLoadState("networkidle");
  const requests: string[] = [];
  // The palette is loaded some time, whatever happens.
  page.on("request", (request) => request.resourceType() !== "script" && requests.push(request.url()));
  const before = await titles(page);
  await page.getByText("The newer one").hover();
  await page.evaluate(() => {
    const changed = new Set<string>();
    (window as never as { changed: Set<string> }).changed = changed;
    new MutationObserver((records) => {
      for (const { target } of records) {
        const row = (target instanceof Element ? target : target.parentElement)?.closest<HTMLElement>("[data-session]");
        if (row) changed.add(row.dataset.session ?? "");
      }
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  });
  await parley.say(old, "said while somebody points");
  await page.getByText("said while somebody points").waitFor();
  expect(await page.evaluate(() => [...(window as never as { changed: Set<string> }).changed])).toEqual([
    old.session_id,
  ]);
  expect(await titles(page)).toEqual(before);
  expect(requests).toEqual([]);
  await page.mouse.move(0, 0);
  await until(
    async () => (await titles(page)).indexOf("The older one") < before.indexOf("The older one"),
    "it to move up",
  );
});

test("twenty rows are on the screen of a laptop; what is unread is counted, what is put away comes back", async () => {
  const { parley } = world;
  const alex = await parley.create("Alex's Team", "Opened once");
  for (let n = 1; n <= 20; n++) await parley.create("Alex's Team", `Session ${n}`);
  await parley.say(alex, "seen");
  const page = await world.open(`/s/${alex.ref}`, { viewport: { width: 1440, height: 900 } });
  await page.getByText("seen", { exact: true }).waitFor();
  await page.goto(parley.url);
  const row = page.locator("[data-session]", { hasText: "Opened once" });
  await row.waitFor();
  const inSight = await page
    .locator("[data-session]")
    .evaluateAll((rows) => rows.filter((row) => row.getBoundingClientRect().bottom <= innerHeight).length);
  expect(inSight).toBeGreaterThanOrEqual(20);
  await parley.say(alex, "not seen");
  await row.getByTitle("1 unread").waitFor();

  await row.getByRole("link").focus();
  await page.keyboard.press("e");
  await row.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Undo" }).click();
  await row.waitFor();
});

test("sessions stand in families and on boards, as the address says", async () => {
  const { parley } = world;
  const parent = await parley.create("Alex's Team", "The parent");
  await post(parent, "spawn", { title: "The child", description: "A part of it" });
  await parley.post("/boards", { name: "Money" });
  await post(parent, "place", { board: "money" });
  const page = await world.open("/?group=lineage");
  await page.getByRole("list", { name: parent.ref }).getByRole("link", { name: "The child" }).waitFor();
  await page.goto(`${parley.url}/?group=board`);
  await page.getByRole("list", { name: "money" }).getByRole("link", { name: "The parent" }).waitFor();
  expect(await page.getByRole("list", { name: "money" }).getByRole("link", { name: "The child" }).count()).toBe(0);
});

test("a board is made on the page; its cards move by mouse and by keyboard, and a second tab sees it", async () => {
  const { parley } = world;
  const alex = await parley.create("Alex's Team", "A card to move");
  const page = await world.open("/boards");
  await page.getByRole("button", { name: "New board" }).click();
  await page.getByLabel("Name").fill("Billing");
  await page.getByRole("button", { name: "Make the board" }).click();
  await page.waitForURL("**/b/billing");
  await page.getByText("Nothing here yet").first().waitFor();
  await post(alex, "place", { board: "billing" });
  const zone = (of: Page, name: string) => of.getByRole("list", { name, exact: true }).getByText("A card to move");
  await zone(page, "Planning").waitFor();
  expect(await barriersOf(page, "list")).toEqual([]);
  const other = await page.context().newPage();
  await other.goto(page.url());
  await zone(other, "Planning").waitFor();

  const handle = page.getByRole("button", { name: "Drag A card to move" });
  await handle.focus();
  await page.keyboard.press("Space");
  // What a screen reader is told.
  const told = () => page.locator("[id^=DndLiveRegion]").textContent();
  await expect.poll(told).toBe("A card to move is over Planning.");
  // The library listens for arrows from a timer on, which a busy page is late with.
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
  await page.keyboard.press("ArrowRight");
  await expect.poll(told).toBe("A card to move is over In progress.");
  await page.keyboard.press("Space");
  // Who they are is asked when they move something.
  await page.getByLabel("Your name").fill("Ada");
  await page.getByRole("button", { name: "Put A card to move in In progress" }).click();
  await zone(other, "In progress").waitFor();

  await handle.hover();
  await page.mouse.down();
  const goal = await page.getByRole("region", { name: "Done" }).boundingBox();
  await page.mouse.move((goal?.x ?? 0) + 100, (goal?.y ?? 0) + 80, { steps: 8 });
  await page.mouse.up();
  await zone(other, "Done").waitFor();
  const { body } = await parley.get("/boards/billing");
  expect(body.sessions).toMatchObject([{ ref: alex.ref, zone: "Done" }]);
});

test("on a phone list, inbox and board fit the screen", async () => {
  const { parley } = world;
  const alex = await parley.create("Alex's Team", "Asked on the way");
  await post(alex, "messages", { content: "No access to the bucket", kind: "blocker" });
  await parley.post("/boards", { name: "Pocket" });
  await post(alex, "place", { board: "pocket" });
  const page = await world.open("/", { viewport: { width: 390, height: 844 } });
  await page.getByRole("region", { name: "Needs you" }).getByText("No access to the bucket").waitFor();
  const tooWide = () => page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  expect(await tooWide()).toBe(false);
  await page.goto(`${parley.url}/b/pocket`);
  await page.getByText("Asked on the way").waitFor();
  expect(await tooWide()).toBe(false);
  expect(await barriersOf(page, "list")).toEqual([]);
});

test("who says their name while they answer in the inbox, and is refused, keeps their words and reads why", async () => {
  const alex = await world.parley.create("Alex's Team", "For readers");
  await world.parley.post(`/sessions/${alex.ref}/ask`, { question: "Ship it?", options: ["Yes", "No"] }, alex);
  await world.sql("update parley.sessions set mode = 'read_only' where id = $1", [alex.session_id]);
  const page = await world.open("/");
  const card = page.getByRole("region", { name: "Needs you" }).getByRole("listitem").filter({ hasText: "For readers" });
  await card.getByRole("button", { name: "In your own words" }).click();
  await card.getByLabel(/^Your answer/).fill("Only with a flag");
  await page.keyboard.press("Control+Enter");
  await card.getByLabel("Your name").fill("Robin");
  await page.keyboard.press("Enter");
  await card.getByRole("alert").waitFor();
  expect(await card.getByLabel(/^Your answer/).inputValue()).toBe("Only with a flag");
  await world.sql("update parley.sessions set mode = 'intervention' where id = $1", [alex.session_id]);
  await card.getByRole("button", { name: "Answer", exact: true }).click();
  await card.waitFor({ state: "detached" });
});
