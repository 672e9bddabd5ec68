import AxeBuilder from "@axe-core/playwright";
import { expect, test } from "vitest";
import { useWorld } from "./world.ts";

const world = useWorld();

test.each(["light", "dark"] as const)(
  "no page has a serious barrier in %s",
  { timeout: 60_000 },
  async (colorScheme) => {
    const alex = await world.parley.create();
    await world.parley.join(alex);
    await world.parley.say(alex, "A **message** with `code` and a [link](https://example.com)");
    await world.parley.post(`/sessions/${alex.ref}/doc/append`, { text: "# Heading\n\n- a point" }, alex);
    await world.parley.post(`/sessions/${alex.ref}/conclude`, { summary_section: "Done." }, alex);
    for (const path of ["/", `/s/${alex.ref}`, "/settings", "/s/calm-otter-0"]) {
      const page = await world.open(path, { colorScheme, reducedMotion: "reduce" });
      await page.waitForLoadState("networkidle");
      await page.getByRole("heading").first().waitFor();
      const { violations } = await new AxeBuilder({ page: page as never }).analyze();
      const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
      expect(serious.map(({ id, nodes }) => `${path} ${id} ${nodes[0]?.html.slice(0, 200)}`)).toEqual([]);
      await page.context().close();
    }
  },
);

test("a session is found and opened by keyboard alone, and the shortcuts are shown", async () => {
  await world.parley.create("Alex's Team", "Reached by keys");
  const page = await world.open("/");
  await page.getByText("Reached by keys").waitFor();
  await page.keyboard.press("?");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  await page.keyboard.press("/");
  await page.keyboard.type("Reached by");
  await page.waitForURL(/Reached/);
  await page.keyboard.press("Escape");
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Reached by keys" }).waitFor();
});
