import { expect, test } from "vitest";
import { until } from "../testing/server.ts";
import { fillFeed, useWorld } from "./world.ts";

const world = useWorld();
const PHONE = { viewport: { width: 390, height: 844 } };

test("on a phone every pane keeps the place at which it was left", async () => {
  const alex = await world.parley.create();
  await fillFeed(world, alex, 200);
  await world.parley.post(`/sessions/${alex.ref}/doc/append`, { text: "- a line\n".repeat(200) }, alex);
  const page = await world.open(`/s/${alex.ref}#100`, PHONE);
  const log = page.getByRole("log");
  await log.getByText("message number 100", { exact: true }).waitFor();
  // Rows that are measured anew may move the rest by some pixels: the place is the message at the top.
  const place = () =>
    log.evaluate((it) => {
      const top = it.getBoundingClientRect().top;
      const rows = [...it.querySelectorAll<HTMLElement>("[data-sequence]")];
      return rows.find((row) => row.getBoundingClientRect().bottom > top + 40)?.dataset.sequence;
    });
  const opened = Number(await place());
  // As readers do: what only moves right after the page has gone to a place may be the page itself, which goes there again.
  await log.hover();
  await page.mouse.wheel(0, -300);
  let before: string | undefined;
  await until(async () => {
    const last = before;
    before = await place();
    return Number(before) < opened && before === last;
  }, "the feed to stand still farther up");
  await page.getByRole("tab", { name: "Document" }).click();
  const doc = page.getByRole("region", { name: "Document, version 1" });
  await doc.getByText("a line").first().waitFor();
  await doc.evaluate((it) => it.scrollTo(0, 1_000));
  await log.waitFor({ state: "hidden" });
  await page.getByRole("tab", { name: "Feed" }).click();
  await log.waitFor();
  expect(await place()).toBe(before);
  await page.getByRole("tab", { name: "Document" }).click();
  expect(await doc.evaluate((it) => it.scrollTop)).toBe(1_000);
});

