import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { pino } from "pino";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { differences, readCatalogue } from "../../../db/tests/catalogue.ts";
import { metric } from "../../../testing/faults.ts";
import { connected, createTestDatabase, type TestDatabase } from "../../../testing/postgres.ts";
import { startTestServer, type Team, type TestServer, until } from "../../../testing/server.ts";
import { backUp } from "../../postgres/backup/backup.ts";
import { restore } from "../../postgres/backup/restore.ts";

const log = pino({ level: "fatal" });
const folder = mkdtempSync(join(tmpdir(), "parley-backup-"));
const file = join(folder, "all.backup");
const write = (name: string, bytes: Buffer) => {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
};

let parley: TestServer;
let alex: Team;
let blue: Team;
/** Everything that was acknowledged before the backup began. */
let acknowledged: { ref: string; cursor: number; text: string }[];

const sql = <Row = Record<string, unknown>>(database: TestDatabase, text: string) =>
  connected(database.url(), async (client) => (await client.query(text)).rows as Row[]);
const newDatabase = async () => {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  return database;
};

/** Four sessions in which teams post without a pause until they are told to stop. */
async function talk(teams: Team[]) {
  let posting = true;
  const said: typeof acknowledged = [];
  const loops = teams.map(async (team, n) => {
    for (let i = 0; posting; i++) {
      const text = `word${n}x${i}\tand a \\ "line"\nbreak`;
      const { cursor } = await parley.say(team, text);
      said.push({ ref: team.ref, cursor, text });
      if (i % 10 === 0) await parley.post(`/sessions/${team.ref}/doc/append`, { text: `note ${i}` }, team);
    }
  });
  return {
    said,
    stop: async () => {
      posting = false;
      await Promise.all(loops);
    },
  };
}

beforeAll(async () => {
  parley = await startTestServer();
  alex = await parley.create();
  blue = await parley.join(alex);
  await parley.post(`/sessions/${alex.ref}/doc`, { content: "# One\n", expected_version: 0 }, alex);
  await parley.post(`/sessions/${alex.ref}/doc/append`, { text: "Zwei \\N \\. \u{1f980}" }, blue);
  await parley.post(`/sessions/${alex.ref}/messages`, { content: "Shall we?", kind: "question" }, alex);
  await sql(parley.database, "update parley.settings set value = '7' where name = 'idle_polls'");
  const teams = await Promise.all([1, 2, 3, 4].map((n) => parley.create(`Team ${n}`)));
  const talking = await talk(teams);
  await until(() => talking.said.length >= 80, "some posts");
  acknowledged = [...talking.said];
  await backUp(parley.database.url(), file);
  const after = talking.said.length;
  await until(() => talking.said.length > after, "posts after the backup");
  await talking.stop();
});
afterAll(async () => {
  await parley?.stop();
  rmSync(folder, { recursive: true, force: true });
});

test("what is restored is one moment: all that was acknowledged before it, and nothing half", async () => {
  const database = await newDatabase();
  const { rows } = await restore(file, async () => database.url(), log);
  expect(rows["parley.messages"]).toBeGreaterThanOrEqual(acknowledged.length);

  const messages = await sql<{ ref: string; sequence: number; text: string }>(
    database,
    "select s.ref, m.sequence, m.content ->> 'text' as text from parley.messages m join parley.sessions s on s.id = m.session_id",
  );
  const found = new Map(messages.map(({ ref, sequence, text }) => [`${ref} ${sequence}`, text]));
  for (const { ref, cursor, text } of acknowledged) expect(found.get(`${ref} ${cursor}`)).toBe(text);

  const broken = await sql(
    database,
    `select s.ref from parley.sessions s
    where s.last_sequence <> (select count(*) from parley.messages m where m.session_id = s.id)
      or s.session_doc_version <> (select count(*) from parley.session_doc_history h where h.session_id = s.id)
      or s.session_doc_version <> (select count(*) from parley_private.doc_patches d where d.session_id = s.id)`,
  );
  expect(broken).toEqual([]);
  // More was said while and after it was made: it is not simply a late look.
  expect(messages.length).toBeLessThan((await sql(parley.database, "select from parley.messages")).length);
});

test("a server on the restored database goes on by the same credentials", async () => {
  const database = await newDatabase();
  await restore(file, async () => database.url(), log);
  const again = await startTestServer({ database });
  onTestFinished(() => again.stop());

  const { body } = await again.get(`/sessions/${alex.ref}/messages`, blue);
  expect(body).toEqual((await parley.get(`/sessions/${alex.ref}/messages`, blue)).body);
  for (const version of ["1", "2"])
    expect((await again.get(`/sessions/${alex.ref}/doc?version=${version}`, alex)).body).toEqual(
      (await parley.get(`/sessions/${alex.ref}/doc?version=${version}`, alex)).body,
    );
  const { body: found } = await again.get(`/sessions/${alex.ref}/search?query=shall`, blue);
  expect(found.hits).toMatchObject([{ place: "message", cursor: 2 }]);
  const [words] = await sql(database, "select count(*)::int as count from parley_private.message_words");
  expect(words).toEqual((await sql(database, "select count(*)::int as count from parley.messages"))[0]);

  const waiting = again.wait(blue, { since_cursor: 2 });
  await until(async () => (await metric(again.url, "parley_waiting_calls")) === 1, "the wait to be held");
  await again.say(alex, "we are back");
  expect((await waiting).body.messages).toContainEqual(expect.objectContaining({ content: { text: "we are back" } }));
  expect((await again.get(`/sessions/${alex.ref}/messages`)).status).toBe(401);
  expect(await sql(database, "select value from parley.settings where name = 'idle_polls'")).toEqual([{ value: 7 }]);
});

