import * as graphileMigrate from "graphile-migrate";
import { clearAllPools } from "graphile-migrate/dist/pgReal.js";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { graphileLogger, migrateSettings, replaceSources } from "../../api/postgres/migrate.ts";
import {
  connected,
  createEmptyDatabase,
  createTestDatabase,
  rolledBack,
  type TestDatabase,
} from "../../testing/postgres.ts";
import { type Catalogue, differences, readCatalogue } from "./catalogue.ts";
import { includesOf, readSource, sourceFiles } from "./sources.ts";

const log = pino({ level: "fatal" });
let fromNothing: TestDatabase;
let fromSources: TestDatabase;
let fromMigrations: TestDatabase;
let migrations: Catalogue;

beforeAll(async () => {
  [fromNothing, fromSources, fromMigrations] = await Promise.all([
    createEmptyDatabase(),
    createEmptyDatabase(),
    createTestDatabase(),
  ]);
  await buildFromSources();
  migrations = await connected(fromMigrations.url(), readCatalogue);
});

afterAll(async () => {
  await Promise.all([fromNothing?.drop(), fromSources?.drop(), fromMigrations?.drop()]);
});

function buildFromSources(): Promise<unknown> {
  return connected(fromSources.url("parley_owner"), async (client) => {
    await client.query("set search_path = pg_catalog");
    await client.query(readSource("index.sql"));
  });
}

test("migrations and sources make the same database as the sources alone", async () => {
  const sources = await connected(fromSources.url(), readCatalogue);
  expect(sources.size).toBeGreaterThan(200);
  expect(differences(sources, migrations)).toEqual([]);
});

test("the migrations alone make every table, column, type, index and constraint: applying the sources adds none", async () => {
  const url = fromNothing.url();
  // With what is being worked on, if there is anything.
  await graphileMigrate.watch({ ...migrateSettings(url), logger: graphileLogger(log) }, true);
  clearAllPools();
  const before = structureOf(await connected(url, readCatalogue));
  await replaceSources(url, log, {});
  const after = structureOf(await connected(url, readCatalogue));
  expect(after.size).toBeGreaterThan(200);
  expect(differences(after, before)).toEqual([]);
});

/** What cannot be replaced, only altered. */
const structureOf = (catalogue: Catalogue) =>
  new Map(
    [...catalogue]
      .filter(([name]) => /^(relation|column|type|index|constraint) /.test(name))
      .map(([name, definition]) =>
        // Row security comes with the sources.
        [name, definition.replace(/ row security .*/, "")],
      ),
  );

test("every source file is in the table of contents, once", () => {
  expect(includesOf("index.sql").sort()).toEqual(
    sourceFiles().filter((name) => !["index.sql", "roles.sql"].includes(name)),
  );
});

test("the sources can be run a second time and change nothing", async () => {
  const before = await connected(fromSources.url(), readCatalogue);
  await buildFromSources();
  expect(differences(before, await connected(fromSources.url(), readCatalogue))).toEqual([]);
});

test.each([
  ["function parley.post_message(", "alter function parley.post_message stable"],
  ["function parley_private.fail(", "alter function parley_private.fail security definer"],
  ["function parley_private.setting(text)", "alter function parley_private.setting reset all"],
  ["rights on function parley.get_session(text)", "grant execute on function parley.get_session to public"],
  ["rights on relation parley.messages", "grant insert on parley.messages to parley_caller"],
  ["rights on column parley.messages.content", "grant update (content) on parley.messages to parley_caller"],
  ["rights on schema parley", "grant create on schema parley to parley_caller"],
  [
    "default rights of parley_owner",
    "alter default privileges for role parley_owner grant execute on functions to public",
  ],
  ["relation parley.messages", "alter table parley.messages no force row level security"],
  ["relation parley.extra", "create view parley.extra as select 1 as one"],
  ["column parley.sessions.ref", "alter table parley.sessions alter column ref drop not null"],
  ["column parley.settings.extra", "alter table parley.settings add column extra text"],
  ["column parley.posted_message.at", "alter type parley.posted_message drop attribute at"],
  [
    "constraint participants_are_agents_or_humans",
    "alter table parley.participants drop constraint participants_are_agents_or_humans",
  ],
  ["index parley.sessions_by_creation", "drop index parley.sessions_by_creation"],
  ["trigger _100_append_only on parley.messages", "alter table parley.messages disable trigger _100_append_only"],
  ["trigger _100_stay on parley.settings", "alter table parley.settings enable trigger _100_stay"],
  ["policy sessions_are_readable", "alter policy sessions_are_readable on parley.sessions using (false)"],
  ["comment on function parley.get_session(pg_catalog.text)", "comment on function parley.get_session is null"],
  ["comment on table column parley.sessions.ref", "comment on column parley.sessions.ref is 'other'"],
  ["comment on trigger _500_notify on parley.messages", "comment on trigger _500_notify on parley.messages is 'new'"],
  ["comment on schema parley", "comment on schema parley is 'other'"],
  ["setting title_max", "update parley.settings set maximum = 300 where name = 'title_max'"],
])("the comparison would notice a change of: %s", async (name, change) => {
  const after = await rolledBack(fromMigrations.url(), async (client) => {
    await client.query(change);
    return readCatalogue(client);
  });
  expect(differences(migrations, after).filter((line) => line.startsWith(name))).toHaveLength(1);
});
