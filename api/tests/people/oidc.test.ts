import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startProvider } from "../../../testing/oidc-provider.ts";
import { auth, signIn } from "../../../testing/people.ts";
import { connected } from "../../../testing/postgres.ts";
import { startTestServer, type TestServer } from "../../../testing/server.ts";
import { readConfig } from "../../config.ts";
import { createErrands } from "../../people/oidc-state.ts";

let provider: Awaited<ReturnType<typeof startProvider>>;
let parley: TestServer;
beforeAll(async () => {
  provider = await startProvider();
  parley = await startTestServer({ access: "keys", oidc: provider.config });
  provider.state.redirectUri = `${parley.url}/auth/oidc/callback`;
});
beforeEach(() => {
  provider.state.account = { sub: "ada-1", name: "Ada Lovelace", email: "ada@example.com" };
});
afterAll(async () => {
  await parley.stop();
  await provider.stop();
});

const sql = (text: string, values: unknown[] = []) =>
  connected(parley.database.url(), async (client) => (await client.query(text, values)).rows);

/** What a browser does with redirects and cookies; ports do not tell cookies apart. */
function createBrowser() {
  const jar = new Map<string, string>();
  const open = async (address: string) => {
    const headers = { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; ") };
    const response = await fetch(address, { redirect: "manual", headers });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]*)=([^;]*)/.exec(cookie) ?? [];
      if (value && !/Max-Age=0|expires=Thu, 01 Jan 1970/i.test(cookie)) jar.set(name, value);
      else jar.delete(name);
    }
    await response.arrayBuffer();
    const to = response.headers.get("location");
    return { response, to: to && new URL(to, address).href };
  };
  return {
    jar,
    open,
    /** Goes on until nobody leads any further, or to where it is told to stop. */
    async follow(address: string, until = /^never/): Promise<string> {
      for (let at = address, hops = 0; hops < 15; hops++) {
        if (until.test(at)) return at;
        const { to } = await open(at);
        if (!to) return at;
        at = to;
      }
      throw new Error("led in circles");
    },
    me: async () => (await auth(parley, "/me", undefined, { cookie: `parley=${jar.get("parley")}` })).body,
  };
}
const start = (to = "") => `${parley.url}/auth/oidc${to}`;

