import { readdirSync, readFileSync } from "node:fs";

const DB = new URL("../", import.meta.url);
const INCLUDE = /^--!include (\S+\.sql)$/gm;

/** The text of a file under db/, with the files that it includes. */
export function readSource(name: string): string {
  return readFileSync(new URL(name, DB), "utf8").replace(INCLUDE, (_line, included: string) => readSource(included));
}

export function includesOf(name: string): string[] {
  return [...readFileSync(new URL(name, DB), "utf8").matchAll(INCLUDE)].map((match) => match[1] as string);
}

/** Every SQL file under db/ that is part of the product. */
export function sourceFiles(): string[] {
  return readdirSync(DB, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".sql") && !name.startsWith("tests/"))
    .sort();
}
