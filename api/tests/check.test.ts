import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connected, createTestDatabase, type TestDatabase } from "../../testing/postgres.ts";
import { checkConfiguration } from "../check/configuration.ts";
import { readConfig } from "../config.ts";
import { asRole } from "../postgres/database.ts";

const unsafe = (env: Record<string, string>) =>
  checkConfiguration(readConfig(env), env)
    .filter(({ safe }) => safe === false)
    .map(({ text, todo }) => `${text}. ${todo}.`);

/** As on a server that is meant to be reached. */
const SERVER = {
  PUBLIC_URL: "https://parley.example.com",
  TRUST_PROXY: "loopback",
  PARLEY_ACCESS: "keys",
  PARLEY_GRAPHIQL: "off",
  PARLEY_DEMO: "off",
};

test("what is for this machine alone is safe as it is", () => {
  expect(checkConfiguration(readConfig({}), {})).toEqual([{ safe: true, text: "for this machine alone" }]);
  expect(unsafe({ PUBLIC_URL: "http://localhost:9000,http://127.0.0.1:9000" })).toEqual([]);
  expect(unsafe({ HOST: "::1", TRUST_PROXY: "loopback" })).toEqual([]);
});

test("a server behind a proxy that asks for keys is safe", () => {
  expect(checkConfiguration(readConfig(SERVER), SERVER)).toEqual([
    { safe: true, text: "open to others, as it is meant" },
  ]);
});

test.each<[string, Record<string, string>, RegExp]>([
  [
    "HOST is open without PUBLIC_URL",
    { HOST: "0.0.0.0" },
    /^HOST is 0\.0\.0\.0, .*none of them is answered\. Set PUBLIC_URL/,
  ],
  ["access is open on an open HOST", { HOST: "0.0.0.0" }, /^access is open/],
  ["access is open behind a proxy", { ...SERVER, PARLEY_ACCESS: "open" }, /^access is open: .*PARLEY_ACCESS=keys/],
  [
    "PUBLIC_URL is http",
    { ...SERVER, PUBLIC_URL: "http://10.0.0.7:7423" },
    /^PUBLIC_URL has http:\/\/10\.0\.0\.7:7423: .*in the clear/,
  ],
  [
    "the proxy can be passed by",
    { ...SERVER, HOST: "0.0.0.0" },
    /^HOST is 0\.0\.0\.0: port 7423 can be reached past the proxy/,
  ],
  [
    "the proxy is not known",
    { ...SERVER, TRUST_PROXY: "" },
    /TRUST_PROXY is not set: all clients count as one address/,
  ],
  ["everybody is trusted", { ...SERVER, TRUST_PROXY: "0.0.0.0/0" }, /^TRUST_PROXY trusts everybody/],
  ["hops can be forged", { ...SERVER, HOST: "0.0.0.0", TRUST_PROXY: "1" }, /^TRUST_PROXY is a number and HOST is open/],
  ["a limit is off", { ...SERVER, PARLEY_LIMIT_OPEN: "0" }, /^no limit: PARLEY_LIMIT_OPEN/],
  ["GraphiQL is on", { ...SERVER, PARLEY_GRAPHIQL: "on" }, /^GraphiQL is served/],
  ["the demo is on", { ...SERVER, PARLEY_DEMO: "on" }, /^everybody can start the demo/],
])("it is told that %s, with what to do", (_what, env, says) => {
  const found = unsafe(env).filter((text) => says.test(text));
  expect(found).toEqual([expect.stringMatching(/\. [A-Z].*\.$/)]);
});

test("a database on another machine is named, without what is in its address", () => {
  const env = { ...SERVER, DATABASE_URL: "postgres://me:secret@db.example.com/parley" };
  const findings = checkConfiguration(readConfig(env), env);
  expect(findings).toContainEqual({ safe: undefined, text: expect.stringContaining("another machine") });
  expect(JSON.stringify(findings)).not.toContain("secret");
});

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database?.drop());

const run = async (env: Record<string, string>, args = ["--check"]) => {
  const inherited = { PATH: process.env.PATH ?? "", NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? "" };
  const options = { env: { ...inherited, ...env } };
  return promisify(execFile)(process.execPath, ["api/main.ts", ...args], options).then(
    ({ stdout }) => ({ code: 0, stdout }),
    ({ code, stdout, stderr }) => ({ code, stdout: stdout + stderr }),
  );
};

test("npm start -- --check looks at the database too, starts nothing, and ends with 1 where something is unsafe", async () => {
  const setTo = (value: string) => asRole(database.url(), "postgres", { synchronous_commit: value });
  const lossy = await run({ DATABASE_URL: setTo("off"), PARLEY_WORKER: "off" });
  expect(lossy.code).toBe(1);
  expect(lossy.stdout).toMatch(/^✗ synchronous_commit is off: .*\. Switch it on: /m);
  expect(lossy.stdout).toMatch(/^✗ no worker: PARLEY_WORKER is off here, and no other server/m);

  await connected(database.url("parley_worker"), (client) =>
    client.query(
      "select graphile_worker.add_job('sweep_presence', job_key => 'sweep_presence', run_at => now() + interval '5 seconds')",
    ),
  );
  const other = await run({ DATABASE_URL: setTo("on"), PARLEY_WORKER: "off" });
  expect(other.stdout).toMatch(/^✓ no worker here, and another server has one$/m);
  expect(other.stdout).not.toMatch(/synchronous_commit/);

  const none = await run({ PARLEY_DATA: "/nowhere/at/all" });
  expect(none).toEqual({ code: 0, stdout: expect.stringMatching(/^✓ for this machine alone\n– not looked at: /) });
  expect(await run({ TRUST_PROXY: "everyone" })).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^TRUST_PROXY must be /),
  });
});

test("what it is started with is understood or refused with how it is used, and starts nothing", async () => {
  const usage = /^npm start -- --check {4}says what is unsafe/m;
  expect(await run({}, ["--help"])).toEqual({ code: 0, stdout: expect.stringMatching(usage) });
  for (const [args, sentence] of [
    [["--port", "80"], "Unknown option '--port'.\n\n"],
    [["serve"], "Unexpected argument 'serve'.\n\n"],
  ] as const) {
    const { code, stdout } = await run({}, [...args]);
    expect([code, stdout.slice(0, sentence.length)]).toEqual([2, sentence]);
    expect(stdout).toMatch(usage);
  }
});
