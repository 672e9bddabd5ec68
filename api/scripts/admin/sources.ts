import type { Logger } from "pino";
import { replaceSources } from "../../postgres/migrate.ts";
import { type Change, listChanges } from "../../postgres/sources.ts";
import { withClient } from "../workbench.ts";

export const options = {
  show: { type: "string" },
  reset: { type: "string" },
  apply: { type: "boolean" },
} as const;

interface Given {
  show?: string;
  reset?: string;
  apply?: boolean;
}

export async function sources(url: string, { show, reset, apply }: Given, log: Logger) {
  if (apply) await replaceSources(url, log, { rollBack: true });
  await withClient(url, async (client) => {
    if (reset !== undefined) {
      await client.query("set role parley_owner");
      const { rows } = await client.query<{ name: string }>("select parley_private.reset_function($1) as name", [
        reset,
      ]);
      if (rows.length === 0) throw new Error(`${reset} is as Parley made it: there is nothing to reset.`);
      for (const { name } of rows) console.log(`${name} is ours again.`);
      return;
    }
    const changes = await listChanges(client);
    const shown = changes.filter(({ name, signature }) => [name, name.split(".")[1], signature].includes(show));
    if (show !== undefined && shown.length === 0) throw new Error(`${show} is as Parley made it.`);
    if (show !== undefined) for (const change of shown) console.log(bothVersions(change));
    else if (changes.length === 0) console.log("All functions are as Parley made them.");
    else for (const change of changes) console.log(describe(change));
  });
}

function describe({ signature, theirs, moved_on, revoked_from, kept_aside }: Change): string {
  const notes = [
    kept_aside !== null && `does not fit this version and was kept aside, ours stands: ${kept_aside}`,
    kept_aside === null && theirs === null && "was dropped; the next version brings it back",
    kept_aside === null && moved_on && "ours has changed since",
    revoked_from.length > 0 && `may no longer be executed by ${revoked_from.join(", ")}`,
  ];
  return [signature, ...notes.filter(Boolean)].join(" · ");
}

const bothVersions = ({ signature, ours, theirs }: Change) =>
  `-- ${signature}, ours\n${ours ?? "-- none any more\n"}\n-- ${signature}, in this database\n${theirs ?? "-- dropped\n"}`;
