import { pino } from "pino";
import { afterEach, beforeEach, expect, test } from "vitest";
import { connected, createEmptyDatabase, type TestDatabase } from "../../../testing/postgres.ts";
import { replaceSources } from "../../postgres/migrate.ts";
import {
  type ApplyOptions,
  applySources,
  listChanges,
  readSources,
  rememberChanges,
  sourceFile,
} from "../../postgres/sources.ts";

const GREETING = "private/greeting.sql";
const greeting = (text: string, { args = "name text", result = "text", comment = "Greets." } = {}) =>
  sourceFile(
    GREETING,
    `create or replace function parley_private.greeting(${args}) returns ${result} language sql stable set search_path = ''
     as $$ select ${text} $$;
     grant execute on function parley_private.greeting to parley_caller;
     comment on function parley_private.greeting is '${comment}';`,
  );

let database: TestDatabase;
let said: { level: number; msg: string; functions?: string[]; ours_moved_on?: string[] }[];
const log = pino({ level: "warn" }, { write: (line: string) => void said.push(JSON.parse(line)) });

beforeEach(async () => {
  said = [];
  database = await createEmptyDatabase();
  await apply([]);
});
afterEach(() => database.drop());

const sql = async (text: string, values: unknown[] = []) =>
  (await connected(database.url(), (client) => client.query(text, values))).rows;
/** What applying needs itself, so that it takes no time; the functions of the product have no part in this. */
const CORE = readSources().filter(({ name }) =>
  /^(schemas|tables\/(applied|changed)_(sources|functions)|private\/sources)\.sql$/.test(name),
);
const apply = (more: ReturnType<typeof sourceFile>[], options: ApplyOptions = {}) =>
  replaceSources(database.url(), log, { sources: [...CORE, ...more], ...options });
const greet = async () => (await sql("select parley_private.greeting('Alex') as said"))[0]?.said;
const changes = () => connected(database.url(), listChanges);
const byHand = (body: string) =>
  sql(
    `create or replace function parley_private.greeting(name text) returns text language sql stable as $$ ${body} $$`,
  );

test("a function whose file has changed is replaced, without a migration; the same sources are applied once", async () => {
  await apply([greeting("'Hello ' || name")]);
  expect(await greet()).toBe("Hello Alex");
  await apply([greeting("'Good day ' || name")]);
  expect(await greet()).toBe("Good day Alex");
  const rows = () =>
    sql("select xmin::text, ctid::text from pg_proc where pronamespace = 'parley_private'::regnamespace");
  const before = await rows();
  await apply([greeting("'Good day ' || name")]);
  expect(await rows()).toEqual(before);
  expect(said).toEqual([]);
});

test("a file that makes a table is run again only when it has changed", async () => {
  const notes = (more = "") =>
    sourceFile(
      "tables/notes.sql",
      `create table if not exists parley_private.notes (id integer);
      drop policy if exists notes_are_kept on parley_private.notes;
      create policy notes_are_kept on parley_private.notes to parley_owner using (true); ${more}`,
    );
  const policies = () => sql("select oid from pg_policy where polname = 'notes_are_kept'");
  await apply([notes()]);
  const before = await policies();
  await apply([notes(), greeting("name")]);
  expect([await policies(), await greet()]).toEqual([before, "Alex"]);
  await apply([notes("-- more"), greeting("name")]);
  expect(await policies()).not.toEqual(before);
});

test("what a DBA has changed stays, is named, and says when ours has moved on; a reset takes ours", async () => {
  await apply([greeting("'Hello ' || name")]);
  await byHand("select 'Moin ' || name");
  await apply([greeting("'Hello ' || name"), sourceFile("private/other.sql", "")]);
  expect(await greet()).toBe("Moin Alex");
  expect(said).toMatchObject([{ functions: ["parley_private.greeting(text)"], ours_moved_on: [] }]);
  expect(await changes()).toMatchObject([
    {
      name: "parley_private.greeting",
      file: GREETING,
      ours: expect.stringMatching(/'Hello ' \|\| name[\s\S]*comment on function \S+ is 'Greets\.';/),
      theirs: expect.stringContaining("'Moin ' || name"),
      moved_on: false,
      kept_aside: null,
    },
  ]);

  await apply([greeting("'Good day ' || name")]);
  await apply([greeting("'Good day ' || name"), sourceFile("private/other.sql", "")]);
  expect(await greet()).toBe("Moin Alex");
  expect(await changes()).toMatchObject([{ moved_on: true, ours: expect.stringContaining("'Good day '") }]);
  expect(said.at(-1)).toMatchObject({ ours_moved_on: ["parley_private.greeting(text)"] });

  expect(await sql("select parley_private.reset_function('greeting') as name")).toEqual([
    { name: "parley_private.greeting(text)" },
  ]);
  expect(await greet()).toBe("Good day Alex");
  expect(await changes()).toEqual([]);
  await apply([greeting("'Hello again, ' || name")]);
  expect(await greet()).toBe("Hello again, Alex");
});

