import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { Trouble } from "../errors.ts";

type Json = { [key: string]: unknown };

/** What is put into a file: values at their place in JSON, items in lists of it, or a table of TOML. */
export interface Edit {
  file: string;
  set?: { at: string[]; to: object }[];
  add?: { at: string[]; item: object }[];
  table?: { name: string; values: Record<string, string> };
}

// Our hooks are known by what they call, also when the path to it has changed.
const isOurs = (item: unknown) => /'hook' '(session-start|stop)'/.test(JSON.stringify(item ?? ""));

/** The text of a file with the edit done. Whatever else stands there stays as it is. */
export function done(edit: Edit, text: string | undefined): string {
  if (edit.table) return withTable(text ?? "", edit.table);
  const root = parsed(edit.file, text);
  for (const { at, to } of edit.set ?? []) {
    const place = parent(edit.file, root, at);
    const there = place[last(at)];
    // What a person has added to it stays, such as a header; a program to be started is another way in.
    place[last(at)] = isObject(there) && !("command" in there) ? merged(there, to as Json) : to;
  }
  for (const { at, item } of edit.add ?? []) {
    const list = listAt(edit.file, root, at).filter((one) => !isOurs(one));
    parent(edit.file, root, at)[last(at)] = [...list, item];
  }
  return written(root, text);
}

/** The text of a file without what the edit puts there, and without what is empty then; "" where nothing is left. */
export function without(edit: Edit, text: string): string {
  if (edit.table) return withoutTable(text, edit.table.name);
  const root = parsed(edit.file, text);
  for (const { at } of edit.set ?? []) prune(root, at, () => undefined);
  for (const { at } of edit.add ?? [])
    prune(root, at, (list) => (Array.isArray(list) ? list.filter((one) => !isOurs(one)) : list));
  return Object.keys(root).length === 0 ? "" : written(root, text);
}

export const read = (file: string) => (existsSync(file) ? readFileSync(file, "utf8") : undefined);

export function save(file: string, text: string | undefined) {
  if (text === undefined) return rmSync(file, { force: true });
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function parsed(file: string, text: string | undefined): Json {
  if (text === undefined || text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // Said below.
  }
  throw new Trouble(
    `${file} is not a plain JSON object (comments?), so nothing is written there. Add Parley by hand, or mend it.`,
  );
}

/** As it was indented. */
function written(root: Json, text: string | undefined): string {
  const indent = /\n([ \t]+)"/.exec(text ?? "")?.[1] ?? 2;
  return `${JSON.stringify(root, null, indent)}\n`;
}

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const merged = (there: Json, to: Json): Json => ({
  ...there,
  ...Object.fromEntries(
    Object.entries(to).map(([key, value]) => {
      const old = there[key];
      return [key, isObject(old) && isObject(value) ? merged(old, value) : value];
    }),
  ),
});
const last = (at: string[]) => at.at(-1) as string;

function parent(file: string, root: Json, at: string[]): Json {
  return at.slice(0, -1).reduce<Json>((here, key) => {
    here[key] ??= {};
    const next = here[key];
    if (!isObject(next)) throw new Trouble(`${file}: ${key} is not an object there. Nothing was written.`);
    return next;
  }, root);
}

function listAt(file: string, root: Json, at: string[]): unknown[] {
  const list = parent(file, root, at)[last(at)] ?? [];
  if (!Array.isArray(list)) throw new Trouble(`${file}: ${at.join(".")} is not a list there. Nothing was written.`);
  return list;
}

/** Changes one value, and takes away what is empty because of that. What was empty before is not ours. */
function prune(here: Json, [key, ...rest]: string[], change: (value: unknown) => unknown): boolean {
  if (key === undefined || !(key in here)) return false;
  const inner = here[key];
  if (rest.length > 0) {
    if (!isObject(inner) || !prune(inner, rest, change)) return false;
  } else {
    here[key] = change(inner);
    if (JSON.stringify(here[key]) === JSON.stringify(inner)) return false;
  }
  const value = here[key];
  if (value === undefined || (typeof value === "object" && value !== null && Object.keys(value).length === 0))
    delete here[key];
  return true;
}

/** From its head to its last value: what stands below that is about the table that follows. */
const tablePattern = (name: string) =>
  new RegExp(
    `(^|\\n)(\\n?)(\\[${name.replaceAll(".", "\\.")}\\][^\\n]*(?:\\n(?:\\s*(?:#[^\\n]*)?\\n)*[^\\s#[][^\\n]*)*)(?:\\n|$)`,
  );

const withoutTable = (text: string, name: string) => text.replace(tablePattern(name), "$1");

function withTable(text: string, { name, values }: { name: string; values: Record<string, string> }): string {
  const lines = Object.entries(values).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
  const [whole = "", ...parts] = tablePattern(name).exec(text) ?? [];
  if (whole) {
    const isOld = (line: string) => Object.keys(values).some((key) => line.match(/^\s*(\w+)\s*=/)?.[1] === key);
    const [head = "", ...body] = (parts[2] ?? "").split("\n");
    const table = [head, ...lines, ...body.filter((line) => !isOld(line))].join("\n");
    return text.replace(whole, () => `${parts[0]}${parts[1]}${table}\n`);
  }
  const before = text === "" || text.endsWith("\n") ? text : `${text}\n`;
  return `${before}${before === "" ? "" : "\n"}[${name}]\n${lines.join("\n")}\n`;
}
