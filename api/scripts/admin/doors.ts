import type pg from "pg";
import { addressOf } from "../../announce.ts";
import { readConfig } from "../../config.ts";
import { asRole } from "../../postgres/database.ts";
import { withClient } from "../workbench.ts";

export const linkOptions = { name: { type: "string" }, role: { type: "string" } } as const;
export const keyOptions = {
  scopes: { type: "string" },
  session: { type: "string" },
  expires: { type: "string" },
} as const;

interface Key {
  scopes?: string;
  session?: string;
  expires?: string;
}

/** A sign-in link. What it is comes first, on stderr: `$(npx parley admin link)` is the link alone. */
export const link = (url: string, { name, role }: { name?: string; role?: string }) =>
  asOwner(url, async (client) => {
    await client.query("select set_config('parley.shown', '    ' || $1, false)", [addressOf(readConfig(process.env))]);
    const { rows } = await client.query<{ link: string; name: string | null; role: string; known: boolean }>(
      `select parley_private.public_url() || '/sign-in#token=' || made.secret as link,
         (made.invite).name, (made.invite).role, (made.invite).user_id is not null as known
       from parley_private.admin_link($1, $2) made`,
      [name ?? null, role ?? null],
    );
    const [made] = rows;
    console.error(
      `Signs in ${made?.known ? made.name : `somebody new${made?.name ? `, ${made.name}` : ""}`}, ${made?.role}: once, within a day.`,
    );
    console.log(made?.link);
  });

/** An access key; on stdout there is nothing but the key. */
export const key = (url: string, name: string | undefined, { scopes = "read,team", session, expires }: Key) =>
  asOwner(url, async (client) => {
    const { rows } = await client.query<{ secret: string; prefix: string; scopes: string[] }>(
      "select made.secret, (made.key).prefix, (made.key).scopes from parley_private.admin_key($1, $2, $3, $4) made",
      [name ?? null, scopes.split(/[\s,]+/).filter(Boolean), session ?? null, expires ?? null],
    );
    const [made] = rows;
    console.error(`${made?.prefix}: ${made?.scopes.join(", ")}. It is shown this once.`);
    console.log(made?.secret);
  });

/** What a caller is refused is refused here in the same words. */
function asOwner(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  return withClient(asRole(url, "parley_owner"), async (client) => {
    try {
      await work(client);
    } catch (error) {
      const { code = "", message, detail } = error as { code?: string; message: string; detail?: string };
      if (/^(42883|42P01|3F000)$/.test(code))
        throw new Error("This database has no Parley of this version: start the server once.");
      if (!/^PT4/.test(code)) throw error;
      throw new Error([message, JSON.parse(detail ?? "{}").details?.hint].filter(Boolean).join(" "));
    }
  });
}