test("the pane, the version and how it is shown stand in the address, and come back with it", async () => {
  const alex = await world.parley.create();
  for (const text of ["first words", "second words"])
    await world.parley.post(`/sessions/${alex.ref}/doc/append`, { text }, alex);
  const page = await world.open(`/s/${alex.ref}?tab=doc&v=1&view=raw`);
  const doc = page.getByRole("region", { name: "Document, version 1" });
  await doc.getByText("first words", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Newest" }).click();
  await page.getByRole("tab", { name: "Now" }).press("Enter");
  await page.waitForURL((url) => url.searchParams.get("tab") === "now" && !url.searchParams.has("v"));
  await page.reload();
  await page.getByRole("tab", { name: "Now", selected: true }).waitFor();
});

test("what is written is marked with who wrote it, compared as it reads, and followed", {
  timeout: 60_000,
}, async () => {
  const { parley } = world;
  const alex = await parley.create();
  const blue = await parley.join(alex);
  const part = (name: string) => `## ${name}\n\n${`Words about ${name}. `.repeat(40)}\n\n`;
  const names = ["Goals", "Findings", "Decisions", "Risks", "Later"];
  await parley.post(`/sessions/${alex.ref}/doc/append`, { text: names.map(part).join("").repeat(3) }, alex);
  const page = await world.open(`/s/${alex.ref}`, { viewport: { width: 1920, height: 900 } });
  const contents = page.getByRole("navigation", { name: "Contents" });
  await contents.getByRole("button", { name: "Later" }).first().waitFor();
  await page.getByRole("button", { name: "Follow the writing" }).press("Enter");
  let histories = 0;
  page.on("response", async (response) => {
    if (response.request().postData()?.includes("query DocVersions"))
      histories = Math.max(histories, (await response.json()).data.session.sessionDocHistories.nodes.length);
  });

  await parley.post(`/sessions/${alex.ref}/doc/append`, { text: "## News\n\nSomething **new**." }, blue);
  const doc = page.getByRole("region", { name: "Document, version 2" });
  const news = doc.locator('[data-section="News"]');
  await news.getByText("Team Blue").waitFor();
  await until(() => news.evaluate((it) => it.getBoundingClientRect().top < innerHeight), "the page to follow");
  expect(histories).toBe(1);

  await page.getByRole("button", { name: "Diff", exact: true }).press("Enter");
  await doc.locator("ins").getByRole("heading", { name: "News" }).waitFor();
  expect(await doc.locator("ins strong").allInnerTexts()).toEqual(["new"]);
  expect(await doc.locator("del").count()).toBe(0);
  await doc.getByText(/\d+ unchanged/).waitFor();
});

test("an edit of a long document touches the section that it is in, and no other", async () => {
  const alex = await world.parley.create();
  const text = Array.from({ length: 40 }, (_, n) => `## Part ${n}\n\n${"Some **words** and `code`. ".repeat(90)}\n\n`);
  await world.parley.post(`/sessions/${alex.ref}/doc/append`, { text: text.join("") }, alex);
  const page = await world.open(`/s/${alex.ref}`);
  const doc = page.getByRole("region", { name: "Document, version 1" });
  await until(async () => (await doc.locator("h2").count()) === 40, "all parts to be formatted");
  await doc.evaluate((it) => {
    const touched = new Set<Element>();
    Object.assign(window, { touched });
    new MutationObserver((changes) => {
      for (const { target } of changes) {
        const section = (target instanceof Element ? target : target.parentElement)?.closest("[data-section]");
        if (section) touched.add(section);
      }
    }).observe(it, { subtree: true, childList: true, characterData: true });
  });
  await world.parley.post(
    `/sessions/${alex.ref}/doc/section`,
    { section: "Part 20", text: "Quite other words." },
    alex,
  );
  await page.getByText("Quite other words.").waitFor();
  const touched = await page.evaluate(() =>
    [...(window as unknown as { touched: Set<HTMLElement> }).touched].map((section) => section.dataset.section),
  );
  // Who wrote which part last is told at every part that was written by now.
  expect(touched.filter((name) => name !== "Part 20").length).toBeLessThan(6);
});

test("an open timeline asks once, and draws what comes without asking again", async () => {
  const { parley } = world;
  const alex = await parley.create();
  await parley.post(`/sessions/${alex.ref}/tasks`, { tasks: ["Port refunds"] }, alex);
  await parley.say(alex, "the first words");
  const page = await world.open(`/s/${alex.ref}?tab=timeline`);
  const timeline = page.getByRole("region", { name: "Timeline" });
  await timeline.getByRole("img", { name: "Alex's Team: 1 messages, 0 tasks" }).waitFor();
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.postData() ?? ""));
  let said = 1;
  // What comes while the page still begins to listen is asked for.
  await until(async () => {
    asked.length = 0;
    await parley.say(alex, "does the page listen now?");
    await timeline.getByRole("img", { name: `Alex's Team: ${++said} messages, 0 tasks` }).waitFor();
    return !asked.some((what) => what.includes("query"));
  }, "the page to listen");
  // One by one: a page that cannot keep up is shown the newest, and asks for what was between.
  for (let i = 0; i < 4; i++) {
    await parley.say(alex, `word ${i}`);
    await timeline.getByRole("img", { name: `Alex's Team: ${++said} messages, 0 tasks` }).waitFor();
  }
  await parley.post(`/sessions/${alex.ref}/tasks/claim`, { task: 1 }, alex);
  const lane = timeline.getByRole("img", { name: `Alex's Team: ${said} messages, 1 tasks` });
  await lane.waitFor();
  expect(asked.filter((what) => what.includes("query"))).toEqual([]);
  await lane.locator("[data-bar]").hover({ force: true });
  await timeline.getByText("task 1 Port refunds").waitFor();
});
