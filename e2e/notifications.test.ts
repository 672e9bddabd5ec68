import type { Page, Worker } from "playwright-core";
import { expect, test } from "vitest";
import { makeLink } from "../testing/people.ts";
import { until } from "../testing/server.ts";
import { barriersOf } from "./barriers.ts";
import { useWorld } from "./world.ts";

const world = useWorld();

async function asAda(path: string, options: Parameters<typeof world.open>[1] = {}): Promise<Page> {
  const page = await world.open(`/sign-in#token=${await makeLink(world.parley, "Ada", "member")}`, options);
  await page.getByRole("button", { name: "Sign in as Ada" }).click();
  await page.getByRole("heading", { name: "Sessions" }).waitFor();
  await page.goto(`${world.parley.url}${path}`);
  return page;
}

interface Shown {
  title: string;
  options: { body: string; data: { path: string } };
}

/** What a worker of the page has around it, as far as it is looked at here. */
interface Scope {
  registration: { showNotification: (title: string, options: Shown["options"]) => Promise<void> };
  clients: { matchAll: () => Promise<unknown[]>; openWindow: (url: URL) => Promise<void> };
  shown: Shown[];
  opened: string[];
}

/**
 * The worker of the page. No push service can be reached from a test, so the browser is told what came from one; and a browser without
 * a screen shows no notification to anybody, so what it is asked to show is kept.
 */
async function registered(page: Page) {
  const context = page.context();
  const cdp = await context.newCDPSession(page);
  const registration = new Promise<string>((resolve) =>
    cdp.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      if (registrations[0]) resolve(registrations[0].registrationId);
    }),
  );
  await cdp.send("ServiceWorker.enable");
  await page.evaluate(async () => {
    await navigator.serviceWorker.register("/sw.js");
    await navigator.serviceWorker.ready;
  });
  const registrationId = await registration;
  await until(async () => context.serviceWorkers().length > 0, "the worker to run");
  const worker = context.serviceWorkers()[0] as Worker;
  await worker.evaluate(() => {
    const scope = globalThis as unknown as Scope;
    scope.shown = [];
    scope.registration.showNotification = async (title, options) => void scope.shown.push({ title, options });
  });
  const push = async (data: object) => {
    const origin = world.parley.url;
    await cdp.send("ServiceWorker.deliverPushMessage", { origin, registrationId, data: JSON.stringify(data) });
    await until(async () => (await shownBy(worker)).length > 0, "the notification");
  };
  return { worker, push };
}

const shownBy = (worker: Worker) => worker.evaluate(() => (globalThis as unknown as Scope).shown);

/** As a finger does it: the browser tells the worker which one. Answers how often it was closed. */
const click = (worker: Worker) =>
  worker.evaluate(async () => {
    const { options } = (globalThis as unknown as Scope).shown.pop() as Shown;
    let closed = 0;
    let until: unknown;
    const event = Object.assign(new Event("notificationclick"), {
      notification: { ...options, close: () => closed++ },
      waitUntil: (end: unknown) => {
        until = end;
      },
    });
    dispatchEvent(event);
    await until;
    return closed;
  });

test("a push shows that something waits and nothing of what it says; a click leads to it", async () => {
  const alex = await world.parley.create("Alex's Team", "A secret title");
  for (let i = 0; i < 60; i++) await world.parley.say(alex, `word ${i + 1}`);
  const page = await world.open("/");
  const { worker, push } = await registered(page);
  // The page is the worker's from its next load on, as it is for whoever comes back to it.
  await page.reload();
  await page.getByRole("heading", { name: "Sessions" }).waitFor();
  // What the server sends: api/tests/push.
  await push({ path: `/s/${alex.ref}#3` });
  expect(await shownBy(worker)).toEqual([
    {
      title: "Something waits for you",
      options: expect.objectContaining({ body: "Open Parley to see what.", data: { path: `/s/${alex.ref}#3` } }),
    },
  ]);
  expect(JSON.stringify(await shownBy(worker))).not.toContain("secret");
  expect(await click(worker)).toBe(1);
  await page.locator('[data-sequence="3"]').getByText("word 3").waitFor();
  expect(new URL(page.url()).hash).toBe("#3");

  // Of two pages the one that shows the session is moved, without being loaded again.
  const other = await page.context().newPage();
  await other.goto(world.parley.url);
  await page.evaluate(() => Object.assign(globalThis, { same: true }));
  await push({ path: `/s/${alex.ref}#40` });
  await click(worker);
  await page.locator('[data-sequence="40"]').getByText("word 40").waitFor();
  expect(await page.evaluate(() => "same" in globalThis)).toBe(true);
  expect(new URL(other.url()).pathname).toBe("/");
});

