import { expect, test } from "vitest";
import { startTestServer } from "../testing/server.ts";
import { useWorld } from "./world.ts";

const world = useWorld();

test("without the server the button of the demo says so, and the empty list stays", async () => {
  const page = await world.open("/");
  const button = page.getByRole("button", { name: "Start the demo" });
  await button.waitFor();
  await page.context().setOffline(true);
  await button.click();
  await page.getByRole("alert").getByText("The server does not answer.").waitFor();
});

test("the demo is started from the empty list and watched; who starts it again is led to the one that runs", {
  timeout: 60_000,
}, async () => {
  const late = await world.browser.newPage();
  // Without its socket this page does not learn that the list is no longer empty.
  await late.routeWebSocket(/graphql/, (socket) => socket.close());
  await late.goto(world.parley.url);
  const again = late.getByRole("button", { name: "Start the demo" });
  await again.waitFor();
  await late.route("**/graphql", () => undefined);
  const page = await world.open("/");
  await page.getByRole("button", { name: "Start the demo" }).press("Enter");
  await page.waitForURL(/\/s\/[\w-]+$/);
  await page.getByRole("log").getByRole("article").first().waitFor();
  const ref = new URL(page.url()).pathname.split("/").at(-1) ?? "";

  await again.click();
  const there = late.getByRole("alert").getByRole("link", { name: `Open ${ref}` });
  await there.waitFor();
  await late.unroute("**/graphql");
  await there.click();
  await late.getByRole("heading", { level: 1 }).first().waitFor();
  expect(new URL(late.url()).pathname).toBe(`/s/${ref}`);
});

test("where the demo is switched off, the page says so and offers it no more", async () => {
  const parley = await startTestServer({ demo: false });
  const page = await world.browser.newPage();
  await page.goto(parley.url);
  const button = page.getByRole("button", { name: "Start the demo" });
  await button.click();
  await page.getByRole("alert").getByText("The demo is switched off on this server.").waitFor();
  expect(await button.count()).toBe(0);
  await page.close();
  await parley.stop();
});
