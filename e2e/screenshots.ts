import { mkdirSync } from "node:fs";
import { playSessions } from "./story.ts";
import { withThrowawayParley } from "./throwaway.ts";

const FOLDER = "web/screenshots";

await withThrowawayParley(async (url, browser) => {
  const ref = await playSessions(url);
  mkdirSync(FOLDER, { recursive: true });
  for (const colorScheme of ["light", "dark"] as const) {
    const viewport = { width: 1280, height: 800 };
    const context = await browser.newContext({ colorScheme, viewport, deviceScaleFactor: 2 });
    for (const [name, path] of Object.entries({ list: "/", session: `/s/${ref}` })) {
      const page = await context.newPage();
      await page.goto(`${url}${path}`);
      await page.getByRole("heading").first().waitFor();
      await page.waitForLoadState("networkidle");
      await page.screenshot({ path: `${FOLDER}/${name}-${colorScheme}.png` });
    }
    await context.close();
  }
});
