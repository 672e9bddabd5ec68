import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeLink } from "../testing/people.ts";
import { useWorld } from "./world.ts";

const world = useWorld({ access: "keys" });
let foreign: Server;
beforeAll(async () => {
  foreign = createServer((_req, res) => res.setHeader("content-type", "text/html").end("<h1>Another page</h1>"));
  await once(foreign.listen(0, "127.0.0.1"), "listening");
});
afterAll(() => foreign.close());

/** What a page can try with the cookie of whoever looks at it; each answers with what it could read. */
async function attack(target: string): Promise<string[]> {
  const body = JSON.stringify({ name: "Stolen", scopes: ["read", "admin"] });
  const graphql = JSON.stringify({
    query: 'mutation { createKey(input: { name: "Stolen", scopes: ["admin"] }) { result { secret } } }',
  });
  const read = (path: string, init: RequestInit = {}) =>
    fetch(target + path, { credentials: "include", ...init }).then(
      async (response) => `${response.type} ${await response.text()}`,
      () => "blocked",
    );
  const types = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"];
  const simple = types.flatMap((type) =>
    [
      ["/api/keys", body],
      ["/graphql", graphql],
      ["/auth/sign-out", "{}"],
    ].map(([path, text]) =>
      read(path as string, {
        method: "POST",
        mode: "no-cors",
        headers: { "content-type": type },
        body: text as string,
      }),
    ),
  );
  const asked = read("/api/keys", { method: "POST", headers: { "content-type": "application/json" }, body });
  const form = new Promise<string>((resolve) => {
    document.body.innerHTML += `<iframe name="f"></iframe><form target="f" method="post" enctype="text/plain" action="${target}/api/keys"><input name='${body.slice(0, -1)}, "a": "' value='"}'></form>`;
    document.querySelector("iframe")?.addEventListener("load", () => resolve("sent"));
    document.querySelector("form")?.submit();
    setTimeout(() => resolve("sent"), 1_000);
  });
  const socket = new Promise<string>((resolve) => {
    const opened = new WebSocket(`${target.replace("http", "ws")}/graphql`, "graphql-transport-ws");
    opened.onopen = () => resolve("opened");
    opened.onerror = () => resolve("blocked");
  });
  return Promise.all([...simple, asked, form, socket, read("/auth/me"), read("/api/people")]);
}

test("a page of another port or another name of this machine can do nothing with somebody's cookie, nor read anything", async () => {
  const page = await world.open(`/sign-in#token=${await makeLink(world.parley, "Ada", "owner")}`);
  await page.getByRole("button", { name: "Sign in as Ada" }).click();
  await page.getByRole("button", { name: "You are Ada" }).waitFor();
  const { port } = foreign.address() as AddressInfo;
  for (const origin of [`http://127.0.0.1:${port}`, `http://localhost:${port}`]) {
    const evil = await page.context().newPage();
    await evil.goto(origin);
    const results = await evil.evaluate(attack, world.parley.url);
    expect(results.filter((result) => /Ada|secret|pk_|opened|basic|cors \{/.test(result))).toEqual([]);
    expect(results.length).toBeGreaterThan(12);
    await evil.close();
  }
  expect(await world.sql("select name from parley_private.keys")).toEqual([]);
  expect(await world.sql("select from parley_private.sign_ins where revoked_at is null")).toHaveLength(1);
  const mine = await page.evaluate(() => fetch("/auth/me").then((response) => response.json()));
  expect(mine.person.name).toBe("Ada");

  const own = (await page.evaluate(attack, world.parley.url)).join("\n");
  for (const sign of ["opened", "pk_", "Ada"]) expect(own).toContain(sign);
});
