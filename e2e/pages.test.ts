import { expect, test } from "vitest";
import { useWorld } from "./world.ts";

const world = useWorld();
/** Of the origin of all pages, and loaded at once. */
const PATH = "/favicon.svg";

test("who gets the page of another finds nothing of what was kept in it, and is alone in its context", async () => {
  const page = await world.open(PATH);
  await page.evaluate(() => {
    localStorage.setItem("kept", "yes");
    sessionStorage.setItem("kept", "yes");
    // biome-ignore lint/suspicious/noDocumentCookie: as a page may
    document.cookie = "kept=yes";
  });
  const context = page.context();
  await context.setOffline(true);
  const other = await world.open(PATH);
  expect(other.context()).not.toBe(context);
  await page.route("**/*", (route) => route.abort());
  await world.close(page);

  const next = await world.open(PATH);
  expect(next).toBe(page);
  expect(await next.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie])).toEqual([0, 0, ""]);
  expect(await context.cookies()).toEqual([]);
  const touched = await world.open(PATH, { hasTouch: true });
  expect([context, other.context()]).not.toContain(touched.context());
});
