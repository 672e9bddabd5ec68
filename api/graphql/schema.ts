import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { GraphQLSchema } from "graphql";
import type pg from "pg";
import { makeSchema } from "postgraphile";
import { makeIntrospectionQuery } from "postgraphile/graphile-build-pg/pg-introspection";

type PgService = NonNullable<GraphileConfig.Preset["pgServices"]>[number];

const VERSION_SQL = readFileSync(new URL("./schema-version.sql", import.meta.url), "utf8");

/** By the version of the catalogue and by what was read of it, the one that was asked for last behind the others. */
const made = new Map<string, Promise<GraphQLSchema>>();
/** Two, each under both its keys: a change to the functions is often taken back. */
const MOST_KEPT = 4;

/** Made again only where PostGraphile would read something else of the catalogue: it takes long, and servers of one process can share it. */
export async function schemaOf(preset: GraphileConfig.Preset, pool: pg.Pool): Promise<GraphQLSchema> {
  const [known] = await ask(pool, VERSION_SQL);
  const found = made.get(known);
  if (found) return keep(known, found);
  // Read together, so that a version never stands for what came after it.
  const [version, text] = await ask(pool, `select (${VERSION_SQL}), (${makeIntrospectionQuery()})`);
  // The database itself comes first, by its name; nothing is made of it.
  const content = createHash("sha256")
    .update(text.slice(text.indexOf('"namespaces"')))
    .digest("base64");
  return keep(version, keep(content, made.get(content) ?? make(preset, text)));
}

function keep(key: string, schema: Promise<GraphQLSchema>): Promise<GraphQLSchema> {
  made.delete(key);
  made.set(key, schema);
  schema.catch(() => made.get(key) === schema && made.delete(key));
  for (const oldest of made.keys()) if (made.size > MOST_KEPT) made.delete(oldest);
  return schema;
}

/** As the caller: what is not granted to it is not in the schema. */
async function ask(pool: pg.Pool, text: string): Promise<[string, string]> {
  const { rows } = await pool.query<[string, string]>({ text, rowMode: "array" });
  return rows[0] as [string, string];
}

/** PostGraphile asks its service for nothing but this text; the schema finds its connections in the context of each request. */
async function make(preset: GraphileConfig.Preset, text: string): Promise<GraphQLSchema> {
  const answer = async () => ({ rows: [{ introspection: text }] });
  const adaptor = {
    createWithPgClient: () => (_: unknown, work: (client: unknown) => unknown) => work({ query: answer }),
  };
  const pgServices = preset.pgServices?.map((service) => ({ ...service, adaptor }) as unknown as PgService);
  const { schema } = await makeSchema({ ...preset, ...(pgServices && { pgServices }) });
  return schema;
}
