import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { command, WHERE } from "../command.ts";
import { findAddress } from "../connection/address.ts";
import { keyHeader } from "../connection/key.ts";
import { UsageError } from "../errors.ts";
import { note, print, safe } from "../output.ts";
import { CLIENTS } from "../setup/clients.ts";
import { done, type Edit, read, save, without } from "../setup/edit.ts";
import { teamFolder } from "../team/team-folder.ts";

const NAMES = Object.keys(CLIENTS);

export const setup = command({
  help: `parley setup ${NAMES.join("|")}: tell a program of yours about Parley: the MCP link, and for Claude Code the hooks by which it is briefed and woken.

  --undo              take it away again
  --yes               without asking
  --url <link>        the address; default: see parley doctor. With PARLEY_KEY in the environment the entry refers to it by name

It shows what it would change first. What else stands in those files stays as it is.`,
  options: { ...WHERE, undo: { type: "boolean" }, yes: { type: "boolean" } },
  async run(values, [name, stray]) {
    if (stray !== undefined) throw new UsageError(`${stray} is one word too many.`);
    const client = name !== undefined && Object.hasOwn(CLIENTS, name) ? CLIENTS[name] : undefined;
    if (!client) throw new UsageError(`Say for which program: ${NAMES.join(", ")}.`);
    const { mcpUrl, base } = findAddress({ url: values.url });
    const self = [process.execPath, resolve(process.argv[1] ?? "parley")];
    const edits = client.edits({
      folder: teamFolder(),
      mcpUrl,
      withKey: Object.keys(keyHeader(base)).length > 0,
      self,
    });
    const changes = edits.map((edit) => (values.undo ? undone(edit) : planned(edit))).filter((change) => change.isOne);
    if (changes.length === 0) {
      await print(values.undo ? `${client.title} has nothing of Parley here.` : `${client.title} is set up already.`);
      return 0;
    }
    for (const { file, before, after } of changes) await print(shown(file, before, after));
    if (!values.yes && !(await agreed())) {
      note("Nothing was written. With --yes it is.");
      return 0;
    }
    for (const { file, before, after } of changes) {
      if (!values.undo) keep(file, before, after as string);
      save(file, after);
    }
    await print([`${client.title}: done.`, ...(values.undo ? [] : client.next)].join("\n"));
    return 0;
  },
});

interface Change {
  file: string;
  before: string | undefined;
  /** Undefined: the file goes. */
  after: string | undefined;
  isOne: boolean;
}

function planned(edit: Edit): Change {
  const before = read(edit.file);
  const after = done(edit, before);
  return { file: edit.file, before, after, isOne: before !== after };
}

/** As it was, byte for byte, if nobody has changed it since; else without what is ours. */
function undone(edit: Edit): Change {
  const before = read(edit.file);
  if (before === undefined) return { file: edit.file, before, after: before, isOne: false };
  const kept = keptOf(edit.file);
  const after = kept?.after === before ? kept.before : without(edit, before) || undefined;
  // A rewrite that takes nothing away is no change.
  const isOne =
    after === undefined
      ? done(edit, before) === before || kept?.after === before
      : after !== before && !isSame(after, before);
  return { file: edit.file, before, after, isOne };
}

const isSame = (a: string, b: string) => {
  try {
    return JSON.stringify(JSON.parse(a)) === JSON.stringify(JSON.parse(b));
  } catch {
    return a === b;
  }
};

const keeping = (file: string) =>
  join(process.env.PARLEY_HOME || join(homedir(), ".parley"), "setup", createHash("sha256").update(file).digest("hex"));

function keptOf(file: string): { before?: string; after: string } | undefined {
  const text = read(keeping(file));
  return text === undefined ? undefined : JSON.parse(text);
}

/** The first state is the one to go back to: who sets up twice has not changed the file in between. */
function keep(file: string, before: string | undefined, after: string) {
  const kept = keptOf(file);
  const first = kept !== undefined && kept.after === before ? kept.before : before;
  save(keeping(file), JSON.stringify({ before: first, after }));
}

/** The lines that differ, between those that do not. */
function shown(file: string, before: string | undefined, after: string | undefined): string {
  const old = (before ?? "").split("\n");
  const now = (after ?? "").split("\n");
  let top = 0;
  while (top < old.length && old[top] === now[top]) top += 1;
  let end = 0;
  while (end < Math.min(old.length, now.length) - top && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  const what = before === undefined ? "new" : after === undefined ? "goes" : "changes";
  return safe(
    [
      `${file} (${what})`,
      ...old
        .slice(top, old.length - end)
        .filter((line, place, all) => line || place < all.length - 1)
        .map((line) => `- ${line}`),
      ...now
        .slice(top, now.length - end)
        .filter((line, place, all) => line || place < all.length - 1)
        .map((line) => `+ ${line}`),
    ].join("\n"),
  );
}

async function agreed(): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question("Write it? [y/N] ");
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}
