import { rmSync } from "node:fs";
import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { asRole } from "../../api/postgres/database.ts";
import { startEmbeddedPostgres } from "../../api/postgres/embedded/index.ts";
import { migrate, replaceSources } from "../../api/postgres/migrate.ts";
import { listChanges } from "../../api/postgres/sources.ts";
import { connected } from "../../testing/postgres.ts";
import { makeDataFolder } from "../../testing/scratch.ts";

const log = pino({ level: "silent" });

/** A server without roles: those of the shared one were made by its superuser. */
async function startPostgres() {
  const dataDir = makeDataFolder("roles");
  const postgres = await startEmbeddedPostgres({ dataDir, log, settings: { fsync: "off" } });
  onTestFinished(async () => {
    await postgres.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });
  return postgres;
}

// Managed databases hand out no superuser.
test("a user who may create roles, but is no superuser, can migrate and become the roles", async () => {
  const postgres = await startPostgres();
  await connected(postgres.url(), async (client) => {
    await client.query("create role admin login createrole");
    await client.query("create database managed owner admin");
  });
  const url = postgres.url("admin", "managed");
  await migrate(url, log);
  await migrate(url, log);
  for (const role of ["parley_owner", "parley_caller", "parley_worker"]) {
    const { rows } = await connected(asRole(url, role), (client) => client.query("select current_user as role"));
    expect(rows).toEqual([{ role }]);
  }
  await connected(asRole(url, "parley_owner"), (client) => client.query("alter function parley.whoami cost 77"));
  await replaceSources(url, log, { everything: true });
  expect(await connected(url, listChanges)).toMatchObject([{ name: "parley.whoami", kept_aside: null }]);
});