test("a comment and a right that a DBA has changed stay too", async () => {
  const parting = sourceFile(
    "functions/parting.sql",
    greeting("name").text.replaceAll("parley_private.greeting", "parley.parting"),
  );
  await apply([greeting("name"), parting]);
  await sql("comment on function parley_private.greeting is 'Grüßt.'");
  await sql("revoke execute on function parley.parting from parley_caller");
  await apply([greeting("name", { comment: "Greets warmly." }), parting]);
  expect(await sql("select obj_description('parley_private.greeting'::regproc) as text")).toEqual([{ text: "Grüßt." }]);
  const mayCall = () =>
    sql("select has_function_privilege('parley_caller', 'parley.parting'::regproc, 'execute') as yes");
  expect(await mayCall()).toEqual([{ yes: false }]);
  expect(await changes()).toMatchObject([
    { name: "parley.parting", moved_on: false, revoked_from: ["parley_caller"] },
    { name: "parley_private.greeting", moved_on: true, revoked_from: [] },
  ]);
  await sql("select parley_private.reset_function('parley.parting')");
  expect(await mayCall()).toEqual([{ yes: true }]);
});

test("a function of a DBA's own is never touched, also when one of ours takes its name", async () => {
  await sql("create function parley.mine(a text) returns integer language sql as 'select 7'");
  await byHand("select 'Mine, ' || name");
  const [before] = await sql("select ctid::text from pg_proc where oid = 'parley.mine'::regproc");
  await apply([greeting("'Hello ' || name")]);
  expect(await sql("select ctid::text from pg_proc where oid = 'parley.mine'::regproc")).toEqual([before]);
  expect(await greet()).toBe("Mine, Alex");
  expect(await changes()).toMatchObject([
    { name: "parley_private.greeting", theirs: expect.stringContaining("Mine, ") },
  ]);
});

test("what no longer fits is kept aside and named loudly, and ours stands", async () => {
  await apply([greeting("'Hello ' || name")]);
  await byHand("select 'Moin ' || name");
  await apply([greeting("length(name)", { result: "integer" })]);
  expect(await greet()).toBe(4);
  expect(said.at(-1)).toMatchObject({ level: 50, functions: ["parley_private.greeting(text)"] });
  expect(await changes()).toMatchObject([
    {
      theirs: expect.stringContaining("'Moin ' || name"),
      ours: expect.stringContaining("length(name)"),
      kept_aside: expect.stringContaining("return type"),
    },
  ]);
  await apply([greeting("length(name) + 1", { result: "integer" })]);
  expect([await greet(), (await changes()).length]).toEqual([5, 1]);
  await sql("select parley_private.reset_function('greeting')");
  expect(await changes()).toEqual([]);
});

test("other arguments replace the function of that name, and what a DBA had made of it is kept aside", async () => {
  await apply([greeting("'Hello ' || name")]);
  await apply([greeting("'Hello ' || who", { args: "who text" })]);
  await apply([greeting("'Hello ' || who || times", { args: "who text, times integer" })]);
  const standing = () => sql("select oid::regprocedure::text as name from pg_proc where proname = 'greeting'");
  expect(await standing()).toEqual([{ name: "parley_private.greeting(text,integer)" }]);
  expect(await changes()).toEqual([]);
  await sql(
    `create or replace function parley_private.greeting(who text, times integer) returns text language sql as $$ select 'Moin' $$`,
  );
  await apply([greeting("'Hello ' || who", { args: "who text, times bigint" })]);
  expect(await standing()).toEqual([{ name: "parley_private.greeting(text,bigint)" }]);
  expect(await changes()).toMatchObject([{ theirs: expect.stringContaining("Moin"), ours: null, file: null }]);
});

test("a function that no file makes any more goes, unless a DBA has changed it", async () => {
  await apply([greeting("name"), sourceFile("private/gone.sql", greeting("name").text.replaceAll("greeting", "gone"))]);
  await byHand("select 'Moin'");
  await apply([], { rollBack: true });
  expect(await sql("select to_regproc('parley_private.gone') as gone")).toEqual([{ gone: null }]);
  expect(await greet()).toBe("Moin");
  expect(await changes()).toEqual([]);
});

const MIGRATIONS = `create schema graphile_migrate; grant usage on schema graphile_migrate to parley_owner;
  create table graphile_migrate.migrations (filename text); grant select on graphile_migrate.migrations to parley_owner;`;

