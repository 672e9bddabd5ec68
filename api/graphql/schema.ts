import { createHash } from "node:crypto";
import type { GraphQLSchema } from "graphql";
import type pg from "pg";
import { makeSchema } from "postgraphile";
import { makeIntrospectionQuery } from "postgraphile/graphile-build-pg/pg-introspection";

type PgService = NonNullable<GraphileConfig.Preset["pgServices"]>[number];

/** By what they were made of, the one that was asked for last behind the others. */
const made = new Map<string, Promise<GraphQLSchema>>();
/** Two: a change to the functions is often taken back. */
const MOST_KEPT = 2;

/** Made again only where PostGraphile would read something else of the catalogue: it takes long, and servers of one process can share it. */
export async function schemaOf(preset: GraphileConfig.Preset, pool: pg.Pool): Promise<GraphQLSchema> {
  const text = await introspect(pool);
  // The database itself comes first, by its name; nothing is made of it.
  const of = createHash("sha256")
    .update(text.slice(text.indexOf('"namespaces"')))
    .digest("base64");
  const schema = made.get(of) ?? make(preset, text);
  made.delete(of);
  made.set(of, schema);
  schema.catch(() => made.get(of) === schema && made.delete(of));
  for (const oldest of made.keys()) if (made.size > MOST_KEPT) made.delete(oldest);
  return schema;
}

/** As the caller: what is not granted to it is not in the schema. */
async function introspect(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ introspection: string }>(makeIntrospectionQuery());
  return (rows[0] as { introspection: string }).introspection;
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
