import { createServer } from "node:net";
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import type { Person } from "../testing/access.ts";
import { connected } from "../testing/postgres.ts";
import { startTestServer, type Team, type TestServer } from "../testing/server.ts";
import { launchBrowser } from "./browser.ts";
import { closeAllBut, giveBack, giveBackAll, takePage } from "./pages.ts";

export interface World {
  parley: TestServer;
  browser: Browser;
  /** A page in a context that nobody else has, with nothing kept in it; what it logs as an error makes the test fail. */
  open(path: string, options?: BrowserContextOptions): Promise<Page>;
  /** Whoever opens a page after this may get this one, emptied. */
  close(page: Page): Promise<void>;
  sql(text: string, values?: unknown[]): Promise<unknown[]>;
  /** The server goes and comes back on the same port. */
  restart(): Promise<void>;
}

let shared: Promise<Browser> | undefined;

/** One for all files of a worker: it takes a second to start, and goes with its process. Who has lost it gets another. */
async function theBrowser(): Promise<Browser> {
  const known = await shared?.catch(() => undefined);
  if (known?.isConnected()) return known;
  shared = launchBrowser();
  return shared;
}

const SCREEN = { width: 1280, height: 800 };
let port = 0;

/** Or 0, for any other, if somebody has taken it meanwhile. */
const ifFree = (port: number) =>
  new Promise<number>((resolve) => {
    const probe = createServer().once("error", () => resolve(0));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(port)));
  });

/** The files of a worker follow each other on one port: what the browser has loaded and compiled is that of an origin. */
async function startOnSamePort(options: Parameters<typeof startTestServer>[0]): Promise<TestServer> {
  const parley = await startTestServer({ ...options, port: await ifFree(port) });
  port = parley.server.port;
  await closeAllBut(parley.url);
  return parley;
}

/** A Parley for the tests of one file, and a browser. */
export function useWorld(options: Parameters<typeof startTestServer>[0] = {}): World {
  const world = { errors: [] as string[] } as World & { errors: string[] };
  beforeAll(async () => {
    [world.parley, world.browser] = await Promise.all([startOnSamePort(options), theBrowser()]);
  });
  afterEach(async () => {
    expect(world.errors.splice(0)).toEqual([]);
    // A page that is left open goes on drawing whatever happens.
    await giveBackAll(world.browser);
  });
  afterAll(async () => {
    await world.parley?.stop();
  });
  world.open = async (
    path,
    { viewport = SCREEN, colorScheme = "light", reducedMotion = "reduce", ...options } = {},
  ) => {
    const page = await takePage(world.browser, world.parley.url, options);
    page.on("pageerror", (error) => world.errors.push(String(error)));
    // Said to the page, so that one context does for all of them.
    await Promise.all([viewport && page.setViewportSize(viewport), page.emulateMedia({ colorScheme, reducedMotion })]);
    await page.goto(`${world.parley.url}${path}`);
    return page;
  };
  world.close = giveBack;
  world.sql = (text, values = []) =>
    connected(world.parley.database.url(), async (client) => (await client.query(text, values)).rows);
  world.restart = async () => {
    const { database, server } = world.parley;
    await server.stop();
    const next = await startTestServer({ ...options, database, port: server.port });
    world.parley = { ...next, stop: () => next.stop().then(() => database.drop()) };
  };
  return world;
}

/** What a context has whose person has signed in. */
export function signedIn({ parley }: World, { headers }: Person): BrowserContextOptions {
  const [name, value] = (headers.cookie as string).split("=") as [string, string];
  const cookie = { name, value, domain: new URL(parley.url).hostname, path: "/", expires: -1 };
  const rest = { httpOnly: true, secure: false, sameSite: "Lax" as const };
  return { storageState: { cookies: [{ ...cookie, ...rest }], origins: [] } };
}

/** Everybody in the session, on the sheet that the header opens. */
export async function rosterOf(page: Page): Promise<Locator> {
  await page.getByRole("button", { name: /^Teams\./ }).press("Enter");
  const teams = page.getByRole("list", { name: "Teams" });
  await teams.waitFor();
  return teams;
}

/** A feed as long as asked for, written straight into the tables. */
export async function fillFeed({ sql }: World, team: Team, messages: number): Promise<void> {
  await sql(
    `insert into parley.messages (session_id, sequence, posted_by, type, content, posted_at)
     select $1, n, 1, 'chat', jsonb_build_object('text', 'message number ' || n), now() - ($2 - n) * interval '1 second'
     from generate_series((select last_sequence + 1 from parley.sessions where id = $1), $2) n`,
    [team.session_id, messages],
  );
  await sql("update parley.sessions set last_sequence = $2 where id = $1", [team.session_id, messages]);
}
