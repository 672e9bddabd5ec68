import { afterAll, beforeAll, expect, test } from "vitest";
import { createMachine, type Machine } from "../../../cli/tests/machine.ts";
import { createTestDatabase, type TestDatabase } from "../../../testing/postgres.ts";
import { type ParleyProcess, startParley } from "../../../testing/process.ts";
import { client, type Team } from "../../../testing/server.ts";

const LINK = /^\s*(http:\/\/\S+)\/sign-in#token=(pl_[\w-]{43})$/m;
let database: TestDatabase;
let machine: Machine;
let parley: ParleyProcess;
beforeAll(async () => {
  database = await createTestDatabase();
  parley = await startParley({ DATABASE_URL: database.url(), PARLEY_ACCESS: "keys" });
  machine = createMachine({ DATABASE_URL: database.url(), PUBLIC_URL: "https://parley.example.com" });
});
afterAll(async () => {
  await parley?.kill("SIGTERM");
  machine?.remove();
  await database?.drop();
});

const signIn = async (token: string | undefined, name?: string) => {
  const response = await fetch(`${parley.url}/auth/sign-in`, { method: "POST", body: JSON.stringify({ token, name }) });
  return { status: response.status, body: (await response.json()) as { person: Record<string, string> } };
};
const admin = async (...args: string[]) => machine.run(["admin", ...args]);
const lastLine = (text: string) => text.trimEnd().split("\n").at(-1) as string;

test("a first start prints a link that makes the owner, and another start prints none once there is one", async () => {
  const [, base, token] = LINK.exec(parley.said.stdout) ?? [];
  expect(base).toBe(parley.url);
  const came = await signIn(token, "Ada");
  expect(came.body.person).toMatchObject({ name: "Ada", role: "owner" });
  expect((await signIn(token, "Eve")).status).toBe(401);
  const again = await startParley({ DATABASE_URL: database.url(), PARLEY_ACCESS: "keys" });
  expect(again.said.stdout).toContain(`${again.url}/mcp`);
  expect(again.said.stdout).not.toMatch(LINK);
  await again.kill("SIGTERM");
});

test("while it runs, a command makes another link: for the owner, for a name, for somebody new", async () => {
  const owner = await admin("link");
  expect(lastLine(owner.stdout)).toMatch(/^https:\/\/parley\.example\.com\/sign-in#token=pl_[\w-]{43}$/);
  expect(owner.stderr).toContain("Ada, owner");
  const tokenOf = ({ stdout }: { stdout: string }) => LINK.exec(stdout.replace("https", "http"))?.[2];
  expect((await signIn(tokenOf(owner))).body.person).toMatchObject({ name: "Ada", role: "owner" });
  const grace = await admin("link", "--name", "Grace", "--role", "viewer");
  expect((await signIn(tokenOf(grace))).body.person).toMatchObject({ name: "Grace", role: "viewer" });
  const other = await admin("link", "--name", "Grace", "--role", "owner");
  expect([other.code, other.stdout, other.stderr]).toEqual([
    1,
    "",
    expect.stringContaining("Grace is viewer already."),
  ]);
});

test("a command makes a key, alone on its last line, with the scopes, the session and the end that were asked for", async () => {
  const made = await admin("key", "CI", "--scopes", "read,team");
  const key = lastLine(made.stdout);
  expect(key).toMatch(/^pk_[A-Za-z0-9]{8}_[\w-]{43}$/);
  const bearer = (secret: string) => ({ headers: { authorization: `Bearer ${secret}` } });
  const { post, get } = client(parley.url);
  const body = { title: "T", description: "", creator_team_name: "A" };
  const session = (await post("/sessions", body, undefined, bearer(key))).body as Team;
  expect((await get("/people", undefined, bearer(key))).status).toBe(403);

  const bound = lastLine(
    (await admin("key", "Guest", "--scopes", "read", "--session", session.ref, "--expires", "12h")).stdout,
  );
  expect((await get("/sessions", undefined, bearer(bound))).body.sessions).toHaveLength(1);
  const root = lastLine((await admin("key", "Root", "--scopes", "read,admin")).stdout);
  const { keys } = (await get("/keys", undefined, bearer(root))).body;
  expect(keys.find(({ name }: { name: string }) => name === "Guest")).toMatchObject({
    scopes: ["read"],
    session: session.ref,
    created_by: "this machine",
    expires_at: expect.any(String),
  });
});

test.each([
  [["key"], "name is required"],
  [["key", "CI", "--scopes", "root"], "scopes must be a list of"],
  [["key", "CI", "--expires", "soon"], "--expires must be a number and"],
  [["key", "CI", "--session", "no-such-1"], "No session has this id or ref"],
  [["key", "two", "words"], '"two words"'],
  [["link", "--role", "king"], "role must be owner, member or viewer"],
  [["link", "--nmae", "x"], "--nmae"],
  [["nothing"], "parley admin link, key or sources"],
])("what is wrong with parley admin %j is said in a sentence", async (args, said) => {
  const { code, stdout, stderr } = await admin(...args);
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toContain(said);
  expect(stderr).not.toMatch(/\n\s+at /);
});
