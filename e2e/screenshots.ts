import { mkdirSync } from "node:fs";
import type { Browser } from "playwright-core";
import { playAgents } from "./agents-world.ts";
import { playBusyWorld } from "./busy-world.ts";
import { playSessions } from "./story.ts";
import { withThrowawayParley } from "./throwaway.ts";

/** The README's pictures are kept; those of the busy world are made to be looked at. */
const README = "web/screenshots";
const GALLERY = "screenshots";

const SIZES = { wide: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };

async function picture(
  browser: Browser,
  url: string,
  folder: string,
  pages: Record<string, string>,
  sizes: Partial<typeof SIZES>,
) {
  mkdirSync(folder, { recursive: true });
  for (const [size, viewport] of Object.entries(sizes)) {
    for (const colorScheme of ["light", "dark"] as const) {
      const context = await browser.newContext({
        colorScheme,
        viewport,
        deviceScaleFactor: folder === README ? 1.5 : 1,
      });
      for (const [name, path] of Object.entries(pages)) {
        const page = await context.newPage();
        await page.goto(`${url}${path}`);
        await page.getByRole("heading").first().waitFor();
        await page.waitForLoadState("networkidle");
        const file = folder === README ? `${name}-${colorScheme}` : `${name}-${size}-${colorScheme}`;
        await page.screenshot({ path: `${folder}/${file}.png` });
        await page.close();
      }
      await context.close();
    }
  }
}

await withThrowawayParley(async (url, browser, sql) => {
  const ref = await playSessions(url);
  const pages = { list: "/", session: `/s/${ref}`, agents: `/s/${await playAgents(url, sql)}?tab=agents` };
  await picture(browser, url, README, pages, { wide: { width: 1280, height: 800 } });
});

// npm run screenshots -- readme
if (process.argv[2] === "readme") process.exit();

await withThrowawayParley(async (url, browser, sql) => {
  await picture(browser, url, GALLERY, { empty: "/", "empty-boards": "/boards" }, SIZES);
  const { busy, ugly, board, agents } = await playBusyWorld(url, sql);
  const pages = {
    list: "/",
    session: `/s/${busy}`,
    now: `/s/${busy}?tab=now`,
    work: `/s/${busy}?tab=work`,
    document: `/s/${busy}?tab=doc`,
    timeline: `/s/${busy}?tab=timeline`,
    ugly: `/s/${ugly}`,
    agents: `/s/${agents}?tab=agents`,
    boards: "/boards",
    board: `/b/${board}`,
    settings: "/settings",
    limits: "/settings#limits",
    keys: "/settings/keys",
    people: "/settings/people",
    audit: "/settings/audit",
    runners: "/runners",
    "sign-in": "/sign-in",
    missing: "/s/calm-otter-17",
    unknown: "/nothing-here",
  };
  await picture(browser, url, GALLERY, pages, SIZES);
});
