import { randomUUID } from "node:crypto";
import { type Command, command, WHO, WHO_HELP } from "../command.ts";
import { call, persist } from "../connection/api.ts";
import { UsageError } from "../errors.ts";
import { onlyRef, refAndText, toNumber } from "../input.ts";
import { json, note, print, write } from "../output.ts";
import { advance, type Team } from "../team/teams.ts";
import { whichTeam } from "../team/which-team.ts";

const PATIENCE_MS = 60_000;
const HELP = `parley doc [ref]: print the document. Its version goes to stderr, so that the text can be piped.
parley doc append [ref] "text" | -: add to it, in one step; no conflict possible.
parley doc write [ref] --expected-version <n> "text" | -: replace the whole document.

  --section <title>       append: at the end of that section, e.g. Decisions; made if missing
  --key <id>              append: the same key and text are added once
  --expected-version <n>  write: the version you have read; refused if there is a newer one
  --version <n>           print: an older version
${WHO_HELP}`;

const read = command({
  help: HELP,
  options: { ...WHO, version: { type: "string" } },
  async run(values, positionals) {
    const team = whichTeam({ ref: onlyRef(positionals), ...values });
    const args = { version: toNumber(values.version, "--version", { min: 0 }) };
    const doc = await call(team.url, `/sessions/${team.session_id}/doc`, { method: "GET", teamId: team.team_id, args });
    if (args.version === undefined) await advance(team, team.cursor, doc.version);
    if (values.json) return print(json(doc));
    // In a pipe every byte counts; a terminal is protected.
    await (process.stdout.isTTY ? print(doc.content) : write(doc.content));
    note(`[version ${doc.version}${doc.updated_by ? ` by ${doc.updated_by}` : ""}, unread: ${doc.unread}]`);
  },
});

const append = command({
  help: HELP,
  options: { ...WHO, section: { type: "string" }, key: { type: "string" } },
  async run(values, positionals) {
    const { ref, text } = await refAndText(positionals, "text");
    const team = whichTeam({ ref, ...values });
    const args = { text, section: values.section, idempotency_key: values.key ?? randomUUID() };
    const attempt = () => call(team.url, `/sessions/${team.session_id}/doc/append`, { teamId: team.team_id, args });
    const written = await persist(attempt, { forMs: PATIENCE_MS });
    await knowOwnVersion(team, written.version);
    await print(
      values.json ? json(written) : `The document is at version ${written.version}, unread: ${written.unread}`,
    );
  },
});

const replace = command({
  help: HELP,
  options: { ...WHO, "expected-version": { type: "string" } },
  async run(values, positionals) {
    const { ref, text } = await refAndText(positionals, "text", { whole: true });
    const expected = toNumber(values["expected-version"], "--expected-version", { min: 0 });
    if (expected === undefined) throw new UsageError("Say which version you have read: --expected-version <n>.");
    const team = whichTeam({ ref, ...values });
    const args = { content: text, expected_version: expected };
    const written = await call(team.url, `/sessions/${team.session_id}/doc`, { teamId: team.team_id, args });
    await knowOwnVersion(team, written.version);
    await print(
      values.json ? json(written) : `The document is at version ${written.version}, unread: ${written.unread}`,
    );
  },
});

/** Nobody needs to be told of a change of one's own, unless others wrote in between. */
async function knowOwnVersion(team: Team, version: number) {
  if (version === team.doc_version + 1) await advance(team, team.cursor, version);
}

export const doc: Command = {
  help: HELP,
  run([first, ...rest]) {
    if (first === "append") return append.run(rest);
    if (first === "write") return replace.run(rest);
    return read.run(first === undefined ? [] : [first, ...rest]);
  },
};