describe("by OpenID Connect", () => {
  test("somebody new becomes a member, and is led back to where they came from", async () => {
    const browser = createBrowser();
    expect(await browser.follow(start("?to=/s/calm-otter-17?q=x"))).toBe(`${parley.url}/s/calm-otter-17?q=x`);
    expect(await browser.me()).toMatchObject({
      person: { name: "Ada Lovelace", email: "ada@example.com", role: "member", by: "oidc" },
      sign_in: { oidc: new URL(provider.config.issuer).host },
    });
    expect(await sql("select subject from parley_private.users where name = 'Ada Lovelace'")).toEqual([
      { subject: `${provider.config.issuer} ada-1` },
    ]);
    expect([...browser.jar.keys()]).not.toContain("parley-oidc");
    const asked = provider.state.asked.at(-1)?.searchParams;
    expect(asked?.get("code_challenge_method")).toBe("S256");
    expect([asked?.get("state"), asked?.get("nonce")]).toEqual([expect.any(String), expect.any(String)]);
  });

  test("whoever comes again is the same person, by what they are called now, with the role that they were given", async () => {
    await createBrowser().follow(start());
    await sql("update parley_private.users set role = 'owner' where subject = $1", [`${provider.config.issuer} ada-1`]);
    provider.state.account = { sub: "ada-1", name: "Ada King", email: "ada@example.com" };
    const browser = createBrowser();
    await browser.follow(start());
    expect((await browser.me()).person).toMatchObject({ name: "Ada King", role: "owner" });
    expect(await sql("select from parley_private.users where subject like '%ada-1'")).toHaveLength(1);
  });

  test("the setting oidc_role decides about somebody new: viewer, or nobody", async () => {
    const set = (role: string) =>
      sql("update parley.settings set value = to_jsonb($1::text) where name = 'oidc_role'", [role]);
    await set("viewer");
    provider.state.account = { sub: "eve" };
    const viewer = createBrowser();
    await viewer.follow(start());
    expect((await viewer.me()).person).toMatchObject({ name: "Somebody", role: "viewer" });
    await set("none");
    provider.state.account = { sub: "mallory", name: "Mallory" };
    const nobody = createBrowser();
    expect(await nobody.follow(start())).toBe(`${parley.url}/sign-in#error=not_among_us`);
    expect(nobody.jar.has("parley")).toBe(false);
    expect(await sql("select from parley_private.users where name = 'Mallory'")).toEqual([]);
    await expect(set("king")).rejects.toThrow("oidc_role must be one of member, viewer, none.");
    await set("member");
  });

  test("whoever was removed stays so", async () => {
    provider.state.account = { sub: "gone", name: "Gone" };
    const browser = createBrowser();
    await browser.follow(start());
    const owner = await signIn(parley, "owner");
    await parley.post("/people/Gone/remove", {}, undefined, { headers: owner.headers });
    expect((await browser.me()).person).toBe(null);
    expect(await createBrowser().follow(start())).toBe(`${parley.url}/sign-in#error=not_among_us`);
  });

  test("who says no at the provider is told so on the page", async () => {
    provider.state.account = undefined;
    expect(await createBrowser().follow(start())).toBe(`${parley.url}/sign-in#error=denied`);
  });

  test("the cookie of the errand is short, of this browser, and no script reads it", async () => {
    const { response } = await createBrowser().open(start());
    expect(response.headers.get("set-cookie")).toMatch(
      /^parley-oidc=[\w-]+\.[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/,
    );
    expect(response.headers.get("cache-control")).toBe("no-store");
  });
});

describe("is refused", () => {
  const FAILED = () => `${parley.url}/sign-in#error=failed`;

  test("an answer of the provider that another browser set out for, or one that was used", async () => {
    const [victim, attacker] = [createBrowser(), createBrowser()];
    const answer = await attacker.follow(start(), /\/callback\?/);
    expect(await victim.follow(answer)).toBe(FAILED());
    await victim.open(start());
    expect(await victim.follow(answer)).toBe(FAILED());
    expect(victim.jar.has("parley")).toBe(false);
    expect(await attacker.follow(answer)).toBe(`${parley.url}/`);
    expect(await attacker.follow(answer)).toBe(FAILED());
  });

  test("a cookie of the errand that somebody made or changed", async () => {
    const errands = createErrands("another secret");
    const forged = errands.write({ state: "s", nonce: "n", verifier: "v".repeat(43), to: "/" });
    const browser = createBrowser();
    for (const cookie of [forged, forged.replace(".", "x."), "", ".", "a.b"]) {
      browser.jar.set("parley-oidc", cookie);
      expect(await browser.follow(`${parley.url}/auth/oidc/callback?code=x&state=s`)).toBe(FAILED());
    }
  });

  test.each([
    "//evil.example/x",
    "/.//evil.example",
    "/a/..//evil.example",
    "https://evil.example",
    "/\\evil.example",
    "javascript:alert(1)",
    "\u0000",
  ])("%j as the page to be led back to", async (to) => {
    expect(await createBrowser().follow(start(`?to=${encodeURIComponent(to)}`))).toMatch(
      new RegExp(`^${parley.url}/(?!/|\\\\)`),
    );
  });

  test("everybody, in a sentence on the page, while the provider is away", async () => {
    const away = await startTestServer({ access: "keys", oidc: { ...provider.config, issuer: "http://127.0.0.1:9" } });
    const { to } = await createBrowser().open(`${away.url}/auth/oidc`);
    expect(to).toBe(`${away.url}/sign-in#error=failed`);
    await away.stop();
  });
});

test("the three variables are set together, and the issuer is https unless it is on this machine", () => {
  const all = { OIDC_ISSUER: "https://id.example.com", OIDC_CLIENT_ID: "parley", OIDC_CLIENT_SECRET: "x" };
  expect(readConfig(all).oidc).toEqual({ issuer: "https://id.example.com", clientId: "parley", clientSecret: "x" });
  expect(readConfig({}).oidc).toBe(undefined);
  expect(readConfig({ ...all, OIDC_ISSUER: "http://127.0.0.1:9000" }).oidc?.issuer).toBe("http://127.0.0.1:9000");
  expect(() => readConfig({ ...all, OIDC_CLIENT_SECRET: "" })).toThrow(/^OIDC_CLIENT_SECRET must be set as well/);
  expect(() => readConfig({ OIDC_CLIENT_ID: "parley" })).toThrow(/^OIDC_ISSUER and OIDC_CLIENT_SECRET must be set/);
  for (const OIDC_ISSUER of ["http://id.example.com", "id.example.com", "https://"])
    expect(() => readConfig({ ...all, OIDC_ISSUER })).toThrow(/^OIDC_ISSUER must be the address of the provider/);
});
