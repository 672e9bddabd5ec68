import { readFileSync } from "node:fs";
import type pg from "pg";

const CATALOGUE_SQL = readFileSync(new URL("./catalogue.sql", import.meta.url), "utf8");

export type Catalogue = Map<string, string>;

export async function readCatalogue(client: pg.ClientBase): Promise<Catalogue> {
  // Without a search path every name is written in full.
  await client.query("set search_path = ''");
  const { rows } = await client.query<{ kind: string; name: string; definition: string }>(CATALOGUE_SQL);
  return new Map(rows.map((row) => [`${row.kind} ${row.name}`, row.definition]));
}

/** A line for each thing that is not the same in both. */
export function differences(sources: Catalogue, migrations: Catalogue): string[] {
  const names = [...new Set([...sources.keys(), ...migrations.keys()])].sort();
  return names.flatMap((name) => {
    const [ours, theirs] = [sources.get(name), migrations.get(name)];
    if (ours === theirs) return [];
    if (theirs === undefined) return `${name}: only in db/, no migration makes it`;
    if (ours === undefined) return `${name}: only in the migrations, db/ does not have it`;
    return `${name}: differs\n  db/         ${ours}\n  migrations  ${theirs}`;
  });
}
