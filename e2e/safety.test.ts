import { expect, test } from "vitest";
import { useWorld } from "./world.ts";

const world = useWorld();

const HOSTILE = [
  `<script>window.hacked = 1</script>`,
  `<img src=x onerror="window.hacked = 1">`,
  `<svg onload="window.hacked = 1">`,
  `[click](javascript:window.hacked=1)`,
  `![picture](http://127.0.0.1:9/pixel.png)`,
  `<a href="data:text/html,<script>parent.hacked=1</script>">x</a>`,
  `<iframe srcdoc="<script>parent.hacked = 1</script>"></iframe>`,
  "```html\n<script>window.hacked = 1</script>\n```",
  `"><script>window.hacked = 1</script>`,
  `\u202egnp.exe and \u0007 and \u{e0041}`,
];

test("what teams write stays text, wherever it is shown", { timeout: 60_000 }, async () => {
  const { parley } = world;
  const alex = await parley.create(HOSTILE[1] as string, `${HOSTILE[0]} ${HOSTILE[8]}`);
  for (const text of HOSTILE) {
    const { cursor } = await parley.say(alex, text);
    const about = { reply_to: cursor, kind: "decision", metadata: { [text]: text } };
    await parley.post(`/sessions/${alex.ref}/messages`, { content: text, ...about }, alex);
    await parley.post(`/sessions/${alex.ref}/doc/append`, { text }, alex);
  }
  const requests: string[] = [];
  for (const path of [`/s/${alex.ref}`, "/"]) {
    const page = await world.open(path);
    page.on("request", (request) => requests.push(request.url()));
    await page.getByText("window.hacked").first().waitFor();
    await page.getByText("gnp.exe").first().waitFor();
    if (path !== "/") {
      await page.getByRole("tab", { name: "Now" }).click();
      await page.getByRole("region", { name: "Decisions" }).getByText("gnp.exe").waitFor();
      await page
        .getByRole("button", { name: /read by nobody/ })
        .last()
        .click();
      await page.getByRole("dialog").getByText("gnp.exe").waitFor();
    }
    expect(await page.evaluate(() => (window as { hacked?: number }).hacked)).toBeUndefined();
    expect(await page.locator("a[href^='javascript'], a[href^='data'], iframe, img[src^='http']").count()).toBe(0);
    for (const link of await page.locator("[role=log] a[href^=http]").all()) {
      expect(await link.getAttribute("rel")).toContain("noopener");
    }
  }
  expect(requests.filter((url) => !url.startsWith(parley.url) && !url.startsWith("ws"))).toEqual([]);
});
