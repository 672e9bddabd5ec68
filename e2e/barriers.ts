import AxeBuilder from "@axe-core/playwright";
import type { Page } from "playwright-core";

/** What keeps somebody out of the page as it is now, where it is serious. */
export async function barriersOf(page: Page, where: string): Promise<string[]> {
  // The legacy mode is for pages without frames, as ours are, and takes half the time.
  const axe = new AxeBuilder({ page: page as never }).setLegacyMode(true).options({ resultTypes: ["violations"] });
  const { violations } = await axe.analyze();
  const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  return serious.map(({ id, nodes }) => `${where} ${id} ${nodes[0]?.html.slice(0, 200)}`);
}
