import { command, WHERE } from "../command.ts";
import { findAddress } from "../connection/address.ts";
import { type Answer, call } from "../connection/api.ts";
import { UsageError } from "../errors.ts";
import { toNumber } from "../input.ts";
import { json, line, note, print } from "../output.ts";

export const list = command({
  help: `parley list: sessions to join or to resume, the latest activity first. Look here before you create one.

  --status <s>        active or closed; default: both
  --text <words>      to be found in ref, title or description
  --limit <n>         how many; default 20
  --url <link>        the address; default: see parley doctor
  --json              the server's answer as it is`,
  options: {
    ...WHERE,
    json: { type: "boolean" },
    status: { type: "string" },
    text: { type: "string" },
    limit: { type: "string" },
  },
  async run({ url, json: asJson, status, text, limit }, [stray]) {
    if (stray !== undefined) throw new UsageError(`${stray} is one word too many; to look for it: --text.`);
    const args = { status, text, limit: toNumber(limit, "--limit", { min: 1, max: 100 }) };
    const found = await call(findAddress({ url }).base, "/sessions", { method: "GET", args });
    if (asJson) return print(json(found));
    for (const session of found.sessions) await print(describe(session));
    if (found.sessions.length === 0) note("No session was found.");
    if (found.has_more) note("There is more: --limit <n>");
  },
});

const describe = ({ ref, status, teams, last_cursor, doc_version, title }: Answer) =>
  `${ref} (${status}, teams ${teams}, messages ${last_cursor}, document version ${doc_version}): ${line(title)}`;
