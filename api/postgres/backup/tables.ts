import { readFileSync } from "node:fs";
import type pg from "pg";

const TABLES = readFileSync(new URL("tables.sql", import.meta.url), "utf8");
const SEQUENCES = `select format('%I.%I', n.nspname, c.relname) as name, quote_ident(pg_get_userbyid(c.relowner)) as owner
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname in ('parley', 'parley_private') and c.relkind = 'S' order by 1`;

/** All names are quoted where they have to be: they can stand in a statement as they are. */
export interface Table {
  name: string;
  owner: string;
  forced: boolean;
  seeded: boolean;
  columns: string[];
  readable: boolean;
  triggers: { name: string; enabled: string }[];
  foreign_keys: { name: string; to: string; checked: string }[];
}

export interface Sequence {
  name: string;
  owner: string;
}

/** Those that others refer to come first; where tables refer to each other in a circle, any of them. */
export async function readTables(client: pg.Client): Promise<Table[]> {
  const left = (await client.query<Table>(TABLES)).rows;
  const ordered: Table[] = [];
  while (left.length > 0) {
    const names = new Set(left.map(({ name }) => name));
    const free = left.findIndex(({ foreign_keys }) => !foreign_keys.some(({ to }) => names.has(to)));
    ordered.push(...left.splice(Math.max(free, 0), 1));
  }
  return ordered;
}

export const readSequences = async (client: pg.Client) => (await client.query<Sequence>(SEQUENCES)).rows;

/** The newest migration of a database; undefined where there is no Parley. */
export async function readMigration(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query("select to_regclass('graphile_migrate.migrations') is not null as there");
  if (!rows[0].there) return undefined;
  await client.query("set local role parley_owner");
  const newest = await client.query("select max(filename) as filename from graphile_migrate.migrations");
  await client.query("reset role");
  return newest.rows[0].filename ?? undefined;
}

/** Texts are written and read alike wherever the database stands, and nothing ends a long COPY. */
export const PORTABLE = `set local search_path = pg_catalog; set local timezone = 'UTC'; set local datestyle = 'ISO';
  set local intervalstyle = 'postgres'; set local bytea_output = 'hex'; set local extra_float_digits = 3;
  set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0`;
