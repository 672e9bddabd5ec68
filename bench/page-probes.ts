import { gzipSync } from "node:zlib";
import type { Browser, CDPSession, Page } from "playwright-core";

const VIEW = { viewport: { width: 1280, height: 800 } };

/** Bytes of script that a first visit to the list loads, as they would be sent. */
export async function firstLoad(browser: Browser, url: string): Promise<number> {
  const page = await browser.newPage();
  const scripts: Promise<Buffer>[] = [];
  page.on("response", (response) => {
    if (response.request().resourceType() === "script") scripts.push(response.body());
  });
  await page.goto(url);
  await page.getByRole("heading").first().waitFor();
  const bytes = (await Promise.all(scripts)).reduce((sum, script) => sum + gzipSync(script).length, 0);
  await page.close();
  return bytes;
}

export async function openSession(browser: Browser, url: string, ref: string, last?: number): Promise<Page> {
  const page = await browser.newPage(VIEW);
  await page.goto(`${url}/s/${ref}`);
  await page
    .locator(last ? `[data-sequence="${last}"]` : "[data-sequence]")
    .first()
    .waitFor();
  return page;
}

const watched = new WeakMap<Page, CDPSession>();

/** How long the main thread of a page has worked since it was first asked. */
export async function mainThreadMs(page: Page): Promise<number> {
  let cdp = watched.get(page);
  if (!cdp) {
    cdp = await page.context().newCDPSession(page);
    await cdp.send("Performance.enable");
    watched.set(page, cdp);
  }
  const { metrics } = await cdp.send("Performance.getMetrics");
  return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0) * 1_000;
}

/** Nothing is left to do: it has been idle after two frames. */
export const settled = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
    await new Promise((resolve) => requestIdleCallback(resolve));
  });

/** In the page: when a text was painted, and when somebody last typed before it. */
export function paintedAt({ text, after }: { text: string; after?: string }) {
  let began = Date.now();
  if (after)
    document.querySelector(after)?.addEventListener("input", () => {
      began = Date.now();
    });
  return new Promise<{ began: number; painted: number }>((resolve) => {
    const look = () => {
      const rows = document.querySelectorAll("[data-sequence], [data-section]");
      if (![...rows].some((row) => row.textContent?.includes(text))) return;
      observer.disconnect();
      // The frame in which it is drawn, and the task after that frame.
      requestAnimationFrame(() => setTimeout(() => resolve({ began, painted: Date.now() })));
    };
    const observer = new MutationObserver(look);
    observer.observe(document.body, { childList: true, subtree: true, characterData: true });
    look();
  });
}

/** What an open list is sent for each of some changes, over its socket and as answers. */
export async function bytesTold(
  browser: Browser,
  url: string,
  changes: number,
  change: (n: number) => Promise<void>,
): Promise<number> {
  const page = await browser.newPage(VIEW);
  let bytes = 0;
  page.on("websocket", (socket) =>
    socket.on("framereceived", ({ payload }) => {
      bytes += Buffer.byteLength(payload);
    }),
  );
  page.on("response", async (response) => {
    bytes += (await response.body().catch(() => Buffer.alloc(0))).length;
  });
  await page.goto(url);
  await page.locator("[data-session]").first().waitFor();
  await page.waitForLoadState("networkidle");
  bytes = 0;
  for (let n = 0; n < changes; n++) {
    const seen = page.getByText(`a change of the list, ${n}`, { exact: true }).first().waitFor();
    await change(n);
    await seen;
  }
  await page.close();
  return bytes / changes;
}
