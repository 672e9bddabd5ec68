import type { Browser, BrowserContextOptions, Page } from "playwright-core";

/** Of the origin of all pages, and without a script. */
const STILL = "/favicon.svg";

/** A page that somebody has, or had. */
interface Used {
  browser: Browser;
  kind: string;
  origin: string;
}

const taken = new Map<Page, Used>();
const free = new Map<Page, Used>();

/**
 * A page alone in its context, in which nothing is kept. In a new one a good part of what a page costs is to start its process, and to
 * load and compile its script again; hence they are emptied and used again, also by the next file, as long as the origin stays.
 */
export async function takePage(browser: Browser, origin: string, options: BrowserContextOptions): Promise<Page> {
  const { storageState, ...rest } = options;
  const kind = JSON.stringify(rest);
  const found = [...free].findLast(([, of]) => of.browser === browser && of.origin === origin && of.kind === kind)?.[0];
  if (found) free.delete(found);
  const page = found ?? (await (await browser.newContext(rest)).newPage());
  taken.set(page, { browser, kind, origin });
  if (typeof storageState === "object") await page.context().addCookies(storageState.cookies);
  return page;
}

export async function giveBack(page: Page): Promise<void> {
  const used = taken.get(page);
  if (!used) return;
  taken.delete(page);
  if (await emptied(page, used.origin)) free.set(page, used);
  else await page.context().close();
}

async function emptied(page: Page, origin: string): Promise<boolean> {
  const context = page.context();
  // The worker of a page outlives it, and would answer for those that come.
  if (page.isClosed() || context.serviceWorkers().length > 0) return false;
  page.removeAllListeners();
  page.setDefaultTimeout(30_000);
  try {
    await Promise.all(context.pages().map((other) => other !== page && other.close()));
    await Promise.all([
      context.setOffline(false),
      page.unrouteAll(),
      page.setExtraHTTPHeaders({}),
      page.mouse.move(0, 0),
    ]);
    await page.goto(origin + STILL);
    await page.evaluate(() => {
      localStorage.clear();
      sessionStorage.clear();
    });
    await context.clearCookies();
    return true;
  } catch {
    return false;
  }
}

/** All that a test has opened; what it has made by itself is closed. */
export async function giveBackAll(browser: Browser): Promise<void> {
  await Promise.all([...taken.keys()].map(giveBack));
  const kept = new Set([...free.keys()].map((page) => page.context()));
  await Promise.all(browser.contexts().map((context) => kept.has(context) || context.close()));
}

/** Nobody comes to another origin again. */
export async function closeAllBut(origin: string): Promise<void> {
  for (const [page, used] of free) {
    if (used.origin === origin) continue;
    free.delete(page);
    await page.context().close();
  }
}
