import { connected, type TestDatabase } from "./postgres.ts";

interface KeyOptions {
  scopes?: string[];
  /** The ref of the one session that it opens. */
  session?: string;
  /** How long it lives, as an interval of SQL. */
  expires?: string;
}

/** A key as the command makes it on the server's own machine. */
export const makeKey = (database: TestDatabase, { scopes = ["read", "team"], session, expires }: KeyOptions = {}) =>
  connected(database.url("parley_owner"), async (client) => {
    const { rows } = await client.query<{ secret: string }>(
      "select secret from parley_private.make_key('test', $1, (select id from parley.sessions where ref = $2), $3::interval)",
      [scopes, session, expires],
    );
    return rows[0]?.secret as string;
  });
