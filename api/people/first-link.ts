import pg from "pg";
import { asRole } from "../postgres/database.ts";

/** A token that makes somebody the owner, once; undefined as soon as there is one. Asked as the owner of the database: no request may. */
export async function firstLink(ownerUrl: string): Promise<string | undefined> {
  const client = new pg.Client({
    connectionString: asRole(ownerUrl, "parley_owner"),
    application_name: "parley start",
  });
  await client.connect();
  try {
    const { rows } = await client.query<{ token: string | null }>("select parley_private.first_link() as token");
    return rows[0]?.token ?? undefined;
  } finally {
    await client.end();
  }
}
