import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import type { Logger } from "pino";
import { StartError } from "../start-error.ts";
import { version } from "../version.ts";
import { lockTables, TableInUse } from "./lock-tables.ts";

const DB = new URL("../../db/", import.meta.url);
const COMMITTED = new URL("../../migrations/committed/", import.meta.url);
const INCLUDE = /^--!include (\S+\.sql)$/gm;
const MADE = /^create or replace (?:function|procedure) ([\w.]+)/gm;
/** What waits for everybody who uses the table, even where it changes nothing. */
const LOCKED =
  /^(?:alter table|drop (?:policy|trigger) if exists \w+ on|create (?:unique )?index if not exists \w+ on) (\w+\.\w+)/gm;
/** Two who write the same row of the catalogue at once, a lock that was not to be had, a deadlock. */
const PASSING = new Set(["XX000", "55P03", "40P01"]);
/** A result type that differs; a name that is taken twice, because the arguments do. */
const CANNOT_BE_REPLACED = new Set(["42P13", "42725"]);
const PATIENCE_MS = 60_000;

export interface SourceFile {
  readonly name: string;
  readonly text: string;
  readonly hash: string;
}

/** The files of db/ in the order of its table of contents. */
export function readSources(folder = DB): SourceFile[] {
  const index = readFileSync(new URL("index.sql", folder), "utf8");
  return [...index.matchAll(INCLUDE)].map(([, name = ""]) =>
    sourceFile(name, readFileSync(new URL(name, folder), "utf8")),
  );
}

export const sourceFile = (name: string, text: string): SourceFile => ({ name, text, hash: sha256(text) });

export interface ApplyOptions {
  /** Other sources than those of db/. */
  sources?: SourceFile[];
  /** Also if this database has had newer ones. */
  rollBack?: boolean;
  /** Every file, whether anything has changed or not. */
  everything?: boolean;
  /** Off after current.sql was run, which may have replaced functions as a DBA would. */
  remember?: boolean;
}

/**
 * Runs what can be replaced, if it differs from what the database was given last: one transaction, in which what a DBA has
 * changed is put back. The caller holds the migration lock.
 */
export async function applySources(client: pg.Client, log: Logger, options: ApplyOptions = {}): Promise<void> {
  const sources = options.sources ?? readSources();
  const blocked = new Set<SourceFile>();
  const lockFirst: string[] = [];
  await takeOver(client, sources);
  for (const deadline = Date.now() + PATIENCE_MS; ; await sleep(20 + Math.random() * 80)) {
    try {
      await client.query("begin");
      await client.query(
        "set local role parley_owner; set local search_path = pg_catalog; set local timezone = 'UTC'; set local lock_timeout = 400",
      );
      await attempt(client, log, { ...options, sources, blocked, lockFirst });
      await client.query("commit");
      return;
    } catch (error) {
      await client.query("rollback").catch(() => undefined);
      const { file, code } = error as FileError;
      if (file && CANNOT_BE_REPLACED.has(code ?? "") && !blocked.has(file)) {
        blocked.add(file);
      } else if (Date.now() > deadline || !(error instanceof TableInUse || PASSING.has(code ?? ""))) {
        throw file ? explained(error as FileError) : error;
      }
      if (error instanceof TableInUse) lockFirst.unshift(error.table);
    }
  }
}

interface Attempt extends ApplyOptions {
  sources: SourceFile[];
  /** The files whose functions have to go first. */
  blocked: Set<SourceFile>;
  /** The tables that were in use before, the last one first. */
  lockFirst: string[];
}

async function attempt(client: pg.Client, log: Logger, { sources, blocked, lockFirst, ...options }: Attempt) {
  const hash = sha256(sources.map((file) => `${file.name} ${file.hash}`).join("\n"));
  const { applied, migration } = await readState(client);
  const newest = applied[0];
  if (newest?.hash === hash && newest.migration === migration && !options.everything) return;
  const older = newest && whyOlder(hash, migration, applied);
  if (older && !options.rollBack) {
    log.warn(
      `The functions in this database are newer than this server (${older}): they are left as they are. ` +
        "To take those of this server: npx parley admin sources --apply",
    );
    return;
  }
  const same = newest?.migration === migration && !options.everything ? newest.files : {};
  const skipped = sources.filter(({ name, hash }) => name.startsWith("tables/") && same[name] === hash);
  const running = sources.filter((file) => !skipped.includes(file));

  if (options.remember !== false) await remember(client, newest, migration);
  await lockTables(client, running.flatMap(lockedBy), lockFirst);
  for (const file of blocked) {
    await client.query("select parley_private.make_room($1, $2)", [file.name, madeBy(file)]);
  }
  for (const file of running) {
    await client.query(file.text).catch((error) => {
      throw Object.assign(error, { file });
    });
  }
  const made = Object.fromEntries(running.flatMap((file) => madeBy(file).map((name) => [name, file.name])));
  await client.query("select parley_private.settle_functions($1, $2)", [
    JSON.stringify(made),
    skipped.map(({ name }) => name),
  ]);
  const files = Object.fromEntries(sources.map((file) => [file.name, file.hash]));
  await client.query(
    `insert into parley_private.applied_sources (hash, version, migration, files, applied_at) values ($1, $2, $3, $4, clock_timestamp())
    on conflict (hash) do update set
      version = excluded.version, migration = excluded.migration, files = excluded.files, applied_at = excluded.applied_at`,
    [hash, version, migration, JSON.stringify(files)],
  );
}

