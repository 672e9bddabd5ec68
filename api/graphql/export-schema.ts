import "./quiet.ts";
import { lexicographicSortSchema, printSchema } from "graphql";
import { pino } from "pino";
import { createPool } from "../postgres/database.ts";
import { createMaskError } from "./errors.ts";
import { Groups } from "./groups.ts";
import { createPreset } from "./preset.ts";
import { schemaOf } from "./schema.ts";

/** The schema as the page's tools want it: sorted, so that the same database gives the same text. */
export async function exportSchema(connectionString: string): Promise<string> {
  const log = pino({ level: "silent" });
  const pool = createPool(connectionString, log);
  try {
    const groups = new Groups(createMaskError(log));
    const preset = createPreset({ pool, log, events: { subscribe: () => () => undefined }, graphiql: false, groups });
    const schema = await schemaOf(preset, pool);
    return `${printSchema(lexicographicSortSchema(schema))}\n`;
  } finally {
    await pool.end();
  }
}