test("where no page is open a click opens one, and none that is not ours", async () => {
  const page = await world.open("/");
  const { worker, push } = await registered(page);
  // A browser lets a worker open windows only for a real finger: what it asks for is looked at.
  await worker.evaluate(() => {
    const scope = globalThis as unknown as Scope;
    scope.opened = [];
    scope.clients.matchAll = async () => [];
    scope.clients.openWindow = async (url) => void scope.opened.push(String(url));
  });
  const opened = () => worker.evaluate(() => (globalThis as unknown as Scope).opened);
  await push({ path: "/s/calm-otter-17#3" });
  await click(worker);
  await push({ path: "https://example.com/" });
  expect(await click(worker)).toBe(1);
  expect(await opened()).toEqual([`${world.parley.url}/s/calm-otter-17#3`]);
});

test("the page can be installed", async () => {
  const page = await world.open("/");
  await page.getByRole("heading").first().waitFor();
  const cdp = await page.context().newCDPSession(page);
  const { errors, data } = await cdp.send("Page.getAppManifest");
  expect(errors).toEqual([]);
  const { icons, start_url, display } = JSON.parse(data ?? "{}");
  expect({ start_url, display }).toEqual({ start_url: "/", display: "standalone" });
  for (const { src, type } of icons) {
    const answer = await page.request.get(`${world.parley.url}${src}`);
    expect([src, answer.status(), answer.headers()["content-type"]]).toEqual([src, 200, type]);
  }
  const { installabilityErrors } = await cdp.send("Page.getInstallabilityErrors");
  // A context of the tests counts as a private window, which installs nothing.
  expect(installabilityErrors.filter(({ errorId }) => errorId !== "in-incognito")).toEqual([]);
});

test("what of one session is worth a notification is chosen on its page, by keys, and taken back", async () => {
  const alex = await world.parley.create();
  const page = await asAda(`/s/${alex.ref}`);
  const kinds = async () =>
    (await world.sql("select n.kinds from parley_private.notices n where n.session_id = $1", [alex.session_id])) as {
      kinds: string[];
    }[];
  await page.getByRole("heading", { name: "A session" }).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("notifications of");
  await page.getByRole("option", { name: "Notifications of this session" }).waitFor();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Notifications of this session" });
  await expect.poll(() => dialog.getByRole("checkbox", { name: "A question to people" }).isChecked()).toBe(true);
  expect(await barriersOf(page, "notifications")).toEqual([]);
  await dialog.getByRole("checkbox", { name: "Everybody waits" }).press("Space");
  await until(async () => (await kinds())[0]?.kinds.includes("idle") ?? false, "the choice to be kept");
  expect((await kinds())[0]?.kinds).toEqual(["blocker", "idle", "permission", "question"]);
  await dialog.getByRole("button", { name: "Mute this session" }).press("Enter");
  await until(async () => (await kinds())[0]?.kinds.length === 0, "the session to be muted");
  await expect.poll(() => dialog.getByRole("checkbox", { checked: true }).count()).toBe(0);
  await dialog.getByRole("button", { name: "As in all sessions" }).press("Enter");
  await until(async () => (await kinds()).length === 0, "the choice to be forgotten");
  await expect.poll(() => dialog.getByRole("checkbox", { checked: true }).count()).toBe(3);
});

test("on a phone it stands among the actions, and asks whoever has no name for one", async () => {
  const alex = await world.parley.create();
  const page = await world.open(`/s/${alex.ref}`, { viewport: { width: 360, height: 740 }, hasTouch: true });
  await page.getByRole("button", { name: "Actions" }).tap();
  await page.getByRole("menuitem", { name: "Notifications" }).tap();
  const dialog = page.getByRole("dialog", { name: "Notifications of this session" });
  await dialog.getByLabel("Your name").fill("Robin");
  await dialog.getByRole("button", { name: "Continue" }).tap();
  await dialog.getByRole("checkbox", { name: "A team is stuck" }).tap();
  await until(
    async () =>
      (await world.sql("select from parley_private.notices n where n.session_id = $1", [alex.session_id])).length > 0,
    "the choice to be kept",
  );
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
});
