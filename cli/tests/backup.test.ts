import { execFile } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { createTestDatabase } from "../../testing/postgres.ts";
import { startParley } from "../../testing/process.ts";
import { startTestServer } from "../../testing/server.ts";
import { createMachine, LAUNCHER, type Machine } from "./machine.ts";

const machine = createMachine();
const others: Machine[] = [];
const file = join(machine.root, "all.backup");
const data = (folder: string) => ({ PARLEY_DATA: join(machine.root, folder) });
/** The machine of the server, with the environment that it has. */
const beside = (env: Record<string, string>) => {
  const other = createMachine(env);
  others.push(other);
  return other;
};
afterAll(() => {
  for (const one of [machine, ...others]) one.remove();
});

test("a server that runs is backed up by the command, and another one begins with that", {
  timeout: 180_000,
}, async () => {
  const parley = await startParley(data("old"));
  const team = await parley.create();
  await parley.say(team, "before");
  const made = await beside(data("old")).run(["backup", file]);
  expect(made).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/all\.backup: 1 sessions, 1 messages, \d+ tables\n$/),
  });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(machine.root).filter((name) => name.startsWith("all"))).toEqual(["all.backup"]);
  const refused = await beside(data("old")).run(["restore", file]);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/^parley: This database is not empty: /) });
  await parley.kill("SIGTERM");

  const database = await createTestDatabase();
  const again = await startTestServer({ database });
  const restored = await beside({ DATABASE_URL: database.url() }).run(["restore", file]);
  expect(restored).toMatchObject({ code: 0, stderr: expect.stringMatching(/^restored: 1 sessions, 1 messages, /) });
  const { body } = await again.get(`/sessions/${team.ref}/messages`, team);
  expect(body.messages).toMatchObject([{ content: { text: "before" } }]);
  await again.stop();
  await database.drop();
});

test("it goes through a pipe from one database into another", async () => {
  const [one, other] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  const parley = await startTestServer({ database: one });
  const team = await parley.create();
  const command = `"${process.execPath}" "${LAUNCHER}"`;
  const env = { ...process.env, ONE: one.url(), OTHER: other.url() };
  const line = `DATABASE_URL=$ONE ${command} backup - | DATABASE_URL=$OTHER ${command} restore -`;
  const { stderr } = await promisify(execFile)("sh", ["-c", line], { env });
  expect(stderr).toMatch(/^restored: 1 sessions, 0 messages, /m);
  const again = await startTestServer({ database: other });
  expect((await again.get(`/sessions/${team.ref}`, team)).status).toBe(200);
  await Promise.all([parley.stop(), again.stop()]);
  await Promise.all([one.drop(), other.drop()]);
});

test("what it cannot do it says in a sentence, and makes nothing", async () => {
  const nowhere = beside(data("nowhere"));
  expect(await nowhere.run(["restore", join(machine.root, "no-such-file")])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^parley: The file cannot be read: ENOENT[^\n]*\n$/),
  });
  expect(await nowhere.run(["backup", file])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^parley: There is no database in /),
  });
  expect(existsSync(join(machine.root, "nowhere"))).toBe(false);
  expect(await nowhere.run(["backup"])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("Say: parley backup FILE"),
  });
  expect((await nowhere.run(["backup", "--help"])).stdout).toContain("pg_dump has those");
});