test("what a migration drops was remembered before; what a migration makes is not taken for a DBA's", async () => {
  await sql(MIGRATIONS);
  await apply([greeting("'Hello ' || name")]);
  await byHand("select 'Moin ' || name");
  await connected(database.url(), async (client) => {
    await rememberChanges(client);
    // A migration that fails halfway to the sources: the next start goes on.
    await client.query("insert into graphile_migrate.migrations values ('000001.sql')");
    await client.query("drop function parley_private.greeting");
    await client.query(`create function parley_private.made() returns integer language sql as 'select 1'`);
    await rememberChanges(client);
    const sources = [
      ...CORE,
      sourceFile(
        "private/made.sql",
        "create or replace function parley_private.made() returns integer language sql as 'select 2'; alter function parley_private.made owner to parley_owner;",
      ),
    ];
    await client.query("alter function parley_private.made owner to parley_owner");
    await applySources(client, log, { sources, rollBack: true });
    expect((await client.query("select parley_private.made()")).rows).toEqual([{ made: 2 }]);
  });
  expect(await changes()).toMatchObject([
    { signature: "parley_private.greeting(text)", ours: null, theirs: expect.stringContaining("Moin") },
  ]);
});

test("a function of ours that a DBA has dropped and made again, under another owner, is left to them", async () => {
  await apply([greeting("'Hello ' || name")]);
  await sql("drop function parley_private.greeting");
  await byHand("select 'Moin ' || name");
  await apply([greeting("'Good day ' || name")]);
  expect(await greet()).toBe("Moin Alex");
  await sql("select parley_private.reset_function('greeting')");
  expect(await greet()).toBe("Good day Alex");
  expect(await changes()).toEqual([]);
});

test("a function of a DBA that has a name of ours and other arguments stays in parley_private, and is kept aside in parley", async () => {
  const parting = (text: string) =>
    sourceFile("functions/parting.sql", greeting(text).text.replaceAll("parley_private.greeting", "parley.parting"));
  await apply([greeting("'Hello ' || name"), parting("name")]);
  await sql(`create function parley_private.greeting(n integer) returns integer language sql as 'select n';
    grant execute on function parley_private.greeting(integer) to parley_worker;
    create function parley.parting(n integer) returns integer language sql as 'select n'`);
  await apply([greeting("'Good day ' || name"), parting("'Bye ' || name")]);
  expect(await greet()).toBe("Good day Alex");
  expect(
    await sql(
      "select parley_private.greeting(7), has_function_privilege('parley_worker', 'parley_private.greeting(integer)', 'execute') as right",
    ),
  ).toEqual([{ greeting: 7, right: true }]);
  expect(await sql("select parley.parting('Alex')")).toEqual([{ parting: "Bye Alex" }]);
  expect(await changes()).toMatchObject([{ signature: "parley.parting(integer)", kept_aside: expect.any(String) }]);
});

test("a file that fails is named with its line, and nothing of the others is applied", async () => {
  await apply([greeting("'Hello ' || name")]);
  const broken = sourceFile("private/broken.sql", "select 1;\n\nselect from nowhere;");
  await expect(apply([greeting("'Good day ' || name"), broken])).rejects.toThrow(
    'db/private/broken.sql, line 3: relation "nowhere" does not exist. Nothing of the sources was applied.',
  );
  expect(await greet()).toBe("Hello Alex");
});

test("a server whose sources were replaced since does not turn them back, unless it is told to", async () => {
  const old = [greeting("'Hello ' || name")];
  await apply(old);
  await apply([greeting("'Good day ' || name")]);
  await apply(old);
  expect(await greet()).toBe("Good day Alex");
  expect(said).toMatchObject([
    { msg: expect.stringMatching(/newer than this server .* left as they are\. .* --apply/) },
  ]);
  await apply(old, { rollBack: true });
  expect(await greet()).toBe("Hello Alex");
});

test("a newer version may bring back what an older one had", async () => {
  const old = [greeting("'Hello ' || name")];
  await apply(old);
  await apply([greeting("'Good day ' || name")]);
  await sql("update parley_private.applied_sources set version = '0.0.1'");
  await apply(old);
  expect([await greet(), said]).toEqual(["Hello Alex", []]);
});

test.each([
  ["of a newer version", "update parley_private.applied_sources set version = '99.0.0'"],
  ["with newer migrations", `${MIGRATIONS} insert into graphile_migrate.migrations values ('999999.sql')`],
])("a database %s keeps its functions", async (_what, change) => {
  await apply([greeting("'Hello ' || name")]);
  await sql(change);
  await apply([greeting("'Good day ' || name")]);
  expect(await greet()).toBe("Hello Alex");
  expect(said).toHaveLength(1);
});
