import AxeBuilder from "@axe-core/playwright";
import axeCore from "axe-core";
import type { Page } from "playwright-core";

/** What the other colours can break; all else is the same in light and dark. */
const OF_COLOUR = ["color-contrast", "link-in-text-block"];

/** What keeps somebody out of the page as it is now, where it is serious: in its colours, light or dark, and then in the others, which it keeps. */
export async function barriersOf(page: Page, where: string): Promise<string[]> {
  const isDark = (await page.locator("html.dark").count()) > 0;
  const found = (await seriousOf(page)).map((what) => `${where}${isDark ? " in dark" : ""} ${what}`);
  await page.emulateMedia({ colorScheme: isDark ? "light" : "dark" });
  await page.locator(isDark ? "html:not(.dark)" : "html.dark").waitFor();
  const inOthers = await seriousOf(page, OF_COLOUR);
  return [...found, ...inOthers.map((what) => `${where}${isDark ? "" : " in dark"} ${what}`)];
}

async function seriousOf(page: Page, rules?: string[]): Promise<string[]> {
  await page.evaluate(untilStill);
  // Half a megabyte of script, once for a page; left to the builder it comes each time, and is given up after a second.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axeCore.source);
  // The legacy mode is for pages without frames, as ours are, and takes half the time.
  const axe = new AxeBuilder({ page: page as never, axeSource: ";" })
    .setLegacyMode(true)
    .options({ resultTypes: ["violations"] });
  if (rules) axe.withRules(rules);
  const { violations } = await axe.analyze();
  const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  return serious.map(({ id, nodes }) => `${id} ${nodes[0]?.html.slice(0, 200)} ${nodes[0]?.any[0]?.message ?? ""}`);
}

/** Colours that are still on their way to others are none that anybody has to read. Where they never arrive, they are looked at as they are. */
async function untilStill() {
  const changing = () => document.getAnimations().some((animation) => animation instanceof CSSTransition);
  for (let looks = 0; looks < 60 && changing(); looks++) await new Promise((resolve) => setTimeout(resolve, 50));
}
