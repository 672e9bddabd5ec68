import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { until } from "../testing/server.ts";
import { barriersOf } from "./barriers.ts";
import { useWorld } from "./world.ts";

const world = useWorld();

test("a link changed in the settings appears in the connect panel of another tab and in the guide", async () => {
  const other = await world.open("/");
  await other.getByText(`${world.parley.url}/mcp`).first().waitFor();
  const settings = await world.open("/settings");
  await settings.getByLabel("Change the link").fill("https://parley.example.com/mcp");
  await settings.getByLabel("Change the link").press("Enter");
  await other.getByText("https://parley.example.com/mcp").first().waitFor();
  expect(await (await fetch(`${world.parley.url}/AGENTS.md`)).text()).toContain("https://parley.example.com/mcp");

  await settings.getByLabel("Change the link").fill("not a link");
  await settings.getByLabel("Change the link").press("Enter");
  await settings.getByRole("alert").getByText("mcp_url must be").waitFor();
  await world.sql(`update parley.settings set value = '""' where name = 'mcp_url'`);
});

test("the server calls itself through its link, and says so hop by hop", async () => {
  const settings = await world.open("/settings");
  await settings.getByRole("button", { name: "Test connection" }).click();
  for (const said of ["127.0.0.1 is an address.", "MCP answers.", "WebSockets come through.", "Waiting for 30 seconds"])
    await settings.getByText(said).waitFor();
  await world.sql(`update parley.settings set value = '"http://nowhere.invalid/mcp"' where name = 'mcp_url'`);
  await settings.getByText("http://nowhere.invalid/mcp").first().waitFor();
  await settings.getByRole("button", { name: "Test connection" }).click();
  await settings.getByText("Nobody knows the name nowhere.invalid.").waitFor();
  expect(await settings.getByText("Waiting for 30 seconds").count()).toBe(0);
  await world.sql(`update parley.settings set value = '""' where name = 'mcp_url'`);
});

test("whoever waits for a call of an agent is told of the first one, and not before", async () => {
  const settings = await world.open("/settings");
  await settings.getByRole("button", { name: "Wait for a call of an agent" }).click();
  await settings.getByText("Waiting for a call").waitFor();
  const line = await settings.getByText("echo reached").innerText();
  expect(await settings.getByText("A call has arrived").count()).toBe(0);
  await promisify(execFile)("bash", ["-c", line]);
  await settings.getByText("A call has arrived").waitFor();
});

test("whoever is not on the server's machine is told so where they wanted to change a setting", async () => {
  const settings = await world.open("/settings", { extraHTTPHeaders: { "x-forwarded-for": "203.0.113.7" } });
  await settings.getByLabel("Change the link").fill("https://parley.example.com/mcp");
  await settings.getByLabel("Change the link").press("Enter");
  const alert = settings.getByRole("alert");
  await alert.getByText("only on the machine that the server runs on").waitFor();
  expect(await alert.innerText()).toContain("by SQL");
  expect(await world.sql("select value from parley.settings where name = 'mcp_url'")).toEqual([{ value: "" }]);
});

test("a rule is switched on and off, with the keyboard too, and stands with the other rules", async () => {
  const settings = await world.open("/settings");
  const rules = settings.getByRole("region", { name: "Rules" });
  const convenerOnly = rules.getByRole("switch", { name: "Only the convener concludes and renames" });
  await convenerOnly.click();
  const value = async () =>
    ((await world.sql("select value from parley.settings where name = 'convener_only'")) as { value: unknown }[])[0]
      ?.value;
  await until(async () => (await value()) === true, "the setting to be on");
  await rules.locator('[role=switch][aria-checked="true"]').waitFor();

  await convenerOnly.press("Space");
  await until(async () => (await value()) === false, "the setting to be off");
  expect(await rules.getByLabel("Messages while nothing moves").count()).toBe(1);
  expect(await rules.getByLabel("Title", { exact: true }).count()).toBe(0);
  expect(await settings.getByRole("region", { name: "Limits" }).getByLabel("Title", { exact: true }).count()).toBe(1);
});

test("a function that was changed in the database is shown beside ours, its text only on the server's machine", async () => {
  const nothing = await world.open("/settings");
  await nothing.getByRole("region", { name: "Rules" }).waitFor();
  expect(await nothing.getByText("Changed in the database").count()).toBe(0);

  await world.sql("alter function parley.whoami cost 77");
  const settings = await world.open("/settings", { viewport: { width: 390, height: 800 }, colorScheme: "dark" });
  await settings.getByRole("heading", { name: "parley.whoami" }).click();
  await settings.getByText("+ STABLE COST 77").waitFor();
  await settings.getByText("npx parley admin sources --reset parley.whoami").waitFor();
  const width = await settings.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(390);

  const elsewhere = await world.open("/settings", { extraHTTPHeaders: { "x-forwarded-for": "203.0.113.7" } });
  await elsewhere.getByRole("heading", { name: "parley.whoami" }).click();
  await elsewhere.getByText("only on the machine that the server runs on").waitFor();
  expect(await elsewhere.getByText("COST 77").count()).toBe(0);
  await world.sql("select parley_private.reset_function('whoami')");
});

test("the many limits are folded, say what was changed, and are found by their words, by keys and on a phone", async () => {
  await world.sql("update parley.settings set value = '150' where name = 'title_max'");
  for (const width of [1280, 360]) {
    const settings = await world.open("/settings", { viewport: { width, height: 800 } });
    const limits = settings.getByRole("region", { name: "Limits" });
    await limits.getByText("1 changed").waitFor();
    expect(await limits.getByLabel("Longest wait").isVisible()).toBe(false);
    await limits.getByRole("heading", { name: "Presence and waiting" }).locator("..").press("Enter");
    await limits.getByLabel("Longest wait").waitFor();
    await settings.getByLabel("Find a setting").fill("longest");
    await limits.getByLabel("Longest wait").waitFor();
    expect(await settings.getByRole("region", { name: "Rules" }).count()).toBe(0);
    await settings.getByLabel("Find a setting").fill("no such thing");
    await settings.getByText("No setting is called so.").waitFor();
    await settings.getByLabel("Find a setting").press("Escape");
    await settings.getByRole("region", { name: "Rules" }).waitFor();
    expect(await barriersOf(settings, `settings at ${width}`)).toEqual([]);
    expect(await settings.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  }
  await world.sql("update parley.settings set value = '200' where name = 'title_max'");
});
