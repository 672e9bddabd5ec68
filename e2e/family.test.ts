import { expect, test } from "vitest";
import type { Team } from "../testing/server.ts";
import { useWorld } from "./world.ts";

const world = useWorld();

test("what becomes of a child, and an interrupt, are quiet lines of the feed; one leads to the child", async () => {
  const { parley } = world;
  const alex = await parley.create("Alex's Team", "Port billing");
  const blue = await parley.join(alex);
  const page = await world.open(`/s/${alex.ref}`);
  const feed = page.getByRole("log");
  const spawned = await parley.post(`/sessions/${alex.ref}/spawn`, { title: "Port refunds", description: "" }, alex);
  const child: Team = spawned.body;
  await feed.getByText(`Alex's Team spawned ${child.ref}: Port refunds`).waitFor();
  await parley.post(`/sessions/${child.ref}/conclude`, { summary_section: "All ported.\n\nSee src/refunds." }, child);
  await feed.getByText(`${child.ref} (Port refunds) was concluded`).waitFor();
  await feed.getByText("All ported.").waitFor();
  await parley.post(`/sessions/${alex.ref}/interrupt`, { handle: blue.handle, reason: "Wrong branch." }, alex);
  const line = feed.getByText("Alex's Team interrupted Team Blue");
  expect(await line.innerText()).toContain(": “Wrong branch.”");
  await feed.getByRole("link", { name: "open" }).first().click();
  await page.getByRole("heading", { name: "Port refunds" }).waitFor();
});

test("the family of a session is a small tree behind its title, and leads to each of them", async () => {
  const { parley } = world;
  const alex = await parley.create("Alex's Team", "Port billing");
  const { body: child } = await parley.post(`/sessions/${alex.ref}/spawn`, { title: "Refunds", description: "" }, alex);
  await parley.post(`/sessions/${child.ref}/spawn`, { title: "Seed data", description: "" }, child);
  const page = await world.open(`/s/${child.ref}`);
  await page.getByRole("heading", { name: "Refunds" }).getByRole("button").press("Enter");
  const tree = page.getByRole("navigation", { name: "Lineage" });
  await tree.getByRole("link", { name: "Port billing" }).waitFor();
  expect(await tree.locator("[aria-current=page]").innerText()).toBe("Refunds");
  const second = await world.open(`/s/${alex.ref}`);
  await second.getByRole("heading", { name: "Port billing" }).getByRole("button").press("Enter");
  const inSecond = second.getByRole("navigation", { name: "Lineage" });
  await inSecond.getByRole("link", { name: "Seed data" }).waitFor();
  await parley.post(`/sessions/${child.ref}/spawn`, { title: "Load test", description: "" }, child);
  await parley.post(`/sessions/${alex.ref}/fork`, { team_name: "Robin", title: "Another way" }, alex);
  for (const name of ["Load test", "Another way"]) await inSecond.getByRole("link", { name }).waitFor();
  await tree.getByRole("link", { name: "Seed data" }).press("Enter");
  await page.getByRole("heading", { name: "Seed data" }).waitFor();
});
