import { loadOneWithPgClient, type PgExecutor } from "postgraphile/@dataplan/pg";
import type { Step } from "postgraphile/grafast";

/** The uuid of a session that the caller names by its ref, its uuid or a part of that. */
export const findSessionStep = (executor: PgExecutor, $ref: Step<string>) =>
  loadOneWithPgClient(executor, $ref, (client, refs) =>
    refs.map(async (ref) => {
      const text = "select (parley_private.find_session($1)).id";
      const { rows } = await client.query<{ id: string }>({ text, values: [ref] });
      return rows[0]?.id;
    }),
  );
