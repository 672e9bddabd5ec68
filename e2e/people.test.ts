import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { BrowserContext, Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { makeLink } from "../testing/people.ts";
import { until } from "../testing/server.ts";
import { useWorld } from "./world.ts";

const world = useWorld({ access: "keys" });
/** The cookie of an owner. */
let storageState: Awaited<ReturnType<BrowserContext["storageState"]>>;
beforeAll(async () => {
  storageState = await (await signIn("Olivia", "owner")).context().storageState();
});
const asOwner = (path: string) => world.open(path, { storageState });

/** By a link, as it is opened from a mail. */
async function signIn(name: string, role: string | null): Promise<Page> {
  const page = await world.open(`/sign-in#token=${await makeLink(world.parley, name, role)}`);
  await page.getByRole("button", { name: `Sign in as ${name}` }).click();
  await page.getByRole("button", { name: `You are ${name}` }).waitFor();
  return page;
}
const rowOf = (page: Page, name: string) => page.getByRole("listitem").filter({ hasText: name });

describe("signing in", () => {
  test("a page without a person is the page to sign in, and after that the page that was asked for", async () => {
    const created = await (await asOwner("/")).evaluate(async () => {
      const body = JSON.stringify({ title: "Behind doors", description: "", creator_team_name: "A" });
      const init = { method: "POST", headers: { "content-type": "application/json" }, body };
      return (await fetch("/api/sessions", init)).json();
    });
    for (const path of ["/", `/s/${created.ref}`, "/settings", "/settings/people"]) {
      const page = await world.open(path);
      await page.getByRole("heading", { name: "Sign in to Parley" }).waitFor();
      expect(await page.getByText("Behind doors").count()).toBe(0);
      expect(await page.getByRole("alert").count()).toBe(0);
      await world.close(page);
    }
    const ada = await signIn("Ada", "member");
    await ada.goto(`${world.parley.url}/s/${created.ref}`);
    await ada.getByRole("heading", { name: "Behind doors" }).waitFor();
  });

  test("the token leaves the address at once, is not used up by looking, and works once", async () => {
    const token = await makeLink(world.parley, "Grace", "viewer");
    const looking = await world.open(`/sign-in#token=${token}`);
    await looking.getByRole("button", { name: "Sign in as Grace" }).waitFor();
    expect(looking.url()).toBe(`${world.parley.url}/sign-in`);
    const page = await world.open(`/sign-in#token=${token}`);
    await page.getByRole("button", { name: "Sign in as Grace" }).press("Enter");
    await page.getByRole("button", { name: "You are Grace" }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/");
    expect((await page.context().cookies())[0]).toMatchObject({ name: "parley", httpOnly: true, sameSite: "Lax" });

    await looking.getByRole("button", { name: "Sign in as Grace" }).click();
    await looking.getByRole("alert").getByText("This sign-in link is unknown, used, expired or revoked.").waitFor();
  });

  test("whoever opens an invitation is a member of its session; the next one is told that it is used up", async () => {
    const [ref, links] = await (await asOwner("/")).evaluate(async () => {
      const post = async (path: string, body: object, headers = {}) => {
        const init = { method: "POST", headers: { "content-type": "application/json", ...headers } };
        return (await fetch(`/api${path}`, { ...init, body: JSON.stringify(body) })).json();
      };
      const session = { title: "For few", description: "", creator_team_name: "A", visibility: "members" };
      const { ref, team_id } = await post("/sessions", session);
      return [ref, await post(`/sessions/${ref}/invites`, {}, { "x-team-id": team_id })];
    });
    const path = new URL(links.url).pathname + new URL(links.url).hash;
    const nobody = await world.open(path);
    await nobody.getByText("You are invited to a session.").waitFor();

    const ivy = await signIn("Ivy", "member");
    await ivy.goto(`${world.parley.url}/s/${ref}`);
    await ivy.getByRole("heading", { name: "No such session" }).waitFor();
    for (const again of [false, true]) {
      await ivy.goto("about:blank");
      await ivy.goto(world.parley.url + path);
      await ivy.getByRole("heading", { name: "For few" }).waitFor();
      await until(() => ivy.url() === `${world.parley.url}/s/${ref}`, "the address without the invitation");
      expect([again, await ivy.getByRole("alert").count()]).toEqual([again, 0]);
    }
    const jo = await signIn("Jo", "member");
    await jo.goto(world.parley.url + path);
    await jo.getByRole("alert").getByText("This invitation is unknown, used up, expired or revoked.").waitFor();
    await jo.getByRole("heading", { name: "No such session" }).waitFor();
  });

  test("somebody whom the link does not name says who they are", async () => {
    const owner = await asOwner("/settings/people");
    await owner.getByRole("button", { name: "Make a link" }).click();
    const dialog = owner.getByRole("dialog");
    const link = await dialog.getByText("/sign-in#token=").innerText();
    await owner.keyboard.press("Escape");
    const page = await world.open(link.replace(world.parley.url, ""));
    await page.getByLabel("Your name").fill("Nadia");
    await page.getByLabel("Your name").press("Enter");
    await page.getByRole("button", { name: "You are Nadia" }).waitFor();
  });

  test("signing out ends this browser's page, and everywhere those of the others, which say so by themselves", async () => {
    const [first, second] = [await signIn("Petra", "member"), await signIn("Petra", null)];
    await first.getByRole("button", { name: "You are Petra" }).click();
    await first.getByRole("menuitem", { name: "Sign out everywhere" }).click();
    for (const page of [first, second]) await page.getByRole("heading", { name: "Sign in to Parley" }).waitFor();
  });
});

test("a key is made on the page, shown once with lines that work as they stand, and dies when it is revoked", async () => {
  const owner = await asOwner("/settings/keys");
  await owner.getByLabel("What it is for").fill("A script");
  await owner.getByRole("button", { name: "Make a key" }).click();
  const dialog = owner.getByRole("dialog", { name: "A script" });
  const claude = await dialog.getByText("claude mcp add").innerText();
  expect(claude).toMatch(
    /^claude mcp add --transport http parley http:\S+\/mcp --header "Authorization: Bearer pk_\S+"$/,
  );
  await dialog.getByRole("tab", { name: "curl" }).click();
  const line = await dialog.getByText(/^curl -s -H/).innerText();
  const run = async () => JSON.parse((await promisify(execFile)("bash", ["-c", line])).stdout);
  expect((await run()).ref).toMatch(/^\w+-\w+-\d+$/);
  await owner.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  const secret = /pk_\S{52}/.exec(claude)?.[0] as string;
  expect(await owner.content()).not.toContain(secret);

  await owner.reload();
  await rowOf(owner, "A script").getByText("used now").waitFor();
  await owner.getByRole("button", { name: "Revoke A script" }).click();
  await owner.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  expect((await run()).ref).toBeDefined();
  await owner.getByRole("button", { name: "Revoke A script" }).click();
  await owner.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await rowOf(owner, "A script").getByText("revoked now").waitFor();
  expect((await run()).error.code).toBe("unauthorized");
});

test("an owner changes a role, brings somebody back, and removes them: their page ends by itself", async () => {
  const vera = await signIn("Vera", "viewer");
  const owner = await asOwner("/settings/people");
  await owner.getByLabel("Role of Vera").click();
  await owner.getByRole("option", { name: "Member" }).click();
  await until(async () => {
    const people = await world.sql("select from parley_private.users where name = 'Vera' and role = 'member'");
    return people.length === 1;
  }, "the role");
  await owner.getByRole("button", { name: "More about Vera" }).click();
  await owner.getByRole("menuitem", { name: "Remove" }).click();
  await owner.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await vera.getByRole("heading", { name: "Sign in to Parley" }).waitFor();
  await owner.getByRole("button", { name: "Bring Vera back" }).click();
  await owner.getByLabel("Role of Vera").waitFor();

  await owner.getByLabel("Role of Olivia").click();
  await owner.getByRole("option", { name: "Viewer" }).click();
  await owner.getByText("This is the last owner: somebody has to be one.").waitFor();

  await owner.getByRole("link", { name: "Audit" }).click();
  await owner
    .getByText(/removed Vera, who was/)
    .first()
    .waitFor();
});

test("whoever does not keep the server sees neither keys nor people nor audit", async () => {
  const member = await signIn("Mona", "member");
  await member.goto(`${world.parley.url}/settings`);
  await member.getByRole("region", { name: "Rules" }).waitFor();
  expect(await member.getByRole("navigation", { name: "Settings" }).count()).toBe(0);
  for (const part of ["keys", "people", "audit"]) {
    await member.goto(`${world.parley.url}/settings/${part}`);
    await member.getByRole("alert").getByText("This needs the scope admin").waitFor();
  }
});