test("triggers, policies and constraints are afterwards what they were", async () => {
  const database = await newDatabase();
  await sql(database, "update parley.settings set value = '7' where name = 'idle_polls'");
  const before = await connected(database.url(), readCatalogue);
  await restore(file, async () => database.url(), log);
  expect(differences(before, await connected(database.url(), readCatalogue))).toEqual([]);
  await expect(sql(database, "delete from parley.messages")).rejects.toMatchObject({ code: "PT403" });
});

test("tables of a DBA are in it, also those that refer to each other in a circle, with the values of their sequences", async () => {
  const source = await newDatabase();
  const target = await newDatabase();
  const make = `
    create table parley.notes (id integer generated always as identity primary key, session_id uuid references parley.sessions,
      best integer, twice integer generated always as (id * 2) stored, "odd ""name" text);
    create table parley_private."Odd Table" (id serial primary key, note integer references parley.notes);
    alter table parley.notes add constraint circle foreign key (best) references parley_private."Odd Table" (id);`;
  for (const database of [source, target]) await sql(database, make);
  await sql(
    source,
    `insert into parley.notes ("odd ""name") values (null), (E'a\\tb\\\\N'), ('');
    insert into parley_private."Odd Table" (note) values (1), (2);
    update parley.notes set best = 2 where id < 3;
    delete from parley.notes where id = 3`,
  );
  const path = join(folder, "dba.backup");
  await backUp(source.url(), path);
  await restore(path, async () => target.url(), log);
  for (const table of ["parley.notes", 'parley_private."Odd Table"'])
    expect(await sql(target, `select * from ${table} order by id`)).toEqual(
      await sql(source, `select * from ${table} order by id`),
    );
  const [next] = await sql(target, "insert into parley.notes default values returning id, twice");
  expect(next).toEqual({ id: 4, twice: 8 });
  await expect(sql(target, "insert into parley.notes (best) values (9)")).rejects.toMatchObject({ code: "23503" });

  const without = await newDatabase();
  await expect(restore(path, async () => without.url(), log)).rejects.toThrow(
    /tables that this database does not have: .*parley\.notes/,
  );
});

test("a database that is not empty is refused and left as it was", async () => {
  const database = await newDatabase();
  await sql(database, "insert into parley.sessions (ref, title, description) values ('calm-otter-17', 'T', '')");
  await expect(restore(file, async () => database.url(), log)).rejects.toThrow(/not empty: parley\.sessions has rows/);
  expect(await sql(database, "select ref from parley.sessions")).toEqual([{ ref: "calm-otter-17" }]);
  expect(await sql(database, "select from parley.participants")).toEqual([]);
});

test("a file that was cut off, damaged, or is none of ours is refused, and nothing of it is restored", async () => {
  const database = await newDatabase();
  const bytes = readFileSync(file);
  const plain = gunzipSync(bytes);
  const lines = plain.toString("latin1").split("\n");
  const cuts = Array.from({ length: 6 }, (_, n) => bytes.subarray(0, Math.floor((bytes.length * n) / 6)));
  const flipped = Buffer.from(bytes);
  flipped[bytes.length >> 1] = (flipped[bytes.length >> 1] as number) ^ 0x55;
  const without = (line: number) => gzipSync(Buffer.from(lines.toSpliced(line, 1).join("\n"), "latin1"));
  const row = lines.findIndex((line) => line.includes("word0x1\\\\t"));
  const wrong: [name: string, bytes: Buffer, says: RegExp][] = [
    ...cuts.map((cut, n): [string, Buffer, RegExp] => [`cut${n}`, cut, /damaged|cut off/]),
    ["flipped", flipped, /damaged/],
    ["a row less", without(row), /damaged: parley\.messages does not have as many rows/],
    ["no last line", without(lines.length - 2), /damaged/],
    ["more behind it", gzipSync(Buffer.concat([plain, Buffer.from("more\n")])), /damaged/],
    ["text", Buffer.from("select 1;\n"), /not a backup of Parley/],
    ["another gzip", gzipSync("select 1;\n"), /not a backup of Parley/],
    ["another version", gzipSync(plain.toString("latin1").replace(/^parley backup 1/, "parley backup 9")), /newer/],
    ["another migration", gzipSync(Buffer.from(lines.join("\n").replace('.sql"', '9.sql"'), "latin1")), /migration/],
  ];
  expect(row).toBeGreaterThan(0);
  for (const [name, content, says] of wrong)
    await expect(
      restore(write("wrong", content), async () => database.url(), log),
      name,
    ).rejects.toThrow(says);
  await expect(restore(join(folder, "nowhere"), async () => database.url(), log)).rejects.toThrow(/cannot be read/);
  expect(await sql(database, "select from parley.sessions")).toEqual([]);
  // What was begun and given up holds nothing.
  await restore(file, async () => database.url(), log);
});

test("the file is its owner's alone, and appears when it is whole", async () => {
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const stop = new AbortController();
  const half = backUp(parley.database.url(), join(folder, "half"), stop.signal);
  await until(() => readdirSync(folder).some((name) => name.startsWith("half.")), "the file that is being written");
  stop.abort();
  await expect(half).rejects.toThrow();
  expect(readdirSync(folder).filter((name) => name.startsWith("half"))).toEqual([]);
  await expect(backUp(parley.database.url(), join(folder, "no/where"))).rejects.toThrow(/ENOENT/);
});
