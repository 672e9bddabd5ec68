import type pg from "pg";
import { StartError } from "../start-error.ts";

/**
 * What a variable of the environment says of settings applies at the first start; once someone has set a setting, it stands. The
 * table knows which names and values there are.
 */
export async function setFirst(client: pg.Client, variable: string, values: Record<string, unknown>): Promise<void> {
  await client.query("set role parley_owner");
  try {
    await client.query("select parley_private.set_first_settings($1)", [JSON.stringify(values)]);
  } catch (error) {
    const { code, message } = error as pg.DatabaseError;
    throw code === "PT400" ? new StartError(`${variable}: ${message}`) : error;
  } finally {
    await client.query("reset role").catch(() => undefined);
  }
}
