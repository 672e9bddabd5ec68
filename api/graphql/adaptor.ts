import type pg from "pg";
import type { PgClientQuery } from "postgraphile/@dataplan/pg";
import { makePgAdaptorWithPgClient, makePgService } from "postgraphile/adaptors/pg";
import { withConnection } from "../postgres/database.ts";
import { prepareSettings, queryUnder, type Settings } from "./settings-first.ts";

type ServiceOptions = Parameters<typeof makePgService>[0];
type WithPgClient = ReturnType<typeof makePgAdaptorWithPgClient>;
type Callback = Parameters<WithPgClient>[1];
type Client = Parameters<Callback>[0];

/**
 * PostGraphile's own adaptor takes four round trips for a statement under settings: begin, the settings, the statement, commit.
 * Here they are one, and one transaction all the same. Whoever asks for a transaction of several statements gets theirs.
 */
export function createPgService(options: ServiceOptions & { pool: pg.Pool }) {
  const service = makePgService(options);
  const inTransaction = makePgAdaptorWithPgClient(options.pool);
  const withPgClient = (given: Settings | null, callback: Callback) => {
    const settings = Object.entries(given ?? {}).filter(([, value]) => value != null) as [string, string][];
    const client = {
      query: (statement: PgClientQuery) =>
        withConnection(options.pool, async (connection) => {
          const prepared = await prepareSettings(connection, settings);
          const { rows, rowCount } = await queryUnder(connection, prepared, byKeys(statement));
          return { rows, rowCount, notices: [] };
        }),
      withTransaction: (work: (client: Client) => Promise<unknown>) =>
        inTransaction(given, (whole) => whole.withTransaction(work)),
    };
    return callback(client as unknown as Client);
  };
  return { ...service, adaptor: { ...service.adaptor, createWithPgClient: () => withPgClient as WithPgClient } };
}

/**
 * What many rows refer to is looked up by a list of keys, given as JSON. As long as they are being read from it they are no keys to
 * the planner: a policy has to look at a row before anything that might tell of it, and so every row would be read. Read first,
 * they are values like others, and the index is used.
 */
const byKeys = (statement: PgClientQuery): PgClientQuery => ({
  ...statement,
  text: statement.text.replace(" with ordinality as ids)", " with ordinality as ids offset 0)"),
});