const lockedBy = ({ text }: SourceFile) => [...text.matchAll(LOCKED)].map(([, name = ""]) => name);
const madeBy = ({ text }: SourceFile) => [...text.matchAll(MADE)].map(([, name = ""]) => name);

interface Applied {
  hash: string;
  version: string;
  migration: string;
  files: Record<string, string>;
}

async function readState(client: pg.Client): Promise<{ applied: Applied[]; migration: string }> {
  const { rows } = await client.query<{ sources: boolean; migrations: boolean }>(
    "select to_regclass('parley_private.applied_sources') is not null as sources, to_regclass('graphile_migrate.migrations') is not null as migrations",
  );
  const read = async <Row extends pg.QueryResultRow>(there: boolean | undefined, text: string) =>
    there ? (await client.query<Row>(text)).rows : [];
  const applied = await read<Applied>(
    rows[0]?.sources,
    "select hash, version, migration, files from parley_private.applied_sources order by applied_at desc",
  );
  const [newest] = await read<{ filename: string | null }>(
    rows[0]?.migrations,
    "select max(filename) as filename from graphile_migrate.migrations",
  );
  return { applied, migration: newest?.filename ?? "" };
}

/** Why these are not the newest sources that the database has had; undefined when they may be. */
function whyOlder(hash: string, migration: string, [newest, ...before]: Applied[]): string | undefined {
  const own = readdirSync(COMMITTED).sort().at(-1)?.slice(0, 6) ?? "";
  if (own < migration.slice(0, 6)) return `migration ${migration.slice(0, 6)} is not among its own`;
  const newer = newest ? compareVersions(version, newest.version) : 1;
  if (newer < 0) return `${newest?.version}, this is ${version}`;
  if (newer === 0 && before.some((other) => other.hash === hash))
    return "these were here before, and others came after them";
  return undefined;
}

function compareVersions(one: string, other: string): number {
  const parts = (text: string) => text.split(/[.+-]/, 3).map((part) => Number.parseInt(part, 10) || 0);
  const [a, b] = [parts(one), parts(other)];
  return a.map((part, index) => part - (b[index] ?? 0)).find((difference) => difference !== 0) ?? 0;
}

/** Before the migrations: they may drop a function that a DBA has changed. */
export async function rememberChanges(client: pg.Client): Promise<void> {
  await client.query("begin");
  try {
    await client.query("set local role parley_owner");
    const { applied, migration } = await readState(client);
    await remember(client, applied[0], migration);
    await client.query("commit");
  } catch (error) {
    await client.query("rollback");
    throw error;
  }
}

/**
 * Keeps what a DBA has changed, before anything can replace or drop it. Where migrations have run since the sources were
 * applied, what is not ours may be theirs: then what was remembered before them stands.
 */
async function remember(client: pg.Client, newest: Applied | undefined, migration: string): Promise<void> {
  if (newest?.migration === migration) await client.query("select parley_private.remember_changed_functions()");
}

/** A function of ours that somebody dropped and made again belongs to them: nobody else could replace it. */
async function takeOver(client: pg.Client, sources: SourceFile[]): Promise<void> {
  const { rows } = await client.query<{ signature: string }>(
    `select p.oid::regprocedure::text as signature from pg_proc p
    join pg_namespace n on n.oid = p.pronamespace and n.nspname in ('parley', 'parley_private')
    where p.proowner <> to_regrole('parley_owner')`,
  );
  for (const { signature } of rows) {
    const ours = sources.some(({ text }) => text.includes(`function ${signature.split("(")[0]}(`));
    if (ours) await client.query(`alter routine ${signature} owner to parley_owner`).catch(() => undefined);
  }
}

/** Tells once, at the start, what in this database is not as it was shipped. */
export async function tellOfChanges(client: pg.Client, log: Logger): Promise<void> {
  const changed = await listChanges(client);
  const names = (some: Change[]) => some.map(({ signature }) => signature);
  const standing = changed.filter((one) => one.kept_aside === null);
  const aside = changed.filter((one) => one.kept_aside !== null);
  if (standing.length > 0)
    log.warn(
      { functions: names(standing), ours_moved_on: names(standing.filter((one) => one.moved_on)) },
      "functions were changed in this database and are left as they are; npx parley admin sources tells more",
    );
  if (aside.length > 0)
    log.error(
      { functions: names(aside) },
      "functions that were changed in this database do not fit this version: ours stand, the others are kept aside; npx parley admin sources tells more",
    );
}

export interface Change {
  name: string;
  signature: string;
  file: string | null;
  ours: string | null;
  theirs: string | null;
  moved_on: boolean;
  revoked_from: string[];
  kept_aside: string | null;
}

export async function listChanges(client: pg.Client): Promise<Change[]> {
  await client.query("begin");
  try {
    await client.query("set local role parley_owner");
    return (await client.query<Change>("select * from parley_private.changed_functions()")).rows;
  } finally {
    await client.query("rollback");
  }
}

type FileError = pg.DatabaseError & { file?: SourceFile };

/** What helps beyond the hint of PostgreSQL. */
const ADVICE: Record<string, string> = {
  "42P13": "Something depends on the function that stands there: drop it in a migration.",
  "42501": "Whoever made it by hand has to give it away: alter function … owner to parley_owner.",
};

function explained({ file, message, position, hint, code = "" }: FileError): StartError {
  const line = position ? `, line ${file?.text.slice(0, Number(position)).split("\n").length}` : "";
  const sentences = [`db/${file?.name}${line}: ${message}.`, "Nothing of the sources was applied.", hint, ADVICE[code]];
  return Object.assign(new StartError(sentences.filter(Boolean).join(" ")), { code });
}

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
